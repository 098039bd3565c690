"""Frontmatter text in, plain values out, and back: YAML 1.2 without anchors or aliases.

Files we wrote are one `key: value` a line, each value JSON or a plain word, and are read without a YAML parser
(about forty times faster, which is what a rebuild waits for). Everything else goes through ruamel.yaml.
"""

import json
import re
from collections.abc import Mapping
from typing import cast

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.tokens import AliasToken, AnchorToken

from pellucid.errors import InputError

_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_DAMAGED = re.compile(r"\A\ufeff?---[ \t]*\r?\n|\A(?:.{0,200}\n){0,3}id: (?:mem|ep|doc)_[0-9a-f]{32}\s")
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9]*): (.+)")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_MOST_BRACKETS = 256
"""What a YAML parser still reads in no time; its cost grows with the square of their nesting."""
_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./+@-]|:(?=[A-Za-z0-9]))*")
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML does not take as it stands, or takes for a line break."""
_WORDLIKE = {"true", "false", "null", "True", "False", "Null", "TRUE", "FALSE", "NULL"}

Values = dict[str, object]


def split(text: str) -> tuple[str | None, str]:
    """Split a text into frontmatter (without its fences; None if there is none) and body; a byte order mark is dropped.

    Raises InputError if the text begins with a fence `---` and no other closes it, or begins like our frontmatter
    without its first fence: one of the first four lines is the `id` of a memory, episode or document.
    """
    if found := _FENCE.match(text):
        return found.group(1), text[found.end() :]
    if _DAMAGED.match(text):
        raise InputError("its frontmatter is not closed between two lines `---`", next_step="restore the missing line")
    return None, text.removeprefix("\ufeff")


def replace(text: str, changes: Mapping[str, object]) -> str:
    """Return the text with these keys set in its frontmatter; a value of None removes its key. All else is unchanged,
    and a text without a closed frontmatter gets one in front.

    Raises InputError if an entry cannot be replaced line by line, or `parse` refuses the frontmatter.
    """
    if found := _FENCE.match(text):
        return text[: found.start(1)] + edit(found.group(1), changes) + text[found.end(1) :]
    return f"---\n{edit('', changes)}---\n{text}"


def parse(frontmatter: str) -> Values:
    """Return the keys and values of a frontmatter (without its fences); empty if it holds nothing. Times stay text.

    Raises InputError if it is not a YAML mapping, if it takes the YAML parser and has over 256 brackets, or if it holds
    an anchor or alias.
    """
    out: Values = {}
    for line in frontmatter.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        value = _plain_value(match.group(2)) if match else None
        if match is None or value is None:
            return _parse_yaml(frontmatter)
        out[match.group(1)] = value[0]
    return out


def render(values: Mapping[str, object]) -> str:
    """Render values as lines `key: value`, each value a plain word or JSON; those that are None are left out. Raises
    TypeError for a value that JSON cannot express.
    """
    return "".join(f"{key}: {_scalar_text(value)}\n" for key, value in values.items() if value is not None)


def edit(frontmatter: str, changes: Mapping[str, object]) -> str:
    """Return a frontmatter (without its fences) with these keys set and no other byte changed; a value of None removes
    its key, a new key comes last, and the last line gets a line break if it has none.

    Raises InputError if an entry cannot be replaced line by line, or `parse` refuses the frontmatter.
    """
    expected = {**parse(frontmatter), **changes}
    text = frontmatter if frontmatter.endswith("\n") or not frontmatter else frontmatter + "\n"
    for key, value in changes.items():
        entry = re.compile(rf"^{re.escape(key)}[ \t]*:.*\n(?:[ \t]+.*\n|- .*\n)*", re.MULTILINE)
        line = "" if value is None else f"{key}: {_scalar_text(value)}\n"
        text, count = entry.subn(lambda _, line=line: line, text, count=1)
        if not count:
            text += line
    if parse(text) != {key: value for key, value in expected.items() if value is not None}:
        raise InputError("its frontmatter cannot be edited line by line", next_step="write one `key: value` a line")
    return text


def _plain_value(text: str) -> tuple[object] | None:
    """Return a value as we write it (time, plain word, JSON), parsed, as a 1-tuple; None if only a YAML parser can
    tell. A time stays text.
    """
    if _TIME.fullmatch(text) or (_PLAIN.fullmatch(text) and text not in _WORDLIKE):
        return (text,)
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _scalar_text(value: object) -> str:
    """Render a value as a plain word if that is unambiguous, else as JSON."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and _plain_value(value) == (value,):
        return value
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))


def _parse_yaml(frontmatter: str) -> Values:
    """Return the keys and values of a frontmatter, read with a YAML parser; empty if it holds nothing.

    Raises InputError if it is not a YAML mapping, has over 256 brackets, or holds an anchor or alias.
    """
    _refuse_anchors(frontmatter)
    try:
        data: object = _yaml_reader().load(frontmatter)  # pyright: ignore[reportUnknownMemberType]
    except (YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"its frontmatter is not YAML: {_first_line(error)}", next_step="correct it") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise InputError("its frontmatter is not a mapping of keys to values", next_step="correct it")
    return {str(key): value for key, value in cast("dict[object, object]", data).items()}


def _refuse_anchors(frontmatter: str) -> None:
    """Raise InputError if a frontmatter holds a YAML anchor or alias, has more than 256 `[` and `{` together, or cannot
    be split into YAML's tokens; whether it parses is not checked.
    """
    if frontmatter.count("[") + frontmatter.count("{") > _MOST_BRACKETS:
        raise InputError("its frontmatter is nested too deeply", next_step="write plain lists")
    try:
        tokens = list(_yaml_reader().scan(frontmatter))  # pyright: ignore[reportUnknownMemberType]
    except (YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"its frontmatter is not YAML: {_first_line(error)}", next_step="correct it") from error
    if any(isinstance(token, AnchorToken | AliasToken) for token in tokens):
        raise InputError("its frontmatter holds a YAML anchor or alias", next_step="write the value out")


class _Plain(SafeConstructor):
    """Times stay as they were written: the model reads them, and a session may be named like one."""


_Plain.add_constructor(  # pyright: ignore[reportUnknownMemberType]
    "tag:yaml.org,2002:timestamp",
    SafeConstructor.construct_yaml_str,  # pyright: ignore[reportUnknownMemberType]
)


def _yaml_reader() -> YAML:
    """Make a safe YAML parser that leaves dates and times as text."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Plain
    return yaml


def _first_line(error: Exception) -> str:
    """Return an error's message on one line, cut to 200 characters."""
    return " ".join(str(error).split())[:200]
