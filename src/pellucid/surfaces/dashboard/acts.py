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
from pellucid.surfaces import inputs
from pellucid.surfaces.answers import answer_text, spell_for_program
from pellucid.surfaces.commands import Spelling, spelled_by
from pellucid.surfaces.dashboard.view import ROOT, View
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.table import OPERATIONS

_OPERATIONS: Mapping[str, Operation[Any, Any]] = {row.name: row for row in OPERATIONS if row.on.http}

_NAMED = re.compile(r"\{(\w+)\}")
_CHOSEN = ("memoryIds", "memoryId", "target")
"""Fields in which operations take the memories that are chosen."""


@dataclass(frozen=True, slots=True)
class FormOutcome:
    """What a form did: the answer to show, and where to go on."""

    said: str
    """The answer as text; empty for an operation that only reads."""
    after: str
    """The page to go on with."""
    again: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For a preview, the fields of the form that does it."""
    undo: tuple[str, ...] = ()
    """The ids of operations that `undo` takes back, the last one first."""


def act(view: View, name: str, form: Mapping[str, list[str]]) -> FormOutcome:
    """Run the operation that a form names, on the form's fields.

    Two fields are not the operation's: `next` is the page to go on with, where `{memoryId}` or `{recallId}` stands for
    what came of the form, and `chosen` has memory ids for whichever field the operation takes them in. Several values
    of a field that takes one are a run each; a run that fails does not stop the others.

    Raises:
        PellucidError: there is no such operation, the caller may not ask it, or none of it could be done.
    """
    row = _OPERATIONS.get(name)
    fields = {key: given for key, words in form.items() if (given := [*filter(None, words)])}
    if row is None:
        raise unknown_place()
    after = fields.pop("next", [""])[0]
    writable = inputs.writable_fields(row)
    if chosen := fields.pop("chosen", []):
        fields[next((each for each in _CHOSEN if each in writable), _CHOSEN[0])] = chosen
    if wrong := [each for each in fields if each not in writable]:
        raise InputError(f"{wrong[0]} is no field of {row.name}", code="unknown_field")
    done, failed = list[FormOutcome](), list[PellucidError]()
    for each in _runs(row, fields):
        try:
            done.append(_run(view, row, each, after))
        except PellucidError as error:
            failed.append(error)
    if not done:
        raise failed[0]
    for error in failed:
        spell_for_program(error, "the page")
    said = [each.said for each in done] + [f"not done: {error.message}" for error in failed]
    undo = tuple(each for run in reversed(done) for each in run.undo)
    return FormOutcome("\n".join(filter(None, said)), done[-1].after, done[-1].again, undo)


def _runs(row: Operation[Any, Any], fields: Mapping[str, list[str]]) -> list[dict[str, list[str]]]:
    """The fields of each run: one run, unless a field that takes a single value was given several, each of which is a
    run.
    """
    writable = inputs.writable_fields(row)
    several = next((name for name, words in fields.items() if len(words) > 1 and not writable[name].is_many), None)
    return [{**fields, several: [each]} for each in fields[several]] if several else [dict(fields)]


def _run(view: View, row: Operation[Any, Any], fields: Mapping[str, list[str]], after: str) -> FormOutcome:
    """Run one operation on form fields; `after` is the page to go on with, which may hold `{memoryId}`.

    It raises what the operation raises, and a failure that it reports.
    """
    call = view.call(row)
    if (beyond := inputs.fields_beyond_namespace(row, fields)) and not view.caller.may(row.access, "*"):
        raise InputError(f"{beyond[0]} is only for those who may do so everywhere", code="not_granted")
    asked = inputs.input_from_json(call, row, inputs.parse_query(row, fields))
    outcome = row.perform(call, asked)
    if failure := row.failure(outcome):
        raise failure
    with spelled_by(_spelling(row)):
        said = answer_text(row, outcome, asked, call, "text") if row.access != "read" else ""
    after = next_place(_NAMED.sub(lambda found: _answer_field(outcome, to_snake(found[1])), after))
    is_preview = getattr(asked, "preview", False)
    undo = getattr(outcome, "op_id", None) if row.effect == "change" and view.may(UNDO) else None
    again = {**fields, "preview": ["false"], "next": [after]} if is_preview else {}
    return FormOutcome(said, after, again, (undo,) if undo else ())


def _answer_field(outcome: Any, name: str) -> str:
    """A field of an answer, quoted for a path, "" if there is none; `memory_id` also if the answer holds the memory
    itself.
    """
    found = outcome.memory.id if name == "memory_id" and hasattr(outcome, "memory") else getattr(outcome, name, "")
    return quote(str(found))


def _spelling(row: Operation[Any, Any]) -> Spelling:
    """Spells the command that undoes or repeats this operation as `the button below`, and no other command."""
    here = ("undo op_", f"{row.on.cli} ")
    return Spelling(lambda words: "the button below" if words.startswith(here) else None)


def next_place(where: str) -> str:
    """The page to go on with after a form: `where` if it is an address of the dashboard, else the home page."""
    said = urlsplit(where)
    is_ours = not said.scheme and not said.netloc and said.path.startswith(f"{ROOT}/")
    return where if is_ours and not set(where) & set("\\\r\n") else f"{ROOT}/"
