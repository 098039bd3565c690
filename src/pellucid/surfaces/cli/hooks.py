"""What was typed of hooks in, set up, looked at, or run out."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pellucid.errors import InputError
from pellucid.surfaces.answers import json_text
from pellucid.surfaces.cli import performing
from pellucid.surfaces.cli.acts import Given, Own, Row
from pellucid.surfaces.cli.derived import Parameter, values
from pellucid.surfaces.cli.session import settings, write
from pellucid.surfaces.texts import presenter

if TYPE_CHECKING:
    from pellucid.operations.hooks.hosts import HostName
    from pellucid.surfaces.hooks.hostfile import Scope

_PROGRAMS = ("claude-code", "codex", "cursor")
_WHERE = (
    Parameter("program", "claude-code, codex or cursor.", flag="--for", required=True),
    Parameter("project", "In this project alone.", "switch", "--project"),
    Parameter("user", "In every project (the default).", "switch", "--user"),
    Parameter("dry_run", "Show what would be written, and write nothing.", "switch", "--dry-run"),
)


def event(row: Row, given: Given) -> None:
    """Print the answer to an event that stands on the standard input, as the program's hook would."""
    try:
        said: object = json.loads(sys.stdin.buffer.read())
    except ValueError as error:
        raise InputError(
            f"the standard input is no JSON: {error}", next_step="give one event as a hook gets it"
        ) from error
    with performing.opened_for(row, given) as call:
        asked = call.input_of(row.input, {"host": given["host"], "event": said})
        performing.print_answer(row, row.perform(call, asked), asked, call, as_json=given["as_json"])


def claim(row: Row, given: Given) -> None:
    """Read claims from the standard input, a JSON object a line, and print what was kept of them."""
    try:
        said: list[object] = [json.loads(each) for each in sys.stdin.buffer.read().splitlines() if each.strip()]
    except ValueError as error:
        raise InputError(
            f"no JSON came in: {error}", next_step='a line a claim: {"statement": …, "quote": …}'
        ) from error
    with performing.opened_for(row, given) as call:
        asked = call.input_of(row.input, {**values(row.input, given, call.now), "claims": said})
        performing.print_answer(row, row.perform(call, asked), asked, call, as_json=given["as_json"])


def install(_row: None, given: Given) -> None:
    """Put our hooks into a program's file, and our MCP server into another, and tell what was written."""
    from pellucid.surfaces.hooks.install import install as put

    found = put(*_place(given), settings(given["home"]), tools=not given["no_mcp"], dry_run=given["dry_run"])
    write(json_text(found) if given["as_json"] else presenter("hooks.installed")(found))


def remove(_row: None, given: Given) -> None:
    """Take both out again, and tell what was written."""
    from pellucid.surfaces.hooks.install import remove as take_out

    found = take_out(*_place(given), dry_run=given["dry_run"])
    write(json_text(found) if given["as_json"] else presenter("hooks.installed")(found))


def _place(given: Given) -> tuple["HostName", "Scope"]:
    """The agent's program, and whether for the user or the project, as the flags name it."""
    if given["program"] not in _PROGRAMS:
        raise InputError(f"--for expects one of {', '.join(_PROGRAMS)}; got {given['program']!r}", code="invalid_for")
    if given["project"] and given["user"]:
        raise InputError("--project and --user exclude each other", next_step="leave one of them out")
    return given["program"], "project" if given["project"] else "user"


def status(_row: None, given: Given) -> None:
    """Print where our hooks stand, and what they told of."""
    from pellucid.surfaces.hooks.install import status as looked_at

    found = looked_at(settings(given["home"]))
    write(json_text(found) if given["as_json"] else presenter("hooks.status")(found))


def work(_row: None, given: Given) -> None:
    """Serve the home until nobody asks any more."""
    from pellucid.surfaces.hooks.work import work as serve

    write("serving")
    serve(settings(given["home"]))


_NO_MCP = Parameter("no_mcp", "Hooks alone: register no MCP server, and no tools for the agent.", "switch", "--no-mcp")
HOOKS: Mapping[str, Own] = {
    "hooks install": Own(install, (*_WHERE, _NO_MCP), text="Have an agent's program tell and be told, by itself."),
    "hooks status": Own(status, text="Show where hooks are installed, and what they told."),
    "hooks remove": Own(remove, _WHERE, text="Take hooks and tools out of an agent's program again."),
    "claim": Own(claim, less=("claims",)),
    "hooks event": Own(event, less=("event",)),
    "hooks work": Own(
        work, as_json=False, text="Serve the home for hooks until none calls for a while. They start it by themselves."
    ),
}
"""By the words of the command."""
