"""One thing Pellucid can do in, one row of the operations table out: every surface is derived from these rows.

A row has the operation's name, its input and output, its effect on memories, and the surfaces that offer it. Each field
of the input has a `Flag` or an `Argument` with its text, or is filled in by the call (`CONTEXT`). A field whose type is
a `Path` names a file of the caller's machine.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, wraps
from time import time_ns
from types import UnionType
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import GetJsonSchemaHandler, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.errors import InputError, PellucidError, UnhealthyError, field_name
from pellucid.model.access import Access
from pellucid.model.memory import SourceClass
from pellucid.model.wire import Wire
from pellucid.operations.expectations import expectation_in_words, short_json
from pellucid.settings import Settings
from pellucid.store.history.telemetry_port import Surface
from pellucid.telemetry.watcher import MemorySpan, OperationDone
from pellucid.xray.words.numbers import counted

Effect = Literal["read", "append", "change", "erase"]
"""What an operation does to memories; erased memories do not come back."""
Read = Callable[[str, datetime, str], object]
"""A function that parses a flag's words; its other arguments are the current time and the field's name for an error."""
In = TypeVar("In", bound=Wire)
Out = TypeVar("Out")


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
        settings: the settings of this call, without what a folder's project adds (those of `app` have that).
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
        """Make a call in a home that is already open, with what the home has of an earlier call (settings, surface,
        progress, reports), and with the home's deadline if `deadline` is None. Its words count as a person's
        (`said_by`)."""
        deadline = deadline or app.deadline
        call = cls(app.settings, lambda: app, deadline=deadline, progress=app.progress, report=app.report)
        call.surface = app.surface
        return call

    @cached_property
    def app(self) -> App:
        """The home, with the deadline, surface, progress and reports of this call; opened on first access."""
        app = self._open_home()
        return replace(
            app,
            deadline=self.deadline,
            surface=self.surface,
            progress=self.progress,
            report=self.report,
            unit_of_work=replace(app.unit_of_work, deadline=self.deadline),
        )

    def tell_watchers(
        self, row: "Operation[Any, Any]", asked: Wire, outcome: object, began_ns: int, error: Exception | None = None
    ) -> None:
        """Notify the home's watchers that operation `row` on the input `asked` ended with the output `outcome`, or with
        `error`; do nothing if the home was not opened, or has no watchers. `began_ns` is the start in epoch
        nanoseconds. A preview or dry run is told without the operation's `span`, as one that changed no memory."""
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
        """Return the current time (UTC) by the home's clock; opens the home."""
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


def in_home(
    run: Callable[[App, In], Out], *, preview: Callable[[App, In], Out] | None = None
) -> Callable[[Call, In], Out]:
    """Make the function that an operation runs (`Operation.run`, of a call) from one of the opened home and the input.
    `preview` takes its place for an input whose field `preview` is true."""

    @wraps(run)
    def run_in_home(call: Call, asked: In) -> Out:
        """Open the call's home if it is not open, run the function (or `preview`, if the input asks for it) in it, and
        return its output."""
        chosen = preview if preview and getattr(asked, "preview", False) else run
        return chosen(call.app, asked)

    return run_in_home


@dataclass(frozen=True, slots=True)
class Surfaces:
    """The names of an operation on each surface; empty if the surface does not offer it."""

    cli: str = ""
    """The words of its command."""
    http: tuple[str, ...] = ()
    """Its routes, each a method and a path; a name in braces is a field of the input."""
    mcp: str = ""
    """Its tool and, if the tool has several modes, after a colon its mode."""


@dataclass(frozen=True, slots=True)
class Text:
    """How the answer of an operation becomes a text for a person."""

    presenter: str = ""
    """A function of the package `surfaces.present` that takes the answer, such as `index.documents_text`; if empty, the
    answer has a method `as_text`."""
    excerpts: bool = False
    """Whether excerpts of memories are added to the lines that contain their ids."""
    namespace_hints: bool = False
    """Whether the command line adds a hint about namespaces, such as that the working folder is in no project."""
    takes_options: bool = False
    """Whether the function also takes `verbose`, and the lines of a `footer` (else these follow its text)."""
    carry_out: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """The fields, with their values, by which a preview is carried out. If there are any, the function also takes the
    command that does so."""


def _memories_in(outcome: object) -> tuple[list[tuple[str, str]], int | None]:
    """Return pairs (id, content) of the memories in an operation's output, and None; if the output only counts its
    memories, an empty list and the count. An output without memories gives an empty list and None."""
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
    help: str
    """Its help: one sentence of up to sixty characters for lists, then the rest."""
    input: type[In]
    output: type[Out] | UnionType
    """The type of the answer: a record (`Wire`), one of several, or `Iterator[str]` for lines as they come."""
    run: Callable[[Call, In], Out]
    effect: Effect
    on: Surfaces
    text: Text = Text()
    """How its answer becomes a text for a person."""
    failure: Callable[[Out], PellucidError | None] = lambda _output: None
    """Returns the error that is raised after an answer was shown, such as when a check found problems; else None."""
    as_it_stands: bool = False
    """Edits of the vault are not taken over before it runs."""
    needs: Access | None = None
    """The access that a caller must have, if it differs from the access that the effect implies."""

    span: MemorySpan | None = None
    """OpenTelemetry's name for its effect on memories. None if it gets no span of its own: it has no effect, or is a
    recall, which tells watchers more (`recalled`) than that it was done (`performed`)."""

    @property
    def access(self) -> Access:
        """Return the access that a caller needs: `needs`, else `read` for an operation that only reads, `write` for any
        other. It is needed in the input's namespace; in every namespace if the input has none."""
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
        return the output or raise the error. `run` takes the place of the operation's own function, for a surface that
        reads a stream."""
        began_ns = time_ns()
        try:
            outcome = (run or self.run)(call, asked)
        except Exception as error:
            call.tell_watchers(self, asked, None, began_ns, error)
            raise
        call.tell_watchers(self, asked, outcome, began_ns)
        return outcome


def problems_error(count: int) -> UnhealthyError | None:
    """Return, without raising it, the error for a check that found `count` problems; None if `count` is 0."""
    if not count:
        return None
    return UnhealthyError(counted(count, "problem", "problems"), next_step="each line above says what to do")


def context_fields(kind: type[Wire]) -> Sequence[str]:
    """Return the names of the fields of input type `kind` that the call fills in: those of `CONTEXT` without a flag."""
    return [name for name, field in kind.model_fields.items() if name in CONTEXT and flag_of(field) is None]


def flag_of(field: FieldInfo) -> Flag | None:
    """Return the flag or argument metadata of an input's field; None if the field has no such metadata."""
    return next((each for each in field.metadata if isinstance(each, Flag)), None)


def flag_name(kind: type[Wire], name: str) -> str:
    """Return the command-line flag of field `name` of input type `kind`: the field's own flag if it has one, else made
    from the field's name, such as `--top-k`, in the singular if the flag is repeatable. A name that is no field is
    turned into a flag, too."""
    field = kind.model_fields.get(name)
    flag = flag_of(field) if field else None
    if flag and flag.name:
        return flag.name
    many = field is not None and str(field.annotation).startswith(("tuple", "dict"))
    singular = (f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")) if many else name
    return f"--{singular.replace('_', '-')}"


def input_error_of(error: ValidationError, kind: type[Wire]) -> InputError:
    """Turn the first error of a validation of `kind` into an input error. Its message names the field, the values that
    the field accepts and the value that came; or says that the field is missing or unknown. Its code is
    `missing_<field>`, `invalid_<flag>`, or `invalid_request` for an unknown field."""
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
