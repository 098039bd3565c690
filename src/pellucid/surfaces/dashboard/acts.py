"""A form in, an operation run and where to go on out: what may be changed on a page is a row of the table.

What erases is shown first, and done by the form of the page that shows it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic.alias_generators import to_snake

from pellucid.errors import InputError, PellucidError
from pellucid.operations.memory.undoing import UNDO
from pellucid.operations.operation import Operation
from pellucid.surfaces import asking
from pellucid.surfaces.answers import answer_text, spell_wire
from pellucid.surfaces.commands import Spelling, spelled_by
from pellucid.surfaces.dashboard.view import ROOT, View
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.table import OPERATIONS

_ROWS: Mapping[str, Operation[Any, Any]] = {row.name: row for row in OPERATIONS if row.on.http}

_NAMED = re.compile(r"\{(\w+)\}")
_CHOSEN = ("memoryIds", "memoryId", "target")
"""Fields in which operations take the memories that are chosen."""


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of a form."""

    said: str
    """What the operation answers, as text."""
    after: str
    """The page to go on with."""
    again: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Of a preview: the form that does it."""
    undo: tuple[str, ...] = ()
    """Operations that take it back, the last one first."""


def act(view: View, name: str, form: Mapping[str, list[str]]) -> Acted:
    """Run the operation that a form names, on the form's fields.

    Some fields are no operation's. `next` says where to go on: `{memoryId}` or `{recallId}` in it is what came of the
    form, and what only reads is told by that page alone. `chosen` names memories, in whichever field the operation
    takes them. Of a field that takes one value, each value is a run of its own; what cannot be done with one of them
    keeps nothing from being done with the others.

    Raises:
        PellucidError: there is no such operation, the caller may not ask it, or none of it could be done.
    """
    row, fields = _ROWS.get(name), {key: given for key, words in form.items() if (given := [*filter(None, words)])}
    if row is None:
        raise unknown_place()
    after = fields.pop("next", [""])[0]
    writable = asking.writable(row)
    if chosen := fields.pop("chosen", []):
        fields[next((each for each in _CHOSEN if each in writable), _CHOSEN[0])] = chosen
    if wrong := [each for each in fields if each not in writable]:
        raise InputError(f"{wrong[0]} is no field of {row.name}", code="unknown_field")
    done, failed = list[Acted](), list[PellucidError]()
    for each in _runs(row, fields):
        try:
            done.append(_run(view, row, each, after))
        except PellucidError as error:
            failed.append(error)
    if not done:
        raise failed[0]
    for error in failed:
        spell_wire(error, "the page")
    said = [each.said for each in done] + [f"not done: {error.message}" for error in failed]
    undo = tuple(each for run in reversed(done) for each in run.undo)
    return Acted("\n".join(filter(None, said)), done[-1].after, done[-1].again, undo)


def _runs(row: Operation[Any, Any], fields: Mapping[str, list[str]]) -> list[dict[str, list[str]]]:
    """The fields of each run: one, unless a field that takes one value is given several."""
    writable = asking.writable(row)
    several = next((name for name, words in fields.items() if len(words) > 1 and not writable[name].is_many), None)
    return [{**fields, several: [each]} for each in fields[several]] if several else [dict(fields)]


def _run(view: View, row: Operation[Any, Any], fields: Mapping[str, list[str]], after: str) -> Acted:
    """Run one operation on form fields; `after` is where to go on."""
    call = view.call(row)
    if (beyond := asking.beyond(row, fields)) and not view.caller.may(row.access, "*"):
        raise InputError(f"{beyond[0]} is only for those who may do so everywhere", code="not_granted")
    asked = asking.input_of(call, row, asking.from_words(row, fields))
    outcome = row.perform(call, asked)
    if failure := row.failure(outcome):
        raise failure
    with spelled_by(_spelling(row)):
        said = answer_text(row, outcome, asked, call, "text") if row.access != "read" else ""
    after = next_place(_NAMED.sub(lambda found: _named_by(outcome, to_snake(found[1])), after))
    is_preview = getattr(asked, "preview", False)
    undo = getattr(outcome, "op_id", None) if row.effect == "change" and view.may(UNDO) else None
    again = {**fields, "preview": ["false"], "next": [after]} if is_preview else {}
    return Acted(said, after, again, (undo,) if undo else ())


def _named_by(outcome: Any, name: str) -> str:
    """A field of an answer, as a part of a path; the memory that came of it by its id."""
    found = outcome.memory.id if name == "memory_id" and hasattr(outcome, "memory") else getattr(outcome, name, "")
    return quote(str(found))


def _spelling(row: Operation[Any, Any]) -> Spelling:
    """The commands that a text names, where a button stands for them."""

    def button(words: str) -> str | None:
        is_of_page = words.startswith(("undo op_", f"{row.on.cli} "))
        return "the button below" if is_of_page else None

    return Spelling(button)


def next_place(where: str) -> str:
    """Where a form goes on: a page of ours, whatever the form says."""
    said = urlsplit(where)
    is_ours = not said.scheme and not said.netloc and said.path.startswith(f"{ROOT}/")
    return where if is_ours and not set(where) & set("\\\r\n") else f"{ROOT}/"
