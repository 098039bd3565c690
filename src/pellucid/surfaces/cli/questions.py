"""A question and what was typed beside it in, a recall, its explanation or why a memory came or not, told out."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import InputError, NotFoundError
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import is_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.recall.legs.review import names_files
from pellucid.recall.query.plan import clean
from pellucid.surfaces.answers import answer_text, without_snapshot
from pellucid.surfaces.cli import performing
from pellucid.surfaces.cli.acts import Given, Own, Row
from pellucid.surfaces.cli.derived import Parameter, values
from pellucid.surfaces.cli.out_file import deliver, out_file
from pellucid.surfaces.cli.session import write

if TYPE_CHECKING:
    from pellucid.xray.render.formats import Format

_QUERY = Parameter("query", "The question, in words.", many=True)
_REVIEW = Parameter("review", "The file of a diff or of a list of files; - is standard input.", flag="--review")
_RENDERED = (
    Parameter("format", "text, markdown, json or html.", flag="--format", default="text"),
    Parameter("out", "Write it to this file; - is standard output.", flag="--out"),
)
_VERBOSE = Parameter(
    "verbose", "Also show what goes without saying: idle legs, zero terms, every rung.", "switch", "--verbose"
)


def _question(call: Call, given: Given, query: str) -> RecallInput:
    """The question that the flags ask."""
    return call.input_of(RecallInput, {**_with_review(values(RecallInput, given, call.now)), "query": clean(query)})


def _with_review(fields: dict[str, object]) -> dict[str, object]:
    """With the diff or the list of files that `--review` holds, or, where it holds neither, that file."""
    if path := fields.get("review"):
        text = _read_text(str(path))
        fields["review"] = text if path == "-" or names_files(text) else path
    return fields


def _read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
    except OSError as error:
        raise InputError(f"--review: {path} cannot be read: {error.strerror}", next_step="name a file") from error
    return raw.decode("utf-8", "replace")


def recall(row: Row, given: Given) -> None:
    """Print a recall's context, and beneath it how sure the answer is."""
    with performing.opened_for(row, given) as call:
        asked = _question(call, given, " ".join(given["query"] or ()))
        outcome = row.perform(call, asked)
        performing.print_answer(row, outcome, asked, call, as_json=given["as_json"], verbose=given["verbose"])


def xray(row: Row, given: Given) -> None:
    """Print the explanation of a recall made now, or of an earlier one, whose id may stand where a question does."""
    words = " ".join(given["query"] or ()).strip()
    recall_id = given["recall_id"] or (words if is_recall(words) else None)
    if not (recall_id or words):
        raise InputError(
            "xray: <query> is required and must be non-empty",
            code="missing_query",
            next_step="say what to recall, in quotes",
        )
    named = {"recall_id": recall_id, "align": given["align"], "turned_away": given["turned_away"]}
    _deliver_xray(row, given, lambda call: {**named, "question": None if recall_id else _question(call, given, words)})


def explain(row: Row, given: Given) -> None:
    """The explanation of the last recall."""
    _deliver_xray(row, given, lambda call: values(row.input, given, call.now))


def _deliver_xray(row: Row, given: Given, fields: Callable[[Call], Mapping[str, object]]) -> None:
    """An explanation; where there is none, that it is not there, as every surface says it, and then why."""
    form, target = _format_named(given), out_file(given["out"])
    with performing.opened_for(row, given) as call:
        try:
            found = row(call, **fields(call))
        except NotFoundError as error:
            if target is None:
                write(without_snapshot(row, error, form) or "")
            raise
        deliver(answer_text(row, found, None, call, form, verbose=given["verbose"]), target, call.settings.home)


def _format_named(given: Given) -> "Format":
    """One of the formats there are, in any case."""
    from pellucid.xray.render.formats import RENDERERS

    asked = "json" if given["as_json"] else given["format"].strip().lower()
    for known in RENDERERS:
        if known == asked:
            return known
    raise InputError(
        f"--format expects one of {', '.join(RENDERERS)}; got {json.dumps(given['format'], ensure_ascii=False)}",
        code="invalid_format",
        next_step="name one of them, or leave it out for text",
    )


def why(row: Row, given: Given) -> None:
    """Print why a memory was recalled or not; words behind it are the question, unless a flag gives one."""
    memory, further, query = given["memory"], " ".join(given["question"] or ()), given["query"]
    placed = {"home", "namespace", "as_json", "memory", "question", "query", "recall_id"}
    if given["recall_id"] is not None and any(value for name, value in given.items() if name not in placed):
        raise InputError(
            "--recall explains a recall as it was: nothing may differ", next_step="drop the other flags, or ask anew"
        )
    if query is not None or given["recall_id"] is not None:
        memory = f"{memory} {further}"
    else:
        query = further or None
    with performing.opened_for(row, given) as call:
        question = None if query is None else _question(call, given, query)
        asked = call.input_of(row.input, {"memory": memory, "question": question, "recall_id": given["recall_id"]})
        performing.print_answer(row, row.perform(call, asked), asked, call, as_json=given["as_json"])


QUESTIONS: Mapping[str, Own] = {
    "recall": Own(
        recall,
        (_QUERY, _REVIEW, Parameter("verbose", "Also name what was not verified for long.", "switch", "--verbose")),
    ),
    "xray": Own(xray, (_QUERY, _REVIEW, *_RENDERED, _VERBOSE), inputs=(RecallInput,)),
    "explain": Own(explain, (*_RENDERED, _VERBOSE)),
    "why": Own(
        why,
        (
            _REVIEW,
            Parameter("question", "The question; it is asked now.", many=True),
            Parameter("query", "The question, in place of the second argument.", flag="--query"),
        ),
        inputs=(RecallInput,),
    ),
}
"""By the words of the command."""
