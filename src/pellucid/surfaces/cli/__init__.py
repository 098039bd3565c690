"""Arguments in, text or JSON and an exit code out: the `pellucid` command."""

import gc
import sys
from itertools import takewhile

from pellucid.errors import InputError, PellucidError
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import complain, text_words

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; an error we know is one line that says what, why and what next, and its own exit code."""
    gc.disable()  # what is loaded is no garbage: looking for it takes a fifth of a short command (`perform` goes on)
    words = text_words(sys.argv[1:])
    as_json = "--json" in takewhile(lambda word: word != "--", words)
    try:
        app(words, standalone_mode=True)
    except PellucidError as error:
        _leave(error, as_json=as_json)
    except UnicodeError as error:
        _leave(_not_text(error), as_json=as_json)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    finally:
        gc.freeze()  # nor is it looked for at the end, when all is given back at once


def _leave(error: PellucidError, *, as_json: bool) -> None:
    complain(error, as_json=as_json)
    sys.exit(error.exit_code)


def _not_text(error: UnicodeError) -> InputError:
    return InputError(
        f"a name or a text is not UTF-8: {error}", code="invalid_text", next_step="write it in UTF-8 and repeat"
    )
