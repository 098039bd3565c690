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
from pellucid.errors import InputError, PellucidError, field_name
from pellucid.model.access import Access
from pellucid.model.memory import SourceClass
from pellucid.model.wire import Wire
from pellucid.settings import Settings
from pellucid.store.history.telemetry_port import Surface
from pellucid.telemetry.watcher import MemorySpan, OperationDone
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
    """What a field of an input means, in words for every surface, and where its command-line flag is not the rule's.

    The rule: `--`, the field's name with dashes, of what may be repeated in the singular.
    """

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
        """The field's text is its description in a JSON schema, too."""
        return {**handler(schema), "description": f"false: {self.text}" if self.opposite else self.text}


class Argument(Flag):
    """A field that a command line takes by its place."""


class Words(Argument):
    """A text that a command line takes by its place, as so many words; it needs no quotes."""


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
    """What is at hand while an operation runs: the home (opened when it is first needed), and whom to tell how it goes.

    Args:
        settings: those of the call.
        opens: gives the opened home; whoever makes the call closes it.
        deadline: when it is given up; without one, never.
        progress: told how much is done, of how much.
        report: told about slow first-time work.
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
        """A call in a home that is open."""
        call = cls(app.settings, lambda: app, deadline=deadline or app.deadline)
        call.surface = app.surface
        return call

    @cached_property
    def app(self) -> App:
        """The home, opened, with the deadline of this call."""
        app = self._opens()
        work = replace(app.unit_of_work, deadline=self.deadline)
        return replace(app, deadline=self.deadline, surface=self.surface, unit_of_work=work)

    def tell_watchers(
        self, row: "Operation[Any, Any]", asked: Wire, outcome: object, began: int, error: Exception | None = None
    ) -> None:
        """Tell those who watch the home, if it was opened, that an operation is over; `began` is in nanoseconds."""
        if "app" not in self.__dict__ or not self.app.watchers:
            return
        is_trial = any(getattr(asked, each, False) for each in ("preview", "dry_run"))
        held, count = _memories_of(outcome)
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
        """The time in the home."""
        return self.app.clock.now()

    def input_of(self, kind: type[In], fields: Mapping[str, object]) -> In:
        """An input of these fields, and of those that the place of the call decides (`CONTEXT`).

        Most of these need the home: the first call opens it, which takes over edits of the vault, and so may write.

        Raises:
            InputError: a value is not allowed; names its field.
        """
        here = {name: fill(self) for name, fill in CONTEXT.items() if name in context_of(kind)}
        try:
            return kind(**{**here, **fields})
        except ValidationError as error:
            raise refusal(error, kind) from error


@dataclass(frozen=True, slots=True)
class Surfaces:
    """Where an operation is offered, and under which name there; empty: not there."""

    cli: str = ""
    """The words of its command."""
    http: tuple[str, ...] = ()
    """A method and a path each; what stands in braces is a field of the input."""
    mcp: str = ""
    """A tool, and behind a colon the mode of it that this is, where the tool has several."""


def _memories_of(outcome: object) -> tuple[list[tuple[str, str]], int | None]:
    """The memories that an answer names, with what they say where it tells that; or how many it counts."""
    named = getattr(outcome, "memory", None)
    several: Any = (named,) if named else getattr(outcome, "memories", ())
    if isinstance(several, int):
        return [], several
    held = [getattr(each, "memory", each) for each in several]
    return [(each.id, getattr(each, "content", "")) for each in held if hasattr(each, "id")], None


def _no_failure(_output: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Operation(Generic[In, Out]):
    """One thing that can be asked of Pellucid."""

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
    failure: Callable[[Out], PellucidError | None] = _no_failure
    """The error that an answer amounts to, if it does: said after the answer."""
    as_it_stands: bool = False
    """Edits of the vault are not taken over first: it looks at what is there, or makes it anew."""
    needs: Access | None = None
    """What a caller must have been granted, where that is another than its effect says."""

    span: MemorySpan | None = None
    """What it does to memories, as OpenTelemetry calls it, where a watcher is to be told; a recall tells by itself."""

    @property
    def access(self) -> Access:
        """What a caller must have been granted in the namespace; in every one, where the input names none."""
        return self.needs or ("read" if self.effect == "read" else "write")

    @property
    def gives_xray(self) -> bool:
        """Whether it answers with the explanation of a recall."""
        return getattr(self.output, "is_xray", False)

    @property
    def gives_secret(self) -> bool:
        """Whether its answer is to be kept nowhere, not even to be given again."""
        return getattr(self.output, "is_secret", False)

    def __call__(self, call: Call, **fields: object) -> Out:
        """Run it on these fields of its input.

        Raises:
            InputError: a value is not allowed; names its field.
        """
        return self.perform(call, call.input_of(self.input, fields))

    def perform(self, call: Call, asked: In) -> Out:
        """Run it on an input, and tell those who watch the home what came of it."""
        began = time_ns()
        try:
            outcome = self.run(call, asked)
        except Exception as error:
            call.tell_watchers(self, asked, None, began, error)
            raise
        call.tell_watchers(self, asked, outcome, began)
        return outcome


def context_of(kind: type[Wire]) -> Sequence[str]:
    """The fields of an input that the place of a call decides."""
    return [name for name, field in kind.model_fields.items() if name in CONTEXT and flag_of(field) is None]


def flag_of(field: FieldInfo) -> Flag | None:
    """What a field says of itself, if it does."""
    return next((each for each in field.metadata if isinstance(each, Flag)), None)


def spelled(kind: type[Wire], name: str) -> str:
    """The flag of an input's field."""
    field = kind.model_fields.get(name)
    flag = flag_of(field) if field else None
    if flag and flag.name:
        return flag.name
    many = field is not None and str(field.annotation).startswith(("tuple", "dict"))
    singular = (f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")) if many else name
    return f"--{singular.replace('_', '-')}"


def refusal(error: ValidationError, kind: type[Wire]) -> InputError:
    """What is not allowed: its field, what that expects, and what it got."""
    first = error.errors()[0]
    field, *within = (to_snake(str(each)) if at == 0 else each for at, each in enumerate(first["loc"] or ("",)))
    name = field_name(str(field)) if field else "the request"
    within = within[:-1] if within and isinstance(within[-1], int) else within  # an item is told by what was given
    name += "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in within)
    if first["type"] == "extra_forbidden":
        return InputError(f"{name} is no field of this call", next_step=_REFERENCE)
    if first["type"] == "missing":
        return InputError(f"{name} is required", code=f"missing_{field}", next_step=_REFERENCE)
    code = spelled(kind, str(field)).removeprefix("--").replace("-", "_")
    return InputError(
        f"{name} expects {expected(kind, first)}; got {shown_value(first['input'])}",
        code=f"invalid_{code or 'request'}",
        next_step=_REFERENCE,
    )


def shown_value(value: object) -> str:
    """A value that was given, as JSON has it; of a long one its beginning, of a list or an object that it is one."""
    if isinstance(value, str | int | float) or value is None:
        text = visible(json.dumps(value, ensure_ascii=False))
        return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    return "an object" if isinstance(value, dict) else "a list"


def expected(kind: type[BaseModel], wrong: ErrorDetails) -> str:
    """What may stand where a value is not allowed, in words: those of its own check, or read from the schema."""
    if wrong["type"] == "value_error":
        return wrong["msg"].removeprefix("Value error, ")
    schema: Any = kind.model_json_schema()
    definitions = schema.get("$defs", {})
    for part in wrong["loc"]:
        held: list[Any] = [each for each in _several(schema, definitions) if each.get("type") in ("object", "array")]
        schema = _within(held[0], part) if held else {}
    return " or ".join(dict.fromkeys(_in_words(each, definitions) for each in _several(schema, definitions)))


def _within(schema: Mapping[str, Any], part: int | str) -> Any:
    """The schema of a field or an item within a schema."""
    if isinstance(part, int):
        return schema.get("items", {})
    properties = schema.get("properties", {})
    return properties.get(part) or properties.get(to_camel(part)) or schema.get("additionalProperties", {})


def _several(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Any]:
    """The schemas of which a value must fit one; that it may be left out goes without saying."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return [each for part in schema.get("anyOf", ()) for each in _several(part, definitions) if each != _NOTHING] or [
        schema
    ]


def _in_words(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """What a schema allows, in words."""
    if one_of := schema.get("enum") or [schema["const"] for _ in "c" if "const" in schema]:
        return f"{'one of ' if len(one_of) > 1 else ''}{', '.join(map(str, one_of))}"
    kind = schema.get("type", "")
    if kind == "array":
        least = schema.get("minItems", 0)
        items = " or ".join(_in_words(each, definitions) for each in _several(schema.get("items", {}), definitions))
        return f"a list{f' of at least {least}' if least else ''}, each {items}"
    noun = "an ISO date or date-time" if schema.get("format") == "date-time" else _NOUNS.get(kind, "another value")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{noun} from {low:g} to {high:g}"
    return f"{noun} of at least {low:g}" if low is not None else f"{noun} of at most {high:g}" if high else noun
