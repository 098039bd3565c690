"""What to read in, all of it read out: the process that is killed where hostile text costs more than its length.

Its allowance of CPU seconds is set anew before each text, many times what reading it takes; the square of the length
would be minutes. It counts the seconds of this process alone, so a busy machine changes nothing.
"""

import resource
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

LENGTH = 100_000
ALLOWANCE = 10
"""CPU seconds for one pattern, or for one text that a function reads."""
REACH = {
    "observe/language.py": 1_000,
    "recall/query": 20_000,
    "recall/query/gate.py": 20_000,
    "capture/secrets/commands.py": 400,
    "store/local/vault/paths.py": 1_000,
    "store/local/vault/records.py": 1_000,
}
"""Characters that the patterns of some places ever meet: of a sentence, of a question, of a command, of a path."""
AT_MARKS = ("capture/secrets/names.py", "capture/secrets/patterns.py")
"""Patterns that are tried where a mark was found, and nowhere else: what that costs, `redact` tells."""
UNITS = (
    "a",
    " ",
    "\n",
    ".",
    "*",
    "`",
    "(",
    "[",
    "<!--",
    "[a](",
    "![a](b ",
    "<b>",
    "</b><b>",
    "- ",
    "1.\n",
    "a\n",
    "a: ",
    "a, ",
    "é",
    "Aa ",
    "1 ",
    "a.b",
    "a/",
    "_a ",
    "*a ",
    "~~a ",
    "|a",
    "# a\n",
    "=\n",
    "\nat a",
    " at a(",
    "{#",
    "§",
    "nope ",
    "!\nnope",
    "actually it is 1. ",
    "the TTL is ",
    "The a is 1 and ",
    "my a's b is 1. ",
    "today ",
    "3 days ago ",
    "は",
    "もう",
    "不是",
    "<system-reminder>",
    '<pellucid-recall id="',
    "[image: ",
    "secret=",
    "password:\n",
    'secret="',
    "token: ",
    "eyJ-",
    "-us",
    "AccountKey=",
    "key-",
    "://a:",
    "curl -u a:",
    "mysql -p",
    "x login ",
    ":$6$",
    "1. abandon ",
    "seed phrase: a ",
    "cookie: a=",
    "-----BEGIN PRIVATE KEY-----",
    "\u200b",
    "gh\u200bp_",
    "ｐ",
    "4111 ",
    "password | ",
    'variable "secret" {',
    "pass=",
)
"""What hostile texts repeat."""


def main(what: str) -> None:
    """Read everything, telling before each what it is."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for name, read in pattern_readings() if what == "patterns" else function_readings(what):
        print(name, flush=True)
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + ALLOWANCE, hard))
        read()
    print("done", flush=True)


def pattern_readings() -> Iterator[tuple[str, Callable[[], object]]]:
    sys.path.append(str(Path(__file__).parents[1]))
    from kits.adversarial import Found, patterns, texts

    def tried(each: Found, length: int) -> None:
        for text in texts(each.pattern, length):
            each.pattern.match(text)
            for _ in each.pattern.finditer(text) if each.searched and not each.place.startswith(AT_MARKS) else ():
                pass

    for each in patterns():
        length = next((length for place, length in REACH.items() if each.place.startswith(place)), LENGTH)
        yield f"{each.place} {each.pattern.pattern[:200]!r}", lambda each=each, length=length: tried(each, length)


def function_readings(name: str) -> Iterator[tuple[str, Callable[[], object]]]:
    length, read = _reader(name)
    for unit, between in product(UNITS, ("", "\n")):
        if not unit.strip() and name == "query":
            continue
        text = (unit + between) * (length // len(unit + between))
        yield f"{name} {unit + between!r}", lambda text=text: read(text)


def _reader(name: str) -> tuple[int, Callable[[str], object]]:
    """How long a text a function meets, and the function."""
    match name:
        case "redact":
            from pellucid.capture.secrets.redact import redact

            return LENGTH, redact
        case "extract":
            return 25_000, _extracted
        case "remember":
            return 20_000, _remembered
        case "documents":
            return LENGTH, _document
        case "query":
            return 20_000, _query
        case _:
            return LENGTH, _small


def _extracted(text: str) -> None:
    from pellucid.model.turn import Segment, Turn
    from pellucid.observe.extract.extractor import HeuristicExtractor

    said = ("user", "tool", "assistant", "user")
    turns = tuple(Turn("s", at, role, text) for at, role in enumerate(said, 1))  # type: ignore[arg-type]
    HeuristicExtractor().extract(Segment("s", turns, "session_end"))


def _remembered(text: str) -> None:
    from pellucid.language.spelling import content_hash
    from pellucid.language.statements.negation import polarity
    from pellucid.observe.attributes import read_attribution
    from pellucid.observe.dates import resolve_dates
    from pellucid.observe.extract.polish import polish
    from pellucid.observe.language import detect_language
    from pellucid.observe.substitute import substitute

    language = detect_language(text)
    read_attribution(text, language)
    polarity(text)
    content_hash(text)
    sentence = text[: REACH["observe/language.py"]]
    polish(sentence, language)
    resolve_dates(sentence, datetime(2026, 1, 1, tzinfo=UTC), language)
    substitute(sentence, "600", "", language)


def _document(text: str) -> None:
    from pellucid.documents.formats.markdown import markdown_markup
    from pellucid.documents.formats.rst import rst_markup
    from pellucid.documents.names.links import find_links, find_paths
    from pellucid.documents.reading import read_document

    for path in ("a.md", "a.rst"):
        read_document(path, text.encode(), "docs")
        tuple(find_links(text, path))
        tuple(find_paths(text, path))
    markdown_markup(text)
    rst_markup(text)


def _query(text: str) -> None:
    from pellucid.recall.query.classes import classify
    from pellucid.recall.query.dates.period import window
    from pellucid.recall.query.edges import asked_edges
    from pellucid.recall.query.entities import entities
    from pellucid.recall.query.gate import gate
    from pellucid.recall.query.plan import clean

    asked = clean(text)
    for read in (gate, classify, asked_edges, entities):
        read(asked)
    window(asked, datetime(2026, 1, 1, tzinfo=UTC))


def _small(text: str) -> None:
    from pellucid.capture.transcripts.noise import is_harness_text, without_reminders
    from pellucid.errors import InputError
    from pellucid.recall.context.citations import parse_citations
    from pellucid.recall.legs.review import review_paths

    without_reminders(text)
    is_harness_text(text)
    parse_citations(text)
    try:
        review_paths(text)
    except InputError:  # that is an answer, too
        return


if __name__ == "__main__":
    main(sys.argv[1])
