"""A question and its flags in; a recall, its explanation, or why a memory was recalled or not, printed out."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import InputError, NotFoundError, bare_step
from pellucid.operations.operation import Call
from pellucid.operations.recall.recall_names import is_recall_name
from pellucid.operations.recall.request import RecallInput
from pellucid.recall.legs.review import review_of_file
from pellucid.recall.query.plan import clean
from pellucid.surfaces.answers import answer_text, missing_xray_text
from pellucid.surfaces.cli import running
from pellucid.surfaces.cli.out_file import deliver, out_file
from pellucid.surfaces.cli.running import Args, Own, Row, field_values
from pellucid.surfaces.cli.session import note, write
from pellucid.surfaces.command_line import Parameter

if TYPE_CHECKING:
    from pellucid.xray.render.formats import Format

_QUERY = Parameter("query", "The question, in words.", many=True)
_REVIEW = Parameter("review", "A file, a diff, or a list of files; - is standard input.", flag="--review")
_RENDERED = (
    Parameter("format", "text, markdown, json or html.", flag="--format", default="text"),
    Parameter("out", "Write it to this file; - is standard output.", flag="--out"),
)
_VERBOSE = Parameter(
    "verbose", "Also show what goes without saying: idle legs, zero terms, every rung.", "switch", "--verbose"
)


def _recall_fields(call: Call, args: Args, query: str) -> dict[str, object]:
    """Return the fields of a recall's input: the query, cleaned, and the values of the flags. `review` names a file,
    and becomes what is to be reviewed: a diff, a list of files, or that file. `InputError` if the query is empty or too
    long, or the file cannot be read.
    """
    fields = field_values(RecallInput, args, call.now)
    if path := fields.get("review"):
        text = _read_text(str(path))
        fields["review"] = text if path == "-" else review_of_file(str(path), text)
    return {**fields, "query": clean(query)}


def _question(call: Call, args: Args, query: str) -> RecallInput:
    """Return the input of a recall with a query and the flags; `InputError` as for `_recall_fields`, or for a wrong
    value.
    """
    return call.input_of(RecallInput, _recall_fields(call, args, query))


def _read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`; bytes that are not UTF-8 become U+FFFD; `InputError` if
    it cannot be read.
    """
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: the home of a user whom nobody knows
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"--review: {path} cannot be read: {why}", next_step="name a file") from error
    return raw.decode("utf-8", "replace")


def recall(row: Row, args: Args) -> None:
    """Run a recall with the question in `args` and print its context and how sure the answer is, or with `--json` the
    answer as JSON; errors as of `_recall_fields`.
    """
    query = " ".join(args["query"] or ())
    running.run_and_print(row, args, lambda call: _recall_fields(call, args, query), verbose=args["verbose"])


def xray(row: Row, args: Args) -> None:
    """Print or write the X-ray (explanation) of a recall made now, or of an earlier one.

    The earlier one is that of `--id`, beside which a query is ignored, or the id, `last` or `last~N` in place of a
    query. `InputError` if there is neither an id nor a query, which is checked before a home is opened.
    """
    words = " ".join(args["query"] or ()).strip()
    recall_id = args["recall_id"] or (words if is_recall_name(words) else None)
    if not (recall_id or words):
        raise InputError(
            "xray: <query> is required and must be non-empty",
            code="missing_query",
            next_step="say what to recall, in quotes",
        )
    # by hand, not by `field_values`: the words are an id or a question, and only one of these has fields of its own
    explained = {"recall_id": recall_id, "align": args["align"], "turned_away": args["turned_away"]}
    _deliver_xray(
        row, args, lambda call: {**explained, "question": None if recall_id else _question(call, args, words)}
    )


def explain(row: Row, args: Args) -> None:
    """Print or write the X-ray (explanation) of the last recall, of the session in `args` if one is named; errors as of
    `_deliver_xray`.
    """
    _deliver_xray(row, args, lambda call: field_values(row.input, args, call.now))


def _deliver_xray(row: Row, args: Args, fields: Callable[[Call], Mapping[str, object]]) -> None:
    """Print an X-ray, or write it to the file of `--out`, in the format that the flags name; `fields` makes the fields
    of the input of the operation `row`. Beside a text that is printed, a note on standard error tells how to ask `why`.

    `InputError` for a wrong format or file. If the recall does not exist, `NotFoundError` is raised; without an `--out`
    file, the text that there is no such X-ray is printed first.
    """
    form, target = _parse_format(args), out_file(args["out"])
    with running.open_call(row, args) as call:
        try:
            xray = row(call, **fields(call))
        except NotFoundError as error:
            if target is None:
                write(missing_xray_text(row, error, form) or "")
            raise
        deliver(answer_text(row, xray, None, call, form, verbose=args["verbose"]), target, call.settings.home)
        if form == "text" and target is None:  # beside it: the text itself is the same bytes on every surface
            note(
                f"why one memory is here or not: {bare_step('memory.why', memory='MEMORY', recall_id=xray.snapshot_id)}"
            )


def _parse_format(args: Args) -> "Format":
    """Return the format of an X-ray (a recall's explanation): `json` with `--json`, else that of `--format`, in upper
    or lower case; `InputError` if there is no such format.
    """
    from pellucid.xray.render.formats import RENDERERS

    requested = "json" if args["as_json"] else args["format"].strip().lower()
    for format_name in RENDERERS:
        if format_name == requested:
            return format_name
    raise InputError(
        f"--format expects one of {', '.join(RENDERERS)}; got {json.dumps(args['format'], ensure_ascii=False)}",
        code="invalid_format",
        next_step="name one of them, or leave it out for text",
    )


def why(row: Row, args: Args) -> None:
    """Print why a memory was recalled or not; `args["memory"]` describes it. Further arguments are the question; with
    `--query` or `--recall`, they belong to the description of the memory. `InputError` for `--recall` beside flags that
    would change the recall.
    """
    memory, further, query = args["memory"], " ".join(args["question"] or ()), args["query"]
    allowed_names = {"home", "namespace", "as_json", "memory", "question", "query", "recall_id"}
    if args["recall_id"] is not None and any(value for name, value in args.items() if name not in allowed_names):
        raise InputError(
            "--recall explains a recall as it was: nothing may differ", next_step="drop the other flags, or ask anew"
        )
    if query is not None or args["recall_id"] is not None:
        memory = f"{memory} {further}"
    else:
        query = further or None

    def fields_of_why(call: Call) -> dict[str, object]:
        """Return the fields of the input of `why`; `question` is the RecallInput of the query, None without a query."""
        question = None if query is None else _question(call, args, query)
        return {"memory": memory, "question": question, "recall_id": args["recall_id"]}

    running.run_and_print(row, args, fields_of_why)


OWN: Mapping[str, Own] = {
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
"""Maps the words of a command to its code."""
