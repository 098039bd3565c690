"""The package in, its patterns with the texts that would make each of them slow out.

A text repeats what a pattern repeats, or how it begins, and never lets it end: what makes a search begin again at every
character, or go back over all that it took, is found without knowing the pattern.
"""

import ast
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pellucid

PARSER: Any = importlib.import_module("re._parser")
SIGNS: Any = importlib.import_module("re._constants")
REPEATS = (SIGNS.MAX_REPEAT, SIGNS.MIN_REPEAT, SIGNS.POSSESSIVE_REPEAT)
SINGLE = (SIGNS.LITERAL, SIGNS.NOT_LITERAL, SIGNS.ANY, SIGNS.IN)
ALPHABET = " a1.A-_:=\"'/\\\n(<`*#,|é"
"""From what a sign of a set is taken."""
END = "\x01"
"""Behind each text: a sign that no pattern waits for."""
MOST_TEXTS = 12
ONE_PLACE = {"match", "fullmatch", "pattern"}
"""How a pattern is used that is tried at one place only."""
ROOT = Path(pellucid.__file__).parent


class Found(NamedTuple):
    """A pattern, the file and line that compiles it, and whether it is ever searched with, not only matched."""

    pattern: re.Pattern[str]
    place: str
    searched: bool


def patterns() -> list[Found]:
    """Every pattern that the package compiles when its modules and its languages are loaded; in their order."""
    found: dict[tuple[str, int], tuple[re.Pattern[str], str, int]] = {}
    compiled = re.compile

    def listening(pattern: Any, flags: Any = 0) -> Any:
        made = compiled(pattern, flags)
        place = _caller()
        if place and isinstance(pattern, str):
            found.setdefault((pattern, made.flags), (made, *place))
        return made

    re.compile = listening
    try:
        for module in pkgutil.walk_packages(pellucid.__path__, "pellucid."):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError:
                if not module.name.startswith("pellucid.adapters."):  # to frameworks that need not be installed
                    raise
        language = importlib.import_module("pellucid.observe.language")
        for code in language.LANGUAGES:
            language.load_language(code)
            language.load_cues(code)
    finally:
        re.compile = compiled
    searched = _searched()
    return [Found(made, f"{file}:{line}", searched(file, line)) for made, file, line in found.values()]


def _caller() -> tuple[str, int] | None:
    """The file and line of ours that asks for a pattern, by itself or through pydantic; None if a library does."""
    frame = sys._getframe(2)
    while frame and "pydantic" in frame.f_code.co_filename:
        frame = frame.f_back
    file = Path(frame.f_code.co_filename) if frame else ROOT
    return (file.relative_to(ROOT).as_posix(), frame.f_lineno) if frame and file.is_relative_to(ROOT) else None


def _searched() -> Callable[[str, int], bool]:
    """Tells whether the pattern of a file and line is used in any way but `match` and `fullmatch`."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    made: dict[tuple[str, int], str] = {}
    for path in ROOT.rglob("*.py"):
        file = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("re.compile"):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                made |= {(file, line): _key(file, ast.unparse(node.targets[0])) for line in lines}
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                    used[_key(file, child.id)].add(node.attr if isinstance(node, ast.Attribute) else "handed on")
    return lambda file, line: (file, line) not in made or bool(used[made[file, line]] - ONE_PLACE)


def _key(file: str, name: str) -> str:
    """A name that begins with `_` is of its file alone."""
    return f"{file}:{name}" if name.startswith("_") else name


def texts(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts of about this length; each begins something that the pattern repeats, and does not end it."""
    tree = list(PARSER.parse(pattern.pattern, pattern.flags))
    pieces: dict[tuple[str, str], None] = {}
    for before, unit in _repeated(tree, ""):
        pieces |= dict.fromkeys(((before, unit), ("", unit), ("", before), ("", before + unit)))
    whole = _sample(tree)
    pieces |= dict.fromkeys((("", whole[:-1]), ("", whole)))
    wanted = [(before, unit) for before, unit in pieces if unit]
    for before, unit in wanted[:: -(-len(wanted) // MOST_TEXTS) or 1]:
        yield before + unit * (length // len(unit)) + END


def _repeated(tree: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    """What the pattern repeats without a near end, and a text that leads there."""
    for sign, value in tree:
        parts: Sequence[Sequence[Any]] = ()
        if sign in REPEATS:
            low, high, parts = value[0], value[1], (list(value[2]),)
            if high > 8:
                yield from ((before, _sample(parts[0], pick)) for pick in range(2))
            yield from _repeated(parts[0], before)
            before += _sample(parts[0]) * max(low, 1)
            continue
        if sign is SIGNS.SUBPATTERN:
            parts = (list(value[3]),)
        elif sign is SIGNS.ATOMIC_GROUP:
            parts = (list(value),)
        elif sign is SIGNS.BRANCH:
            parts = [list(each) for each in value[1]]
        for part in parts:
            yield from _repeated(part, before)
        before += _sample([(sign, value)])


def _sample(tree: Sequence[Any], pick: int = 0) -> str:
    """A text that the pattern takes, about: what looks around is passed over."""
    out = ""
    for sign, value in tree:
        if sign in SINGLE:
            signs = _signs(sign, value)
            out += signs[pick % len(signs)]
        elif sign is SIGNS.BRANCH:
            out += _sample(list(value[1][pick % len(value[1])]), pick)
        elif sign is SIGNS.SUBPATTERN:
            out += _sample(list(value[3]), pick)
        elif sign is SIGNS.ATOMIC_GROUP:
            out += _sample(list(value), pick)
        elif sign in REPEATS:
            out += _sample(list(value[2]), pick) * max(value[0], 1 - pick)
    return out


def _signs(sign: Any, value: Any) -> Sequence[str]:
    if sign is SIGNS.LITERAL:
        return chr(value)
    if sign is SIGNS.ANY:
        return "a "
    made = _one(f"[^{re.escape(chr(value))}]" if sign is SIGNS.NOT_LITERAL else _set(value))
    fitting = [char for char in ALPHABET if made.match(char)]
    return [*_first_signs(sign, value), *fitting] or "~"


def _first_signs(sign: Any, value: Any) -> list[str]:
    """Two signs that a set names, or with which its ranges begin."""
    if sign is SIGNS.NOT_LITERAL or value[0][0] is SIGNS.NEGATE:
        return []
    named = [each if kind is SIGNS.LITERAL else each[0] for kind, each in value if kind is not SIGNS.CATEGORY]
    return [chr(code) for code in named[:2]]


@cache
def _one(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _set(value: Sequence[Any]) -> str:
    """A set of the parser as it is written."""
    classes = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
    out = ""
    for sign, each in value:
        if sign is SIGNS.NEGATE:
            out += "^"
        elif sign is SIGNS.LITERAL:
            out += re.escape(chr(each))
        elif sign is SIGNS.RANGE:
            out += f"{re.escape(chr(each[0]))}-{re.escape(chr(each[1]))}"
        else:
            out += classes[str(each).removeprefix("CATEGORY_")]
    return f"[{out}]"
