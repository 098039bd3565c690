"""What an agent says of its session in, what the session bears out kept as memories out: nothing is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.errors import InputError, NotFoundError, field_name
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.reconcile import Reconciler, statement_of
from pellucid.model.memory import TRANSCRIBED, Category
from pellucid.model.observation import ExtractedFact
from pellucid.model.turn import Segment, Turn
from pellucid.model.wire import Wire
from pellucid.observe.echo import said_again
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.model.check import Checked, check, culprits
from pellucid.observe.model.ground import ModelClaim, quotes
from pellucid.observe.pipeline import observe
from pellucid.operations.operation import Agent, Flag, Operation, Surfaces
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.session.looking.turns import turns_at_hand
from pellucid.operations.session.restating import restate
from pellucid.operations.using import served_texts

MOST_CLAIMS = 20
_LONGEST = 2_000
_PLAIN = 0.8
"""How sure a statement is taken to be that an agent makes, and a quote bears out."""
_HINTS: Mapping[str, str] = {
    "not-quoted": "no turn of the session holds the quote: copy the words exactly, of one turn",
    "unsupported": "the turn says little of it: quote the words that say it, or say less",
    "number-not-said": "the quote does not hold {}: quote the sentence that does",
    "identifier-not-said": "the turn does not hold {}: write it as it stands there",
    "name-not-said": "neither the turn nor those just before it hold {}: write it as it stands there",
    "polarity": "only one of quote and statement denies {}: say it with a not in both, or in neither",
    "wrong-speaker": "somebody else said the quote: name who did, or nobody",
    "too-long": "say it in at most 500 characters",
    "instruction": "it reads as an order to whoever reads it: say what holds, and who said so",
    "script": "it is written in other letters than the turn",
    "empty": "it says nothing",
    "hidden-characters": "it holds characters that cannot be seen",
}
"""What to do about a claim that is not kept, by the reason; `{}` are its own words that are to blame."""


class AgentClaim(BaseModel):
    """One thing that an agent would want to know again, and the words of the session that say it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    statement: str = Field(min_length=1, max_length=_LONGEST)
    quote: str = Field(min_length=1, max_length=_LONGEST)
    category: Category = "fact"
    entity: str | None = None
    tags: tuple[str, ...] = ()


class ClaimInput(SafeInput):
    """What an agent says of a session of its own."""

    namespace: str
    session_id: Annotated[str, Flag("The session that it is said of.", "--session")]
    claims: Annotated[
        tuple[AgentClaim, ...],
        Flag("Statements that stand alone, each with the words of the session that say it, copied exactly."),
    ] = Field(max_length=MOST_CLAIMS)
    agent: Agent = None


class ClaimOutcome(Wire):
    """What became of one claim: the memory that it is kept as, or that says it already, or why it is not kept."""

    statement: str
    memory_id: str | None = None
    reason: str = ""
    hint: str = ""
    """What to change, for it to be kept."""


class ClaimOutput(Wire):
    """What became of each claim, in their order."""

    namespace: str
    session_id: str
    kept: int
    outcomes: tuple[ClaimOutcome, ...]


def claim(app: App, request: ClaimInput) -> ClaimOutput:
    """Keep what the session bears out of what an agent says of it.

    The same is asked of each claim as of what a model extracts: its quote stands in a turn, and it says nothing that
    the quote and the turns around it do not hold. It is judged, and compared with what is known, like anything else.

    Raises:
        NotFoundError: no turns of such a session are at hand in this namespace.
        InputError: a claim is of a category that comes from files.
    """
    if wrong := next((each.category for each in request.claims if each.category in TRANSCRIBED), None):
        raise InputError(f"a {wrong} comes from a file", next_step=f"choose another {field_name('category')}")
    turns = turns_at_hand(app, request.namespace, request.session_id)
    if not turns:
        raise NotFoundError(
            f"no turns of a session {request.session_id} are at hand in {request.namespace}",
            next_step="hooks or `pellucid observe` bring them; turns that were looked at stay only where hooks told of "
            "the session, or observe.traceRetention is episode; `pellucid remember` keeps what a user says without",
        )
    checked = [_checked(each, turns) for each in request.claims]
    kept = _kept(app, request, turns, [each for each in checked if isinstance(each, ExtractedFact)])
    outcomes = [
        ClaimOutcome(statement=said.statement, reason=each.reason, hint=each.hint)
        if isinstance(each, _Dropped)
        else ClaimOutcome(statement=said.statement, **kept.get(each.content, {"reason": "said twice"}))
        for said, each in zip(request.claims, checked, strict=True)
    ]
    return ClaimOutput(
        namespace=request.namespace,
        session_id=request.session_id,
        kept=sum(each.memory_id is not None for each in outcomes),
        outcomes=tuple(outcomes),
    )


@dataclass(frozen=True, slots=True)
class _Dropped:
    """Why a claim is not kept, and what would help."""

    reason: str
    hint: str


def _checked(said: AgentClaim, turns: Sequence[Turn]) -> ExtractedFact | _Dropped:
    """The fact of a claim, of the first turn that bears it out, or why none does."""
    dropped = _Dropped("not-quoted", _HINTS["not-quoted"])
    for turn in turns:
        if quotes(said.quote, turn):
            asked = ModelClaim(
                category=said.category,
                content=redact(said.statement).text,
                confidence=_PLAIN,
                turns=[turn.ordinal, turn.ordinal],
                quote=said.quote,
                tags=[redact(tag).text for tag in said.tags],
                entity=said.entity and redact(said.entity).text,
                attributes=[],
            )
            found = check(asked, turns)
            if isinstance(found, Checked):
                return found.fact
            named = ", ".join(f"“{each}”" for each in culprits(asked, turns, found))
            dropped = _Dropped(found, _HINTS.get(found, "").format(named))
    return dropped


class _SaidAlready:
    """An extractor of what was said already."""

    def __init__(self, facts: Sequence[ExtractedFact]) -> None:
        self._facts = facts

    def extract(self, segment: Segment) -> list[ExtractedFact]:  # noqa: ARG002 - every extractor has one shape
        """The facts."""
        return list(self._facts)


def _kept(
    app: App, request: ClaimInput, turns: Sequence[Turn], facts: Sequence[ExtractedFact]
) -> dict[str, dict[str, str]]:
    """Judge facts and compare them with what is known; by its words, the memory of each or why there is none."""
    segment = Segment(request.session_id, tuple(turns), "high_signal")
    served = served_texts(app, request.namespace, request.session_id)
    found = [said_again(each, served) for each in observe(segment, _SaidAlready(facts), HeuristicJudge(), app.clock)]
    trust = app.settings.trust.enabled
    with app.unit_of_work.deciding(request.namespace, [each.fact.content for each in found if each.judge_accepted]):
        changes = ChangeSet(app.records, request.namespace, "extraction", app.clock)
        reconciler = Reconciler(app.index, app.lookup, changes, app.key, trust=trust, restate=restate)
        reconciler.consider([statement_of(each, changes, request.agent, trust=trust) for each in found])
        decided = reconciler.decide()
        plan = changes.plan()
        app.unit_of_work.commit("observe", plan.writes, [*decided.rows, *plan.rows])
    out: dict[str, dict[str, str]] = {}
    for each, outcome in zip(found, decided.outcomes, strict=True):
        memory = outcome.memory_id
        out[each.fact.content] = {"memory_id": memory} if memory else {"reason": outcome.reason}
    return out


CLAIM = Operation(
    "session.claim",
    """Keep what an agent would want to know again. What the session does not bear out is not kept, and it is said why.

Each claim is a statement that stands alone, with the words of the session that say it, copied exactly.
""",
    ClaimInput,
    ClaimOutput,
    lambda call, asked: claim(call.app, asked),
    "append",
    Surfaces("claim", http=("POST /v1/claims",), mcp="memory_observe:claims"),
    span="upsert_memory",
)
