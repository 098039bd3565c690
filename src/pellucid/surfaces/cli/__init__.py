"""Arguments in, text or JSON and an exit code out: the `pellucid` command."""

import sys

from pellucid.errors import PellucidError
from pellucid.surfaces.cli.commands import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; an error we know is one line that says what, why and what next, and its own exit code."""
    try:
        app(standalone_mode=True)
    except PellucidError as error:
        sys.stderr.write(f"pellucid: {error}\n")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
