"""A form in, an operation run and where to go on out: what may be changed on a page is a row of the table.

What erases is shown first, and done by the form of the page that shows it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic.alias_generators import to_snake

from pellucid.errors import InputError
from pellucid.operations.operation import Operation
from pellucid.surfaces import asking
from pellucid.surfaces.answers import told
from pellucid.surfaces.dashboard.view import ROOT, View
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.table import OPERATIONS

_ROWS: Mapping[str, Operation[Any, Any]] = {row.name: row for row in OPERATIONS if row.on.http}

_NAMED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of a form."""

    said: str
    """What the operation answers, as text."""
    after: str
    """The page to go on with."""
    again: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Of a preview: the form that does it."""


def act(view: View, name: str, form: Mapping[str, list[str]]) -> Acted:
    """Run the operation that a form names, on the form's fields; `next` says where to go on.

    `{recallId}` in it is that field of what the operation answers: then its page tells what came of the form.

    Raises:
        PellucidError: there is no such operation, the caller may not ask it, or it could not be run.
    """
    row, fields = _ROWS.get(name), {key: words for key, words in form.items() if any(words)}
    if row is None:
        raise unknown_place()
    after = next_place(fields.pop("next", [""])[0])
    if wrong := [each for each in fields if each not in asking.writable(row)]:
        raise InputError(f"{wrong[0]} is no field of {row.name}", code="unknown_field")
    call = view.call(row)
    if (beyond := asking.beyond(row, fields)) and not view.caller.may(row.access, "*"):
        raise InputError(f"{beyond[0]} is only for those who may do so everywhere", code="not_granted")
    asked = asking.asked(call, row, asking.from_words(row, fields))
    outcome = row.perform(call, asked)
    if failure := row.failure(outcome):
        raise failure
    is_preview = getattr(asked, "preview", False)
    made = _NAMED.sub(lambda found: quote(str(getattr(outcome, to_snake(found[1]), ""))), after)
    if made != after:
        return Acted("", made)
    said = told(row, outcome, asked, call, "text")
    return Acted(said, after, {**fields, "preview": ["false"], "next": [after]} if is_preview else {})


def next_place(where: str) -> str:
    """Where a form goes on: a page of ours, whatever the form says."""
    said = urlsplit(where)
    is_ours = not said.scheme and not said.netloc and said.path.startswith(f"{ROOT}/")
    return where if is_ours and not set(where) & set("\\\r\n") else f"{ROOT}/"
