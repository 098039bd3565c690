"""A form in, its operation run and the next page's address out: a page can change only through rows of the table.

An operation that erases is shown first, and run by the form of the page that shows it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic.alias_generators import to_snake

from pellucid.errors import InputError, PellucidError, Spelling, spelled_by
from pellucid.operations.memory.undoing import UNDO
from pellucid.operations.operation import Operation
from pellucid.surfaces import inputs
from pellucid.surfaces.answers import answer_text
from pellucid.surfaces.dashboard.view import ROOT, PageView
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.surfaces.spelling import program_spelling, shell_command
from pellucid.table import OPERATIONS

_OPERATIONS: Mapping[str, Operation[Any, Any]] = {row.name: row for row in OPERATIONS if row.on.http}

_NAMED = re.compile(r"\{(\w+)\}")
_CHOSEN = ("memoryIds", "memoryId", "target")
"""The names of fields in which operations take the chosen memories."""


@dataclass(frozen=True, slots=True)
class FormOutcome:
    """The outcome of a form: the answer to show, and the page to go on with."""

    said: str
    """The answer as text; empty for an operation that only reads."""
    after: str
    """The page to go on with."""
    again: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For a preview, the fields of the form that does it."""
    undo: tuple[str, ...] = ()
    """The ids of operations that `undo` takes back, the last one first."""


def act(view: PageView, name: str, form: Mapping[str, list[str]]) -> FormOutcome:
    """Run the operation `name` on a form's fields, of which empty values are left out, and return the outcome of all
    runs together.

    Two fields are not the operation's: `next` is the page to go on with, where `{memoryId}` or `{recallId}` stands for
    that field of the answer, and `chosen` has memory ids for whichever field the operation takes them in. Several
    values of a field that takes only one are a run each; a run that fails does not stop the others. `PellucidError` if
    there is no such operation, it has no such field, the caller is not allowed to run it, or every run failed.
    """
    row = _OPERATIONS.get(name)
    fields = {key: values for key, words in form.items() if (values := [*filter(None, words)])}
    if row is None:
        raise unknown_place()
    after = fields.pop("next", [""])[0]
    writable = inputs.writable_fields(row)
    if chosen := fields.pop("chosen", []):
        fields[next((each for each in _CHOSEN if each in writable), _CHOSEN[0])] = chosen
    if wrong := [each for each in fields if each not in writable]:
        raise InputError(f"{wrong[0]} is no field of {row.name}", code="unknown_field")
    outcomes, errors = list[FormOutcome](), list[PellucidError]()
    for each in _runs(row, fields):
        try:
            outcomes.append(_run(view, row, each, after))
        except PellucidError as error:
            errors.append(error)
    if not outcomes:
        raise errors[0]
    texts = [each.said for each in outcomes] + [f"not done: {error.message}" for error in errors]
    undo = tuple(each for run in reversed(outcomes) for each in run.undo)
    return FormOutcome("\n".join(filter(None, texts)), outcomes[-1].after, outcomes[-1].again, undo)


def _runs(row: Operation[Any, Any], fields: Mapping[str, list[str]]) -> list[dict[str, list[str]]]:
    """Return the fields of each run of the operation: if a field that takes only one value has several, a run for each
    of them (of the first such field), with all other fields the same; else one run.
    """
    writable = inputs.writable_fields(row)
    several = next((name for name, words in fields.items() if len(words) > 1 and not writable[name].is_many), None)
    return [{**fields, several: [each]} for each in fields[several]] if several else [dict(fields)]


def _run(view: PageView, row: Operation[Any, Any], fields: Mapping[str, list[str]], after: str) -> FormOutcome:
    """Run one operation on form fields, and return its outcome; errors of the operation, and a failure that it reports,
    are raised.

    `after` is the page to go on with, which can contain `{memoryId}`. For a preview, the outcome has as `again` the
    fields of the form that does what was shown; for a change that the caller may undo, it has the operation's id as
    `undo`.
    """
    call = view.call(row)
    if (fields_beyond := inputs.fields_beyond_namespace(row, fields)) and not view.caller.may(row.access, "*"):
        raise InputError(f"{fields_beyond[0]} is only for those who may do so everywhere", code="not_granted")
    request = inputs.input_from_json(call, row, inputs.parse_query(row, fields))
    with spelled_by(page_spelling(row)):
        outcome = row.perform(call, request)
        if failure := row.failure(outcome):
            raise failure
        text = answer_text(row, outcome, request, call, "text") if row.access != "read" else ""
    after = next_place(_NAMED.sub(lambda found: _answer_field(outcome, to_snake(found[1])), after))
    is_preview = getattr(request, "preview", False)
    undo = getattr(outcome, "op_id", None) if row.effect == "change" and view.may(UNDO) else None
    again = {**fields, "preview": ["false"], "next": [after]} if is_preview else {}
    return FormOutcome(text, after, again, (undo,) if undo else ())


def _answer_field(outcome: Any, name: str) -> str:
    """Return a field of an answer by its Python name, quoted for a path; "" if it has none. `memory_id` is the id of
    the answer's `memory`, if it has one.
    """
    value = outcome.memory.id if name == "memory_id" and hasattr(outcome, "memory") else getattr(outcome, name, "")
    return quote(str(value))


def page_spelling(row: Operation[Any, Any] | None = None) -> Spelling:
    """Return how pages write calls: as shell commands, and fields by their JSON names. In the answer to a form that ran
    `row`, the call which undoes or repeats that is `the button below`.
    """

    def call(operation: str, fields: Mapping[str, object]) -> tuple[str, str]:
        """Return how a call is written, and where to make it: ("the button below", "") for the undo or repetition of
        what the form ran, else a shell command, with `in a shell` in the answer to a form and "" on other pages.
        """
        undoes = operation == UNDO.name and str(fields.get("target")).startswith("op_")
        if row and (undoes or operation == row.name):
            return "the button below", ""
        return shell_command(operation, fields), "in a shell" if row else ""

    return replace(program_spelling(lambda _: None, "the page", "the page"), call=call)


def next_place(address: str) -> str:
    """Return the page to go on with after a form: `address` if it is one of the dashboard's and has no backslash or
    line end, else the home page.
    """
    try:
        parts = urlsplit(address)
    except ValueError:  # such as a bracket that is not closed
        return f"{ROOT}/"
    is_ours = not parts.scheme and not parts.netloc and parts.path.startswith(f"{ROOT}/")
    return address if is_ours and not set(address) & set("\\\r\n") else f"{ROOT}/"
