"""A finished recall in, its telemetry event out, without any word of the recall."""

from pellucid.errors import PellucidError, where_raised
from pellucid.recall.context.text import CHARACTERS_A_TOKEN
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.score.fuse import weights_for
from pellucid.recall.state import Request, State
from pellucid.store.history.telemetry_port import Outcome, RecallEvent, RecallFailure, Surface

UNKNOWN = "unknown"
"""Class and depth of a recall that failed."""


def event_of(state: State, surface: Surface, millis: float, *, hands_out: bool = True) -> RecallEvent:
    """Return the telemetry event of a finished recall, asked at `surface`, which took `millis` milliseconds.

    `state.context` must still have its text. `hands_out`: whether the caller is given the context; if not, its size
    counts as 0.
    """
    text = state.context.text if hands_out else ""
    weights = weights_for(state.request.settings, state.plan)
    return RecallEvent(
        agent=state.request.agent,
        surface=surface,
        query_class=state.plan.query_class,
        depth=state.plan.depth,
        outcome=_outcome(state),
        found=len(state.order),
        selected=len(state.context.included),
        payload_bytes=len(text.encode("utf-8", "surrogatepass")),
        payload_tokens=-(-len(text) // CHARACTERS_A_TOKEN),
        millis=round(millis, 3),
        degraded=is_degraded(state),
        legs={
            each.name: {"weight": weights[base_of(each.name)], "health": each.health, "found": each.admitted}
            for each in state.legs
        },
    )


def failure_of(request: Request, surface: Surface, millis: float, error: Exception) -> RecallEvent:
    """Return the telemetry event of a recall that failed or took too long, with no word of the error's message.

    It has the code of the error and where it was raised, class and depth `unknown`, and zeros for what was found.
    """
    code = error.code if isinstance(error, PellucidError) else PellucidError.code
    failure = RecallFailure(code, " in ".join((type(error).__name__, *where_raised(error)[-1:])))
    took, nothing = round(millis, 3), (0, 0, 0, 0)
    return RecallEvent(
        request.agent, surface, UNKNOWN, UNKNOWN, "failed", *nothing, took, degraded=True, legs={}, failure=failure
    )


def is_degraded(state: State) -> bool:
    """Whether a leg was down or a stage failed, so that better answers can have been missed."""
    return any(each.failed for each in state.stages) or any(each.health == "degraded" for each in state.legs)


def _outcome(state: State) -> Outcome:
    """Return how a recall ended: `answered`, `gated` (the message needs no memory), `abstained` or `empty`.

    `empty`: nothing was found, or nothing fitted the budget.
    """
    if state.context.included:
        return "answered"
    if state.plan.depth == "no_recall":
        return "gated"
    return "abstained" if state.abstention and state.abstention.abstained else "empty"
