"""A request for a recalls page in, the values of its template out."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

from markupsafe import Markup

from pellucid.errors import PellucidError
from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate
from pellucid.operations.memory.citing import CITE
from pellucid.operations.recall.explaining import ABLATE, DIFF, REPLAY
from pellucid.operations.recall.kept.event import EVENT, EventOutput
from pellucid.operations.recall.kept.given_context import CONTEXT
from pellucid.operations.recall.kept.snapshots import PIN_SNAPSHOT, SNAPSHOTS
from pellucid.operations.recall.kept.timings import TIMINGS
from pellucid.operations.recall.recalling import RECALL, XRAY
from pellucid.operations.recall.request import removable_parts
from pellucid.operations.recall.why import WHY
from pellucid.recall.query.classes import CLASSES
from pellucid.store.history.telemetry_port import Outcome
from pellucid.surfaces.dashboard.charts.scores import funnel, legend, score_bars, waterfall
from pellucid.surfaces.dashboard.rendering import with_memory_links
from pellucid.surfaces.dashboard.view import Page, PageView
from pellucid.surfaces.present.recall.replay import delta_line, shift_line
from pellucid.xray.render.as_json import render_json
from pellucid.xray.render.fields import header_fields, result_fields
from pellucid.xray.render.tables import legs_table
from pellucid.xray.render.terms import score_terms, term_name
from pellucid.xray.words.rungs import away_in_words, is_at_work, why_rejected

_A_PAGE = 50
_FILTERS = ("q", "agent", "session", "class", "outcome", "degraded", "since")
_NEWEST = 12
"""The number of recalls that are offered for comparison."""
_TURNED_AWAY = 1_000
"""The most rejected candidates that are listed."""
_WITHOUT = "without-"
_NO_WORDS = "A question whose words were not kept"
_KINDS = ("used", "saved_rework", "dismissed", "flagged_stale")
_DELTAS = ("answer", "request", "settings", "weights", "legs", "corpus", "plan")


def _recalls(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of at most 50 recalls that fit the filters of the query: `title`,
    `found`, `asked` (the filters), `is_filtered`, `may_ask` (whether the caller may run a recall), and the possible
    `classes` and `outcomes`.
    """
    query = view.query
    found = view.ask(
        SNAPSHOTS,
        contains=query.get("q", "").strip(),
        by_agent=query.get("agent"),
        query_class=query.get("class"),
        outcome=query.get("outcome"),
        degraded=bool(query.get("degraded")),
        session_id=query.get("session"),
        since=query.get("since"),
        after=query.get("after"),
        limit=_A_PAGE,
    )
    return {
        "title": "Recalls",
        "found": found,
        "asked": {name: query.get(name, "") for name in _FILTERS},
        "is_filtered": any(query.get(name) for name in _FILTERS),
        "classes": CLASSES,
        "outcomes": get_args(Outcome),
        "may_ask": view.may(RECALL),
    }


def _recall(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of the recall that the path names: its `event`, explanation `x` and what
    is drawn of that (`results`, `funnel`, `legs`, `stages`, …), its context (`given`) and `replay`, and `others`, of
    the 12 newest recalls those beside it. If only the event is stored, `x` is None, and there are only `title`,
    `event`, `words` and `may_ask`. The query can ask for the words that matched (`align`), to ask the question again
    today (`live`), and for what `_ablations` and `_why_answer` read.
    """
    event: EventOutput = view.ask(EVENT, recall_id=view.named["recall_id"])
    if not event.recall.in_full:
        return {
            "title": event.recall.query or _NO_WORDS,
            "x": None,
            "event": event,
            "words": event.words,
            "may_ask": view.may(RECALL),
        }
    snapshot: RecallXraySnapshot = view.ask(
        XRAY, recall_id=view.named["recall_id"], align=bool(view.query.get("align")), turned_away=_TURNED_AWAY
    )
    recall_id = snapshot.snapshot_id
    citations = {each.memory_id: each.citations for each in event.memories}
    timings = view.ask(TIMINGS)
    return {
        "title": snapshot.query or _NO_WORDS,
        "x": snapshot,
        "row": event.recall,
        "event": event,
        "cited": citations,
        "header": header_fields(snapshot),
        "results": _results(snapshot),
        "legend": legend(snapshot),
        "funnel": list(zip(snapshot.filters, funnel(snapshot), _rejected_by_rung(snapshot), strict=True)),
        "near": [each for each in snapshot.rejected if each.rejected_by == "abstention"],
        "why_rejected": why_rejected,
        "legs": legs_table(snapshot),
        "stages": _stages(snapshot, timings),
        "usual": timings,
        "given": view.ask(CONTEXT, recall_id=recall_id),
        "replay": view.ask(REPLAY, recall_id=recall_id, live=bool(view.query.get("live"))),
        "delta_line": delta_line,
        "shift_line": shift_line,
        "deltas": _DELTAS,
        "others": [each for each in view.ask(SNAPSHOTS, limit=_NEWEST).recalls if each.recall_id != recall_id],
        "linked": partial(with_memory_links, view),
        "kinds": _KINDS if view.may(CITE) else (),
        "may_ask": view.may(RECALL),
        "pin": PIN_SNAPSHOT if view.may(PIN_SNAPSHOT) else None,
        **_ablations(view, snapshot),
        **_why_answer(view, recall_id),
    }


def _results(snapshot: RecallXraySnapshot) -> list[Mapping[str, object]]:
    """Return a mapping for each result of a recall, in their order: the result (`it`), its score drawn as SVG (`bar`),
    the memory's first `words` (None if not stored), its score's `terms` as (label, value, name), and its `fields` that
    the page does not show elsewhere."""
    return [
        {
            "it": each,
            "bar": bar,
            "words": snapshot.words.get(each.memory_id),
            "terms": [(term_name(name), value, name) for name, value in score_terms(each.score_decomposition)],
            "fields": [
                field
                for field in result_fields(each, snapshot)
                if field.label not in ("why", "words", "graph-path", "edge-confidences", "graph-edges", "score")
            ],
        }
        for each, bar in zip(snapshot.results, score_bars(snapshot), strict=True)
    ]


def _rejected_by_rung(snapshot: RecallXraySnapshot) -> list[tuple[str, Sequence[RejectedCandidate]]]:
    """Return for each rung (filter of the candidates), in their order, a pair: in words how many candidates it
    rejected, and those of them that the snapshot lists.
    """
    by_rung: dict[str, list[RejectedCandidate]] = {}
    for each in snapshot.rejected:
        by_rung.setdefault(each.rejected_by, []).append(each)
    return [
        (away_in_words(rung.considered - rung.admitted, rung.name, rung.reason), by_rung.get(rung.name, []))
        for rung in snapshot.filters
    ]


def _stages(snapshot: RecallXraySnapshot, timings: Any) -> list[tuple[object, object, Markup]]:
    """Return for each stage, in their order, the stage, its usual timing (None if unknown) and its bar (see
    `waterfall`). `timings` is the answer of the operation `TIMINGS`.
    """
    usual_by_stage = {each.name: each for each in timings.stages}
    bars = waterfall(snapshot.stages, usual_by_stage)
    return [(each, usual_by_stage.get(each.name), bar) for each, bar in zip(snapshot.stages, bars, strict=True)]


def _ablations(view: PageView, snapshot: RecallXraySnapshot) -> Mapping[str, object]:
    """Return the template values for leaving out each leg (search path) alone (`each_leg`), and for leaving out
    together the parts that the query names by `without-NAME` (`left_out`): `together`, None if there are none.
    `leg_names` and `other_parts` are what can be left out.
    """
    left_out = [name.removeprefix(_WITHOUT) for name in view.query if name.startswith(_WITHOUT)]
    each_leg = view.ask(ABLATE, recall_id=snapshot.snapshot_id)
    together = view.ask(ABLATE, recall_id=snapshot.snapshot_id, without=left_out) if left_out else None
    legs = [each.name for each in snapshot.legs if is_at_work(each) and "@" not in each.name]
    return {
        "leg_names": legs,
        "other_parts": [each for each in removable_parts() if each not in legs],
        "left_out": left_out,
        "each_leg": each_leg,
        "together": together,
    }


def _why_answer(view: PageView, recall_id: str) -> Mapping[str, object]:
    """Return the template values for why the memory described in the query's `why` was or was not found (`why`), or the
    error (`why_problem`). Both are None if the query has no `why`; `why_asked` is that description.
    """
    description = view.query.get("why", "").strip()
    finding, problem = None, None
    if description:
        try:
            finding = view.ask(WHY, memory=description, recall_id=recall_id)
        except PellucidError as error:
            problem = error
    return {"why_asked": description, "why": finding, "why_problem": problem}


def _difference(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of two recalls side by side, whose ids the path has as `a` and `b`: their
    difference (`found`), their X-rays, or explanations (`sides`), and the `shifts` of results in lists by kind:
    `entered`, `left`, `moved`, `rescored`.
    """
    found = view.ask(DIFF, a=view.named["a"], b=view.named["b"])
    return {
        "title": "Two recalls side by side",
        "found": found,
        "sides": [view.ask(XRAY, recall_id=each) for each in (found.a, found.b)],
        "shifts": {name: getattr(found, name) for name in ("entered", "left", "moved", "rescored")},
        "deltas": _DELTAS,
        "delta_line": delta_line,
        "shift_line": shift_line,
    }


def _as_json(view: PageView) -> Mapping[str, object]:
    """Return the template values for the page of a recall's explanation: `title`, the snapshot `x`, and it as JSON
    (`told`).
    """
    snapshot = view.ask(XRAY, recall_id=view.named["recall_id"])
    return {"title": "The recall as JSON", "x": snapshot, "told": render_json(snapshot)}


RECALLS: tuple[Page, ...] = (
    Page("recalls", "recalls_list.html", _recalls, label="Recalls"),
    Page("recalls/{recall_id}", "recalls_one.html", _recall),
    Page("recalls/{recall_id}/json", "recalls_json.html", _as_json),
    Page("recalls/{a}/diff/{b}", "recalls_diff.html", _difference),
)
