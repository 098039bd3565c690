"""Arguments in, text or JSON and an exit code out: the `pellucid` command."""

import gc
import sys
from itertools import takewhile

from pellucid.errors import InputError, PellucidError
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import decode_arguments, print_error

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line on the program's arguments and exit. A `PellucidError` is printed on standard error as one
    line, of JSON if `--json` was given, and its `exit_code` is the exit code; a text that is not UTF-8 counts as an
    `InputError`. Wrong flags are reported by Typer. Any other exception is raised. A closed pipe on standard output
    ends it with 0.
    """
    gc.disable()  # looking for garbage while modules load takes a fifth of a short command; `perform` enables it
    words = decode_arguments(sys.argv[1:])
    # looked for here, too, since reading the flags can be what fails
    as_json = "--json" in takewhile(lambda word: word != "--", words)
    try:
        app(words, standalone_mode=True)
    except PellucidError as error:
        _fail(error, as_json=as_json)
    except UnicodeError as error:
        message = f"a name or a text is not UTF-8: {error}"
        _fail(InputError(message, code="invalid_text", next_step="write it in UTF-8 and repeat"), as_json=as_json)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    finally:
        gc.freeze()  # no search for garbage at the end either: the process gives everything back at once


def _fail(error: PellucidError, *, as_json: bool) -> None:
    """Print an error on standard error, as JSON with `as_json`, and exit with its `exit_code`."""
    print_error(error, as_json=as_json)
    sys.exit(error.exit_code)
