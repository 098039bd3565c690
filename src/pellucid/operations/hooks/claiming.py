"""An agent's claims about its session in, memories of those that the session's turns support out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.errors import InputError, NotFoundError, field_name, step
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import statement_of
from pellucid.model.memory import TRANSCRIBED, Category
from pellucid.model.observation import ExtractedFact
from pellucid.model.turn import Segment, Turn
from pellucid.model.wire import Wire
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.model.check import Checked, check, culprits
from pellucid.observe.model.ground import ModelClaim, quoted_sentences
from pellucid.observe.pipeline import judge_facts
from pellucid.observe.source import reject_repetition
from pellucid.operations.operation import Agent, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.session.looking.turns import turns_at_hand
from pellucid.operations.using import served_texts

MOST_CLAIMS = 20
_LONGEST = 2_000
_CONFIDENCE = 0.8
"""The confidence of a claim that is supported by its quote."""
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
"""Maps the reason why a claim is not kept to how to mend it; `{}` is replaced by the words of the claim at fault."""


class AgentClaim(BaseModel):
    """A statement that an agent wants to remember, and the words of the session that support it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    statement: str = Field(min_length=1, max_length=_LONGEST)
    quote: str = Field(min_length=1, max_length=_LONGEST)
    category: Category = "fact"
    entity: str | None = None
    tags: tuple[str, ...] = ()


class ClaimInput(SafeInput):
    """An agent's claims about its own session."""

    namespace: str
    session_id: Annotated[str, Flag("The session that it is said of.", "--session")]
    claims: Annotated[
        tuple[AgentClaim, ...],
        Flag("Statements that stand alone, each with the words of the session that say it, copied exactly."),
    ] = Field(max_length=MOST_CLAIMS)
    agent: Agent = None


class ClaimOutcome(Wire):
    """The outcome of one claim: the memory that says it, new or known, or the reason why it is not kept."""

    statement: str
    memory_id: str | None = None
    reason: str = ""
    hint: str = ""
    """How to change the claim so that it can be kept."""


class ClaimOutput(Wire):
    """The outcome of each claim, in their order."""

    namespace: str
    session_id: str
    kept: int
    outcomes: tuple[ClaimOutcome, ...]


def claim(app: App, request: ClaimInput) -> ClaimOutput:
    """Write memories of an agent's claims about its session that the session supports; give the reason why each other
    claim was not kept.

    Claims are checked like a model's extractions: the quote must occur in a turn, and the statement must not say more
    than that turn, and of names those just before. Then each is judged by the heuristic judge, and reconciled with
    known memories, like any observation. The outcomes come in the order of the claims.

    Raises:
        NotFoundError: no turns of the session are available in this namespace.
        InputError: a claim is of a category that comes from files, or the session's transcript cannot be read.
    """
    if wrong := next((each.category for each in request.claims if each.category in TRANSCRIBED), None):
        raise InputError(f"a {wrong} comes from a file", next_step=f"choose another {field_name('category')}")
    turns = turns_at_hand(app, request.namespace, request.session_id)
    if not turns:
        raise NotFoundError(
            f"no turns of a session {request.session_id} are at hand in {request.namespace}",
            next_step=f"hooks or {step('session.observe')} bring them; turns that were looked at stay only where hooks "
            "told of the session, or observe.traceRetention is episode; "
            f"{step('memory.remember')} keeps what a user says without",
        )
    checked = [_check_claim(each, turns) for each in request.claims]
    kept = iter(_keep_facts(app, request, turns, [each for each in checked if isinstance(each, ExtractedFact)]))
    outcomes = [
        ClaimOutcome(statement=agent_claim.statement, reason=each.reason, hint=each.hint)
        if isinstance(each, _RejectedClaim)
        else ClaimOutcome(statement=agent_claim.statement, **next(kept))
        for agent_claim, each in zip(request.claims, checked, strict=True)
    ]
    return ClaimOutput(
        namespace=request.namespace,
        session_id=request.session_id,
        kept=sum(each.memory_id is not None for each in outcomes),
        outcomes=tuple(outcomes),
    )


@dataclass(frozen=True, slots=True)
class _RejectedClaim:
    """Why a claim is not kept, and how to change it so that it would be."""

    reason: str
    hint: str


def _check_claim(agent_claim: AgentClaim, turns: Sequence[Turn]) -> ExtractedFact | _RejectedClaim:
    """Return the fact of a claim if one of the `turns` contains its quote and supports it; else the reason why it is
    not kept: what is wrong by the last turn with the quote, or that no turn contains the quote."""
    rejected = _RejectedClaim("not-quoted", _HINTS["not-quoted"])
    for turn in turns:
        if quoted_sentences(agent_claim.quote, turn):
            model_claim = ModelClaim(
                category=agent_claim.category,
                content=redact(agent_claim.statement).text,
                confidence=_CONFIDENCE,
                turns=[turn.ordinal, turn.ordinal],
                quote=agent_claim.quote,
                tags=[redact(tag).text for tag in agent_claim.tags],
                entity=agent_claim.entity and redact(agent_claim.entity).text,
                attributes=[],
            )
            result = check(model_claim, turns)
            if isinstance(result, Checked):
                return result.fact
            words = ", ".join(f"“{each}”" for each in culprits(model_claim, turns, result))
            rejected = _RejectedClaim(result, _HINTS.get(result, "").format(words))
    return rejected


def _keep_facts(
    app: App, request: ClaimInput, turns: Sequence[Turn], facts: Sequence[ExtractedFact]
) -> list[dict[str, str]]:
    """Judge facts, reconcile them with known memories, and commit the result as one operation. Return for each fact, in
    order, the id of the memory that says it, new or known, as `memory_id`, or the `reason` why there is none. An
    agent's facts that only repeat what a recall served to the session are rejected."""
    segment = Segment(request.session_id, tuple(turns), "high_signal")
    served = served_texts(app, request.namespace, request.session_id)
    judged = judge_facts(facts, segment, HeuristicJudge(), app.clock)
    observations = [reject_repetition(each, served) for each in judged]
    trust = app.settings.trust.enabled
    likely = [each.fact.content for each in observations if each.judge_accepted]
    with app.unit_of_work.deciding(request.namespace, likely):
        changes = ChangeSet(app.records, request.namespace, "extraction", app.clock)
        reconciler = Reconciler(app.index, app.lookup, changes, app.key, trust=trust)
        reconciler.consider([statement_of(each, changes, request.agent, trust=trust) for each in observations])
        decided = reconciler.decide()
        plan = changes.plan()
        app.unit_of_work.commit("observe", plan.writes, [*decided.rows, *plan.rows])
    return [
        {"memory_id": outcome.memory_id} if outcome.memory_id else {"reason": outcome.reason}
        for outcome in decided.outcomes
    ]


CLAIM = Operation(
    "session.claim",
    """Keep what an agent would want to know again. What the session does not bear out is not kept, and it is said why.

Each claim is a statement that stands alone, with the words of the session that say it, copied exactly.
""",
    ClaimInput,
    ClaimOutput,
    in_home(claim),
    "append",
    Surfaces("claim", http=("POST /v1/claims",), mcp="memory_observe:claims"),
    text=Text("hooks.claims_text", excerpts=True),
    span="upsert_memory",
)
