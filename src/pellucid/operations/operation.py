"""What can be asked of Pellucid in, one row of the operations table out: every surface is derived from these rows.

An operation says what it is called, what it takes and gives, what it does to memories, and where it is offered. The
fields of its input say the rest: each has a `Flag` or an `Argument` with its text, or is filled from where the call is
made (`CONTEXT`). A field whose type is a `Path` names a file of the caller's machine.
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
"""What an operation does to memories; what is erased does not come back."""
Read = Callable[[str, datetime, str], object]
"""The words of a command line, what time it is and the field's name for an error in, a value out."""
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
"""What JSON Schema calls a value, in words."""
_REFERENCE = f"{field_name('help')} says what it takes"


@dataclass(frozen=True, slots=True)
class Flag:
    """Metadata of an input field: its description on every surface, and how its command-line flag differs from the
    default (`--`, the field's name with dashes; singular if repeatable)."""

    text: str
    name: str = ""
    """The flag, where it is another than the rule's."""
    opposite: bool = False
    """The flag says that the field is false."""
    reads: Read | None = None
    """How words become its value, where that takes more than its type."""
    as_words: bool = False
    """The words are the value: what reads them is the input, or whoever reads a file of that name."""
    shared: bool = False
    """Of many commands: such flags stand behind a command's own."""
    of_person: bool = False
    """It is a person's to say: what a program says in it is refused, and an agent is not offered it."""
    beyond: bool = False
    """It reaches beyond the namespace, or can have the owner's model asked: a server takes it of those alone who may do
    so everywhere, and an agent is not offered it."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Add the field's text to its JSON schema as the description, behind `false: ` if the flag is an opposite."""
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
"""Fields that no caller writes: where a call is made, and by whom, decides them."""


class Call:
    """What is at hand while an operation runs: the settings, the home and where to report progress.

    Args:
        settings: the settings of this call.
        opens: returns the opened home; whoever makes the call closes it.
        deadline: when the call is given up; never by default.
        progress: called with how much is done, and of how much.
        report: called with a sentence about slow first-time work.
    """

    def __init__(
        self,
        settings: Settings,
        opens: Callable[[], App],
        *,
        deadline: Deadline | None = None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
        report: Callable[[str], None] = lambda _said: None,
    ) -> None:
        self.settings = settings
        self.said_by: SourceClass = "manual"
        """Whose words the call brings: a person's, unless a surface for others says so."""
        self.surface: Surface = "python"
        """Where the call came in."""
        self.deadline = deadline or Deadline()
        self.progress = progress
        self.report = report
        self._opens = opens

    @classmethod
    def over(cls, app: App, deadline: Deadline | None = None) -> Self:
        """Make a call in a home that is already open, with its settings and surface; `deadline` None: with its
        deadline, too."""
        call = cls(app.settings, lambda: app, deadline=deadline or app.deadline)
        call.surface = app.surface
        return call

    @cached_property
    def app(self) -> App:
        """The home, with the deadline and surface of this call; opened on first access."""
        app = self._opens()
        work = replace(app.unit_of_work, deadline=self.deadline)
        return replace(app, deadline=self.deadline, surface=self.surface, unit_of_work=work)

    def tell_watchers(
        self, row: "Operation[Any, Any]", asked: Wire, outcome: object, began: int, error: Exception | None = None
    ) -> None:
        """Notify the home's watchers, if it was opened and has any, that an operation ended; `began` is in
        nanoseconds."""
        if "app" not in self.__dict__ or not self.app.watchers:
            return
        is_trial = any(getattr(asked, each, False) for each in ("preview", "dry_run"))
        held, count = _memories_in(outcome)
        done = OperationDone(
            row.name,
            began,
            time_ns(),
            namespace=getattr(asked, "namespace", ""),
            session_id=getattr(asked, "session_id", None),
            agent=getattr(asked, "agent", None),
            span=None if is_trial else row.span,
            memories=held,
            count=count,
            error=error,
        )
        for each in self.app.watchers:
            each.performed(done)

    def now(self) -> datetime:
        """Return the current time by the home's clock; opens the home."""
        return self.app.clock.now()

    def input_of(self, kind: type[In], fields: Mapping[str, object]) -> In:
        """Validate fields as an input of type `kind`, adding those that the call decides (`CONTEXT`); given ones come
        first. InputError if they do not fit.

        The latter may open the home, which takes over edits of the vault, and so may write.
        """
        here = {name: fill(self) for name, fill in CONTEXT.items() if name in context_fields(kind)}
        try:
            return kind(**{**here, **fields})
        except ValidationError as error:
            raise input_error_of(error, kind) from error


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Where an operation is offered and under which name; an empty one: not there."""

    cli: str = ""
    """The words of its command."""
    http: tuple[str, ...] = ()
    """A method and a path each; what stands in braces is a field of the input."""
    mcp: str = ""
    """A tool, and behind a colon the mode of it that this is, where the tool has several."""


def _memories_in(outcome: object) -> tuple[list[tuple[str, str]], int | None]:
    """Return (id, content) of the memories in an operation's output, and None; if it only counts them, nothing and that
    count."""
    named = getattr(outcome, "memory", None)
    several: Any = (named,) if named else getattr(outcome, "memories", ())
    if isinstance(several, int):
        return [], several
    held = [getattr(each, "memory", each) for each in several]
    return [(each.id, getattr(each, "content", "")) for each in held if hasattr(each, "id")], None


@dataclass(frozen=True, slots=True)
class Operation(Generic[In, Out]):
    """A row of the operations table: one thing that can be asked of Pellucid."""

    name: str
    """`noun.verb`; the only name."""
    text: str
    """What it does: one sentence of up to sixty characters that stands in lists, then the rest."""
    input: type[In]
    output: type[Out] | UnionType
    """What `run` answers with: a record (`Wire`), one of several, or `Iterator[str]`, which is lines as they come."""
    run: Callable[[Call, In], Out]
    effect: Effect
    on: Surfaces
    failure: Callable[[Out], PellucidError | None] = lambda _output: None
    """The error that an answer amounts to, if it does: said after the answer."""
    as_it_stands: bool = False
    """Edits of the vault are not taken over first: it looks at what is there, or makes it anew."""
    needs: Access | None = None
    """What a caller must have been granted, where that is another than its effect says."""

    span: MemorySpan | None = None
    """What it does to memories, as OpenTelemetry calls it, where a watcher is to be told; a recall tells by itself."""

    @property
    def access(self) -> Access:
        """The access a caller needs in the input's namespace, or in every one if the input has no namespace."""
        return self.needs or ("read" if self.effect == "read" else "write")

    @property
    def gives_xray(self) -> bool:
        """Whether the output is the explanation of a recall, as its type says."""
        return getattr(self.output, "is_xray", False)

    @property
    def gives_secret(self) -> bool:
        """Whether the output is a secret: it must not be stored, not even to be repeated."""
        return getattr(self.output, "is_secret", False)

    def __call__(self, call: Call, **fields: object) -> Out:
        """Validate these fields as the operation's input (InputError if they do not fit) and run it."""
        return self.perform(call, call.input_of(self.input, fields))

    def perform(self, call: Call, asked: In) -> Out:
        """Run the operation on a validated input, and notify the home's watchers of its output or error."""
        began = time_ns()
        try:
            outcome = self.run(call, asked)
        except Exception as error:
            call.tell_watchers(self, asked, None, began, error)
            raise
        call.tell_watchers(self, asked, outcome, began)
        return outcome


def problems_error(count: int) -> UnhealthyError | None:
    """Return the error of a check that found `count` problems; None for 0."""
    if not count:
        return None
    return UnhealthyError(counted(count, "problem", "problems"), next_step="each line above says what to do")


def context_fields(kind: type[Wire]) -> Sequence[str]:
    """Return the names of an input's fields that the call fills in (`CONTEXT`)."""
    return [name for name, field in kind.model_fields.items() if name in CONTEXT and flag_of(field) is None]


def flag_of(field: FieldInfo) -> Flag | None:
    """Return the flag or argument metadata of an input's field; None if it has none."""
    return next((each for each in field.metadata if isinstance(each, Flag)), None)


def flag_name(kind: type[Wire], name: str) -> str:
    """Return the command-line flag of an input's field: its own, else its name as `--top-k`, singular if repeatable."""
    field = kind.model_fields.get(name)
    flag = flag_of(field) if field else None
    if flag and flag.name:
        return flag.name
    many = field is not None and str(field.annotation).startswith(("tuple", "dict"))
    singular = (f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")) if many else name
    return f"--{singular.replace('_', '-')}"


def input_error_of(error: ValidationError, kind: type[Wire]) -> InputError:
    """Turn the first error of a validation into an input error: the field, what it expects and what it got; or that the
    field is missing or unknown."""
    first = error.errors()[0]
    field, *within = (to_snake(str(each)) if at == 0 else each for at, each in enumerate(first["loc"] or ("",)))
    name = field_name(str(field)) if field else "the request"
    within = within[:-1] if within and isinstance(within[-1], int) else within  # an item is told by what was given
    name += "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in within)
    if first["type"] == "extra_forbidden":
        return InputError(f"{name} is no field of this call", next_step=_REFERENCE)
    if first["type"] == "missing":
        return InputError(f"{name} is required", code=f"missing_{field}", next_step=_REFERENCE)
    code = flag_name(kind, str(field)).removeprefix("--").replace("-", "_")
    return InputError(
        f"{name} expects {expectation_in_words(kind, first)}; got {short_json(first['input'])}",
        code=f"invalid_{code or 'request'}",
        next_step=_REFERENCE,
    )


def short_json(value: object) -> str:
    """Render a given value for an error message: a text, number or None as JSON, cut to 80 characters; "an object" for
    a dict, "a list" for all else."""
    if isinstance(value, str | int | float) or value is None:
        text = visible(json.dumps(value, ensure_ascii=False))
        return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    return "an object" if isinstance(value, dict) else "a list"


def expectation_in_words(kind: type[BaseModel], wrong: ErrorDetails) -> str:
    """Say which values the field of a validation error accepts: from its own check or the JSON schema of `kind`."""
    if wrong["type"] == "value_error":
        return wrong["msg"].removeprefix("Value error, ")
    schema: Any = kind.model_json_schema()
    defs = schema.get("$defs", {})
    for part in wrong["loc"]:
        nested: list[Any] = [each for each in _alternatives(schema, defs) if each.get("type") in ("object", "array")]
        schema = _schema_at(nested[0], part) if nested else {}
    return " or ".join(dict.fromkeys(_schema_in_words(each, defs) for each in _alternatives(schema, defs)))


def _schema_at(schema: Mapping[str, Any], part: int | str) -> Any:
    """Return the schema of a field (by name) or item (by index) within an object's or array's schema; {} if none."""
    if isinstance(part, int):
        return schema.get("items", {})
    properties = schema.get("properties", {})
    return properties.get(part) or properties.get(to_camel(part)) or schema.get("additionalProperties", {})


def _alternatives(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[Any]:
    """Resolve a schema's `$ref` and `anyOf` into the schemas of which a value must fit one; null is left out, unless
    alone."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    parts = schema.get("anyOf", ())
    return [each for part in parts for each in _alternatives(part, defs) if each != _NOTHING] or [schema]


def _schema_in_words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """Say which values a JSON schema accepts, such as "a whole number from 1 to 10"; "another value" for an unknown
    type."""
    if one_of := schema.get("enum") or [schema["const"] for _ in "c" if "const" in schema]:
        return f"{'one of ' if len(one_of) > 1 else ''}{', '.join(map(str, one_of))}"
    kind = schema.get("type", "")
    if kind == "array":
        least = schema.get("minItems", 0)
        items = " or ".join(_schema_in_words(each, defs) for each in _alternatives(schema.get("items", {}), defs))
        return f"a list{f' of at least {least}' if least else ''}, each {items}"
    noun = "an ISO date or date-time" if schema.get("format") == "date-time" else _NOUNS.get(kind, "another value")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{noun} from {low:g} to {high:g}"
    if low is not None:
        return f"{noun} of at least {low:g}"
    return f"{noun} of at most {high:g}" if high is not None else noun
