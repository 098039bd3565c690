"""Flags in, a home served until a signal ends it."""

from collections.abc import Mapping
from typing import Any

from pellucid.surfaces.cli.derived import Parameter
from pellucid.surfaces.cli.session import note, settings
from pellucid.surfaces.extra import require_server

SERVE = (
    Parameter("host", "Where to listen.", flag="--host", default="127.0.0.1"),
    Parameter("port", "The port; 0 is any that is free.", "whole", "--port", 8787),
    Parameter("allow_host", "A further name it may be asked by; may be repeated.", flag="--allow-host", many=True),
    Parameter("insecure_loopback", "Programs of this machine need no token.", "switch", "--insecure-loopback"),
    Parameter("idle_minutes", "End after so long without a request.", "whole", "--idle-minutes"),
)


def serve(_row: None, given: Mapping[str, Any]) -> None:
    """Until a signal ends it; without the libraries of a server, the line that names them.

    Raises:
        PellucidError: see `serving.serve`.
    """
    require_server()
    from pellucid.surfaces.http import serving

    names, idle = tuple(given["allow_host"] or ()), given["idle_minutes"]
    place = serving.Listening(given["host"], given["port"], names, given["insecure_loopback"], idle)
    serving.serve(settings(given["home"]), place, note)
