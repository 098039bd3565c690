"""One thing Pellucid can do in, one row of the operations table out: every surface is derived from these rows.

A row has the operation's name, its input and output, its effect on memories, and the surfaces that offer it. Each field
of the input has a `Flag` or an `Argument` with its text, or is filled in by the call (`CONTEXT`). A field whose type is
a `Path` names a file of the caller's machine.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from time import time_ns
from types import UnionType
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler, ValidationError
from pydantic.alias_generators import to_camel, to_snake
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails

from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.errors import InputError, PellucidError, UnhealthyError, field_name
from pellucid.model.access import Access
from pellucid.model.memory import SourceClass
from pellucid.model.wire import Wire
from pellucid.settings import Settings
from pellucid.store.history.telemetry_port import Surface
from pellucid.telemetry.watcher import MemorySpan, OperationDone
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

Effect = Literal["read", "append", "change", "erase"]
"""What an operation does to memories; erased memories do not come back."""
Read = Callable[[str, datetime, str], object]
"""A function that parses a flag's words; its other arguments are the current time and the field's name for an error."""
In = TypeVar("In", bound=Wire)
Out = TypeVar("Out")
_SHOWN_CHARS = 80
_NOTHING = {"type": "null"}
_NOUNS: Mapping[str, str] = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "object": "an object",
}
"""Maps the types of JSON Schema to words."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Metadata of an input field: its description on every surface, and how its command-line flag differs from the
    default (`--`, the field's name with dashes; singular if repeatable)."""

    text: str
    name: str = ""
    """The flag, if it differs from the default."""
    opposite: bool = False
    """Giving the flag sets the field to false."""
    reads: Read | None = None
    """The parser of the flag's words, if the field's type is not enough to parse them."""
    as_words: bool = False
    """The command line passes the words on unparsed: the input parses them, or whoever reads a file of that name."""
    shared: bool = False
    """Many commands have this flag: help lists it after a command's own flags."""
    of_person: bool = False
    """Only a person is allowed to set this field: a program's value is refused, and no agent is offered the field."""
    beyond: bool = False
    """The field reaches beyond the namespace, or can make the owner's model be asked: a server takes it only from
    callers that are allowed to do so everywhere, and no agent is offered the field."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Add the field's text to its JSON schema as the description, after `false: ` if the flag is an opposite."""
        return {**handler(schema), "description": f"false: {self.text}" if self.opposite else self.text}


class Argument(Flag):
    """A field that the command line takes as a positional argument."""


class Words(Argument):
    """A positional text argument that takes all remaining words of the command line, without quotes."""


MemoryId = Annotated[str, Argument("A memory's id, its last ten digits, or its path.")]
MemoryIds = Annotated[tuple[str, ...], Argument("Memories: ids, their last ten digits, or paths.")]
RecallId = Annotated[str, Argument("A recall's id (rec_…).")]
Session = Annotated[str | None, Flag("The session this belongs to.", name="--session", shared=True)]
Agent = Annotated[str | None, Flag("The agent that asks.", shared=True)]
Scopes = Annotated[tuple[str, ...], Flag("A context scope of the caller.", shared=True)]
DryRun = Annotated[bool, Flag("Say what a pass would do, and write nothing.")]
Limit = Annotated[int, Flag("How many to show.")]

CONTEXT: Mapping[str, Callable[["Call"], object]] = {
    "namespace": lambda call: call.app.settings.namespace,
    "by_folder": lambda call: not call.app.settings.namespace_is_given,
    "also": lambda call: call.app.also,
    "said_by": lambda call: call.said_by,
}
"""Maps the input fields that no caller writes to functions that fill them in, from where and by whom a call is made."""


class Call:
    """The context in which an operation runs: the settings, the home and where to report progress.

    Args:
        settings: the settings of this call.
        open_home: returns the opened home; whoever makes the call closes the home.
        deadline: when the call is given up; never by default.
        progress: called with the number of items that are done, and the number of all.
        report: called with a sentence about slow first-time work.
    """

    def __init__(
        self,
        settings: Settings,
        open_home: Callable[[], App],
        *,
        deadline: Deadline | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        report: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.settings = settings
        self.said_by: SourceClass = "manual"
        """The source of the call's words: a person, unless a surface for programs sets another source."""
        self.surface: Surface = "python"
        """The interface that the call came through."""
        self.deadline = deadline or Deadline()
        self.progress = progress
        self.report = report
        self._open_home = open_home

    @classmethod
    def over(cls, app: App, deadline: Deadline | None = None) -> Self:
        """Make a call in a home that is already open, with the home's settings and surface, and with the home's
        deadline if `deadline` is None."""
        call = cls(app.settings, lambda: app, deadline=deadline or app.deadline)
        call.surface = app.surface
        return call

    @cached_property
    def app(self) -> App:
        """The home, with the deadline and surface of this call; opened on first access."""
        app = self._open_home()
        work = replace(app.unit_of_work, deadline=self.deadline)
        return replace(app, deadline=self.deadline, surface=self.surface, unit_of_work=work)

    def tell_watchers(
        self, row: "Operation[Any, Any]", asked: Wire, outcome: object, began_ns: int, error: Exception | None = None
    ) -> None:
        """Notify the home's watchers that operation `row` on the input `asked` ended with the output `outcome`, or with
        `error`; do nothing if the home was not opened. `began_ns` is the start in epoch nanoseconds."""
        if "app" not in self.__dict__ or not self.app.watchers:
            return
        is_trial = any(getattr(asked, each, False) for each in ("preview", "dry_run"))
        memories, count = _memories_in(outcome)
        done = OperationDone(
            row.name,
            began_ns,
            time_ns(),
            namespace=getattr(asked, "namespace", ""),
            session_id=getattr(asked, "session_id", None),
            agent=getattr(asked, "agent", None),
            span=None if is_trial else row.span,
            memories=memories,
            count=count,
            error=error,
        )
        for watcher in self.app.watchers:
            watcher.performed(done)

    def now(self) -> datetime:
        """Return the current time by the home's clock; opens the home."""
        return self.app.clock.now()

    def input_of(self, kind: type[In], fields: Mapping[str, object]) -> In:
        """Make an input of type `kind` from `fields`, adding the fields that the call fills in (`CONTEXT`), unless
        `fields` has them. InputError if a value is not valid.

        Filling in can open the home, which takes over edits of the vault, and so can write.
        """
        filled_in = {name: fill(self) for name, fill in CONTEXT.items() if name in context_fields(kind)}
        try:
            return kind(**{**filled_in, **fields})
        except ValidationError as error:
            raise input_error_of(error, kind) from error


@dataclass(frozen=True, slots=True)
class Surfaces:
    """The names of an operation on each surface; empty if the surface does not offer it."""

    cli: str = ""
    """The words of its command."""
    http: tuple[str, ...] = ()
    """Its routes, each a method and a path; a name in braces is a field of the input."""
    mcp: str = ""
    """Its tool and, if the tool has several modes, after a colon its mode."""


def _memories_in(outcome: object) -> tuple[list[tuple[str, str]], int | None]:
    """Return pairs (id, content) of the memories in an operation's output, and None; if the output only counts its
    memories, an empty list and the count."""
    single = getattr(outcome, "memory", None)
    several: Any = (single,) if single else getattr(outcome, "memories", ())
    if isinstance(several, int):
        return [], several
    memories = [getattr(each, "memory", each) for each in several]
    return [(each.id, getattr(each, "content", "")) for each in memories if hasattr(each, "id")], None


@dataclass(frozen=True, slots=True)
class Operation(Generic[In, Out]):
    """A row of the operations table: one thing that Pellucid can do."""

    name: str
    """`noun.verb`, the same on every surface."""
    text: str
    """Its help: one sentence of up to sixty characters for lists, then the rest."""
    input: type[In]
    output: type[Out] | UnionType
    """The type of the answer: a record (`Wire`), one of several, or `Iterator[str]` for lines as they come."""
    run: Callable[[Call, In], Out]
    effect: Effect
    on: Surfaces
    failure: Callable[[Out], PellucidError | None] = lambda _output: None
    """Returns the error that is raised after an answer was shown, such as when a check found problems; else None."""
    as_it_stands: bool = False
    """Edits of the vault are not taken over before it runs."""
    needs: Access | None = None
    """The access that a caller must have, if it differs from the access that the effect implies."""

    span: MemorySpan | None = None
    """OpenTelemetry's name for its effect on memories; None if watchers are not told (a recall tells them itself)."""

    @property
    def access(self) -> Access:
        """Return the access that a caller needs in the input's namespace; in every namespace if the input has none."""
        return self.needs or ("read" if self.effect == "read" else "write")

    @property
    def gives_xray(self) -> bool:
        """Whether the output is the explanation of a recall, as its type says."""
        return getattr(self.output, "is_xray", False)

    @property
    def gives_secret(self) -> bool:
        """Whether the output is a secret, which must not be stored, not even to answer a repeated request."""
        return getattr(self.output, "is_secret", False)

    def __call__(self, call: Call, **fields: object) -> Out:
        """Make the operation's input of `fields` (InputError if a value is not valid), run it and return its output."""
        return self.perform(call, call.input_of(self.input, fields))

    def perform(self, call: Call, asked: In, run: Callable[[Call, In], Out] | None = None) -> Out:
        """Run the operation on the validated input `asked`, notify the home's watchers of the output or error, and
        return the output. `run` takes the place of the operation's own function, for a surface that reads a stream."""
        began_ns = time_ns()
        try:
            outcome = (run or self.run)(call, asked)
        except Exception as error:
            call.tell_watchers(self, asked, None, began_ns, error)
            raise
        call.tell_watchers(self, asked, outcome, began_ns)
        return outcome


def problems_error(count: int) -> UnhealthyError | None:
    """Return the error for a check that found `count` problems; None if `count` is 0."""
    if not count:
        return None
    return UnhealthyError(counted(count, "problem", "problems"), next_step="each line above says what to do")


def context_fields(kind: type[Wire]) -> Sequence[str]:
    """Return the names of the fields of input type `kind` that the call fills in (`CONTEXT`)."""
    return [name for name, field in kind.model_fields.items() if name in CONTEXT and flag_of(field) is None]


def flag_of(field: FieldInfo) -> Flag | None:
    """Return the flag or argument metadata of an input's field; None if the field has no such metadata."""
    return next((each for each in field.metadata if isinstance(each, Flag)), None)


def flag_name(kind: type[Wire], name: str) -> str:
    """Return the command-line flag of field `name` of input type `kind`: the field's own flag if it has one, else made
    from the field's name, such as `--top-k`, in the singular if the flag is repeatable."""
    field = kind.model_fields.get(name)
    flag = flag_of(field) if field else None
    if flag and flag.name:
        return flag.name
    many = field is not None and str(field.annotation).startswith(("tuple", "dict"))
    singular = (f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")) if many else name
    return f"--{singular.replace('_', '-')}"


def input_error_of(error: ValidationError, kind: type[Wire]) -> InputError:
    """Turn the first error of a validation of `kind` into an input error. Its message names the field, the values that
    the field accepts and the value that came; or says that the field is missing or unknown."""
    first, reference = error.errors()[0], f"{field_name('help')} says what it takes"
    field, *within = (to_snake(str(each)) if at == 0 else each for at, each in enumerate(first["loc"] or ("",)))
    name = field_name(str(field)) if field else "the request"
    within = within[:-1] if within and isinstance(within[-1], int) else within  # the message shows the item itself
    name += "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in within)
    if first["type"] == "extra_forbidden":
        return InputError(f"{name} is no field of this call", next_step=reference)
    if first["type"] == "missing":
        return InputError(f"{name} is required", code=f"missing_{field}", next_step=reference)
    code = flag_name(kind, str(field)).removeprefix("--").replace("-", "_")
    return InputError(
        f"{name} expects {expectation_in_words(kind, first)}; got {short_json(first['input'])}",
        code=f"invalid_{code or 'request'}",
        next_step=reference,
    )


def short_json(value: object) -> str:
    """Render a caller's value for an error message: a text, number or None as JSON, cut to 80 characters; a dict as
    "an object", anything else as "a list"."""
    if isinstance(value, str | int | float) or value is None:
        text = visible(json.dumps(value, ensure_ascii=False))
        return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    return "an object" if isinstance(value, dict) else "a list"


def expectation_in_words(kind: type[BaseModel], detail: ErrorDetails) -> str:
    """Say which values the field of a validation error accepts, by the message of the field's own check or by the JSON
    schema of `kind`."""
    if detail["type"] == "value_error":
        return detail["msg"].removeprefix("Value error, ")
    schema: Any = kind.model_json_schema()
    defs = schema.get("$defs", {})
    for part in detail["loc"]:
        nested: list[Any] = [each for each in _alternatives(schema, defs) if each.get("type") in ("object", "array")]
        schema = _schema_at(nested[0], part) if nested else {}
    return " or ".join(dict.fromkeys(_schema_in_words(each, defs) for each in _alternatives(schema, defs)))


def _schema_at(schema: Mapping[str, Any], part: int | str) -> Any:
    """Return the schema of a field (`part` is its name) or of an item (`part` is its index) within the schema of an
    object or array; {} if the field has no schema."""
    if isinstance(part, int):
        return schema.get("items", {})
    properties = schema.get("properties", {})
    return properties.get(part) or properties.get(to_camel(part)) or schema.get("additionalProperties", {})


def _alternatives(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[Any]:
    """Resolve a schema's `$ref` and `anyOf` into the list of schemas of which a value must match at least one. The
    schema of null is left out unless it is the only one; `defs` maps the names of references to schemas."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    parts = schema.get("anyOf", ())
    return [each for part in parts for each in _alternatives(part, defs) if each != _NOTHING] or [schema]


def _schema_in_words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """Say which values a JSON schema accepts, such as "a whole number from 1 to 10"; "another value" if its type is
    unknown. `defs` maps the names of references to schemas."""
    if one_of := schema.get("enum") or [schema["const"] for _ in "c" if "const" in schema]:
        return f"{'one of ' if len(one_of) > 1 else ''}{', '.join(map(str, one_of))}"
    kind = schema.get("type", "")
    if kind == "array":
        min_count = schema.get("minItems", 0)
        items = " or ".join(_schema_in_words(each, defs) for each in _alternatives(schema.get("items", {}), defs))
        return f"a list{f' of at least {min_count}' if min_count else ''}, each {items}"
    noun = "an ISO date or date-time" if schema.get("format") == "date-time" else _NOUNS.get(kind, "another value")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{noun} from {low:g} to {high:g}"
    if low is not None:
        return f"{noun} of at least {low:g}"
    return f"{noun} of at most {high:g}" if high is not None else noun
