"""The parts of a snapshot in, labelled fields out: one wording, one order and one rounding for every format.

A field is a label and spans; a span says whether its text is ours or somebody else's, and each format draws that in
its own way. A field with nothing to say is left out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from pellucid.clock import isoformat
from pellucid.model.snapshot import (
    Alignment,
    LegContribution,
    Provenance,
    QueryRead,
    RecallXraySnapshot,
    RerankDetail,
    ScoreDecomposition,
    Staleness,
    TierExplain,
    XrayResult,
)
from pellucid.recall.legs.nominate import LEGS
from pellucid.xray.words.rungs import NO_ANSWER, cuts_of, no_answer, shown
from pellucid.xray.words.sentence import legend
from pellucid.xray.words.sureness import sureness

NO_SNAPSHOT = "No X-ray snapshot captured."
NO_TIER = "it was not asked whether one memory answers by itself"
PLACES = "numbers are places by score; the context tells these by session and document, under the same numbers"
"""How the results and the context hang together."""
SCORE_KEYS = ("final", *(name for name in ScoreDecomposition.model_fields if name != "final"))
"""The order in which a score is shown: the sum, then its terms as the model has them."""
SUBTRACTED = frozenset({"mmr_penalty"})
_FOLDED = frozenset({"served-by", "retrieval-reason", "admitted-by", "audit-entry", "legs", "rerank"})
"""Lines of a result that say of every other much the same, or again what its sentence says."""
_SERVED_BY = {"hybrid": "hybrid: several ways of searching at once"}
_CLASSES = {
    "decision": "what was decided",
    "historical": "how it was",
    "architectural": "how it is built",
    "current_state": "how it is now",
    "other": "something else",
}
_MEMORY_ID = re.compile(r"(mem_[0-9a-f]{32})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """A piece of a field: `plain` is our own words and numbers, `verbatim` a name or a text, `prose` a sentence."""

    text: str
    kind: Literal["plain", "verbatim", "prose"] = "plain"


ARROW = FieldSpan(" -> ")
_COMMA = FieldSpan(", ")
Spans = tuple[FieldSpan, ...]


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """One labelled line, e.g. `audit-entry`."""

    label: str
    spans: Spans

    @property
    def title(self) -> str:
        """The label as a heading says it: `Audit entry`."""
        return self.label.replace("-", " ").capitalize()


def header_fields(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> tuple[LabelledLine, ...]:
    """What names the recall, how sure it is, and what its context used of the budget; the query stands before them."""
    doubt = snapshot.abstention
    doubt = doubt if doubt and (doubt.abstained or snapshot.results) else None  # of nothing shown, nobody is sure
    return _filled_fields(
        LabelledLine(
            "answer", _plain(sureness(doubt.doubt, doubt.threshold, abstained=doubt.abstained)) if doubt else ()
        ),
        LabelledLine("shown", _plain(shown(len(snapshot.results), cuts_of(snapshot.filters)))),
        LabelledLine("snapshot-id", _verbatim(snapshot.snapshot_id)),
        LabelledLine("captured-at", _plain(captured_at(snapshot.captured_at))),
        LabelledLine("as-of", _asked_of(snapshot)),
        LabelledLine("session", _verbatim(snapshot.session_key)),
        LabelledLine("namespace", _verbatim(snapshot.namespace)),
        LabelledLine("trace-id", _verbatim(snapshot.trace_id) if verbose else ()),
        LabelledLine("budget", _plain(f"{snapshot.budget.used} / {snapshot.budget.chars} chars")),
        LabelledLine("read-as", _reading_spans(snapshot.plan, verbose=verbose) if snapshot.plan else ()),
    )


def headed(memory_id: str, words: Mapping[str, str]) -> FieldSpan:
    """What stands at the head of a memory: its words, or its id where they may not or cannot be said."""
    said = words.get(memory_id)
    return FieldSpan(said, "prose") if said else FieldSpan(memory_id, "verbatim")


def spoken(text: str, snapshot: RecallXraySnapshot, kind: Literal["verbatim", "prose"] = "verbatim") -> Spans:
    """A text with each memory's id replaced: by its number if it is a result, else by its words, if it has any."""
    place = {each.memory_id: f"[{number}]" for number, each in enumerate(snapshot.results, start=1)}
    out: list[Spans] = []
    for at, piece in enumerate(_pieces(text)):
        if at % 2 and piece in place:
            out.append(_plain(place[piece]))
        elif at % 2 and snapshot.words.get(piece):
            out.append(_named_memory(piece, snapshot.words))
        elif piece:
            out.append((FieldSpan(piece, kind),))
    return _joined(out, FieldSpan(" "))


def _pieces(text: str) -> list[str]:
    """What stands between memory ids, and the ids at odd places; without the blanks around an id."""
    first, *rest = _MEMORY_ID.split(text)
    return [first.rstrip(), *map(str.strip, rest[:-1]), rest[-1].lstrip()] if rest else [first]


def _named_memory(memory_id: str, words: Mapping[str, str]) -> Spans:
    """The words of a memory in quotes, then its id; the id alone where they may not or cannot be said."""
    named = FieldSpan(memory_id, "verbatim")
    said = words.get(memory_id)
    return (FieldSpan('"'), FieldSpan(said, "prose"), FieldSpan('" ('), named, FieldSpan(")")) if said else (named,)


def _asked_of(snapshot: RecallXraySnapshot) -> Spans:
    """The past instant asked about, and by what was known when; nothing where it was now, by all that is known."""
    past = snapshot.as_of if snapshot.as_of != captured_at(snapshot.captured_at) else None
    known = snapshot.as_known_at
    return (
        *_verbatim(past),
        *((FieldSpan("; " if past else ""), FieldSpan("as known at "), FieldSpan(known, "verbatim")) if known else ()),
    )


def _reading_spans(plan: QueryRead, *, verbose: bool) -> Spans:
    """What was read of the query: its class, how deep to go and why, whom and when it names, what else was asked.

    That an ordinary question was answered in the ordinary way goes without saying.
    """
    why = f" ({plan.reason})" if plan.reason else ""
    names = _listed((*plan.entities, *(name for name in plan.named if name not in plan.entities)))
    asked = _listed(plan.sub_queries)
    parts = [
        _plain(f"asks {_CLASSES.get(plan.query_class, plan.query_class)}; searched in {plan.depth}{why}")
        if verbose or plan.depth != "full"
        else (),
        (FieldSpan("names "), *names) if names else (),
        (FieldSpan("period "), *_verbatim(plan.period)) if plan.period else (),
        _plain("of what was said") if plan.dates_what_was_said else (),
        (FieldSpan("also asked "), *asked) if asked else (),
    ]
    return _joined((part for part in parts if part), FieldSpan("; "))


def result_fields(
    result: XrayResult, snapshot: RecallXraySnapshot, *, verbose: bool = True
) -> tuple[LabelledLine, ...]:
    """Everything that put one memory into the context, plain words first.

    Not `verbose`, only what differs from one result to another and is not in the sentence already.
    """
    query_terms = snapshot.query_terms
    told = _filled_fields(
        LabelledLine("why", _prose(result.why)),
        LabelledLine("newer-than", _named_memory(result.newer_than, snapshot.words) if result.newer_than else ()),
        LabelledLine("memory", _verbatim(result.memory_id)),
        LabelledLine("served-by", _plain(_SERVED_BY.get(result.served_by, result.served_by))),
        LabelledLine("path", _verbatim(result.path)),
        LabelledLine("score", _verbatim(score(result.score_decomposition, zeros=verbose))),
        *(_provenance_fields(result.provenance, verbose=verbose) if result.provenance else ()),
        LabelledLine("told", _verbatim(result.told)),
        LabelledLine("staleness", _staleness(result.staleness, verbose=verbose) if result.staleness else ()),
        LabelledLine("admitted-by", _listed(result.admitted_by)),
        LabelledLine("rejected-by", _verbatim(result.rejected_by)),
        LabelledLine("graph-path", _joined((spoken(each, snapshot) for each in result.graph_path or ()), ARROW)),
        LabelledLine(
            "edge-confidences", _plain(", ".join(f"{each:.2f}" for each in result.graph_edge_confidences or ()))
        ),
        LabelledLine("graph-edges", _joined(spoken(each, snapshot) for each in result.graph_edges or ())),
        LabelledLine("audit-entry", _verbatim(result.audit_entry_id)),
        LabelledLine("legs", _joined(_leg_spans(each, query_terms) for each in result.contributions)),
        LabelledLine("rerank", _rerank_spans(result.rerank) if result.rerank else ()),
        LabelledLine("words", _joined(_aligned(each, query_terms) for each in result.alignment)),
    )
    return tuple(field for field in told if verbose or field.label not in _FOLDED)


def tier_fields(tier: TierExplain, *, verbose: bool = True) -> tuple[LabelledLine, ...]:
    """The direct-answer verdict; its source anchors stand after them. Not `verbose`, of none only why there is none."""
    if not verbose and tier.tier_reason in NO_ANSWER:
        return (LabelledLine("reason", _prose(no_answer(tier.tier_reason))),)
    return _filled_fields(
        LabelledLine("tier", _verbatim(tier.tier)),
        LabelledLine("reason", _prose(no_answer(tier.tier_reason))),
        LabelledLine("candidates-considered", _plain(str(tier.candidates_considered))),
        LabelledLine("latency-ms", _plain(millis(tier.latency_ms))),
        LabelledLine("filtered-by", _listed(tier.filtered_by) or _plain("(none)")),
    )


def score(scores: ScoreDecomposition, *, zeros: bool = True) -> str:
    """`final=0.8912 vector=0.5812 …`: the terms at work, in a fixed order, to four decimals."""
    return " ".join(
        f"{called(key)}={decimals(value)}" for key, value in terms(scores) if zeros or key == "final" or value
    )


def legend_of(snapshot: RecallXraySnapshot) -> tuple[tuple[str, str], ...]:
    """The terms that count in the results' scores, each with what it stands for, in the order they are shown."""
    said = legend([each.score_decomposition for each in snapshot.results])
    ordered = dict.fromkeys(name for each in snapshot.results for name, _ in terms(each.score_decomposition))
    return tuple((name, said[name]) for name in ordered if name in said)


def terms(scores: ScoreDecomposition) -> tuple[tuple[str, float], ...]:
    """`final` and the terms at work, by name, in the order they are shown; those in `SUBTRACTED` are taken away."""
    values = scores.model_dump(exclude_none=True)
    return (("final", values.pop("final")), *values.items())


def called(term: str) -> str:
    """The name of a term in text: a leg's term has the name of its leg."""
    return next((leg.name for leg in LEGS.values() if leg.key == term), term)


def decimals(value: float) -> str:
    """Four decimals, and never `-0.0000`."""
    return f"{value:z.4f}"


def millis(value: float) -> str:
    """Milliseconds to one decimal: `12.4`, `8`."""
    return f"{value:.1f}".removesuffix(".0")


def captured_at(epoch_ms: int) -> str:
    """When a snapshot was taken: `2026-04-20T17:30:00.000Z`; `(unknown)` before 1970 and after the year 9999."""
    if epoch_ms < 0:
        return "(unknown)"
    try:
        return isoformat(_EPOCH + timedelta(milliseconds=epoch_ms))
    except OverflowError:
        return "(unknown)"


def _provenance_fields(provenance: Provenance, *, verbose: bool) -> tuple[LabelledLine, ...]:
    """Where a result is from, why it was found, its scopes, and whether it is safe to use."""
    return (
        LabelledLine("provenance", _origin_spans(provenance) if verbose else _brief_spans(provenance)),
        LabelledLine("retrieval-reason", _verbatim(provenance.retrieval_reason)),
        LabelledLine("context-scopes", _listed(provenance.user_context_scopes)),
        LabelledLine("safety", _safety(provenance)),
    )


def _origin_spans(provenance: Provenance) -> Spans:
    """Every property of a provenance as `name=value`, for `verbose`; `_brief_spans` says the same in words."""
    corrected = provenance.correction_state if provenance.corrected else "false"
    return (
        FieldSpan("source="),
        FieldSpan(provenance.source, "verbatim"),
        FieldSpan(" created="),
        FieldSpan(provenance.created or "unknown", "verbatim"),
        FieldSpan(" scope="),
        FieldSpan(provenance.scope, "verbatim"),
        FieldSpan(f" confidence={provenance.confidence:.2f}{_levels_text(provenance)} stale={_yes(provenance.stale)}"),
        FieldSpan(f" corrected={corrected} safe={_yes(provenance.safe_to_use)}"),
    )


def _levels_text(provenance: Provenance) -> str:
    """The names of its confidence and its importance, as far as they are known."""
    tier, level = provenance.confidence_tier, provenance.importance_level
    return (f" ({tier})" if tier else "") + (f" importance={level}" if level else "")


def _brief_spans(provenance: Provenance) -> Spans:
    """Where a memory is from and since when, and only what is out of the ordinary of its state."""
    said = [f" confidence={provenance.confidence:.2f}"]
    said += [" stale=true"] if provenance.stale else []
    said += [f" corrected={provenance.correction_state}"] if provenance.corrected else []
    made = (provenance.created or "unknown")[:10]
    return (
        FieldSpan("source="),
        FieldSpan(provenance.source, "verbatim"),
        FieldSpan(" created="),
        FieldSpan(made, "verbatim"),
        FieldSpan("".join(said)),
    )


def _safety(provenance: Provenance) -> Spans:
    """Whether it is safe to use, with the reasons against; nothing where it is and there are none."""
    reasons = _listed(provenance.safety_reasons)
    if provenance.safety == "safe" and not reasons:
        return ()
    return (FieldSpan(provenance.safety), *((FieldSpan(" ("), *reasons, FieldSpan(")")) if reasons else ()))


def _staleness(staleness: Staleness, *, verbose: bool) -> Spans:
    """Of a memory due for verification only: that it was superseded, and how long ago it was verified, if ever.

    That nobody ever verified it is true of nearly everything, and matters to who asks for all there is.
    """
    if staleness.due and staleness.retired:
        return (FieldSpan("its document is "), FieldSpan(staleness.retired, "verbatim"))
    verified = staleness.last_verified_at
    if not staleness.due or not (verbose or verified or staleness.superseded):
        return ()
    since = (
        (FieldSpan("last verified "), FieldSpan(verified, "verbatim")) if verified else (FieldSpan("never verified"),)
    )
    days = "day" if staleness.age_days == 1 else "days"
    replaced = (FieldSpan("superseded since, "),) if staleness.superseded else ()
    return (*replaced, *since, FieldSpan(f", {staleness.age_days} {days} old"))


def _leg_spans(contribution: LegContribution, query_terms: tuple[str, ...]) -> Spans:
    """`vector #2 (cosine 0.71)`: one leg's place and raw score, and which words of the query it matched."""
    words = _joined(_matched_word(index, query_terms) for index in contribution.matches)
    return (
        FieldSpan(contribution.leg, "verbatim"),
        FieldSpan(f" #{contribution.rank} ("),
        FieldSpan(contribution.score_type, "verbatim"),
        FieldSpan(f" {decimals(contribution.raw_score)})"),
        *((FieldSpan(" matched "), *words) if words else ()),
    )


def _matched_word(index: int, query_terms: tuple[str, ...]) -> Spans:
    """The query's word in quotes; its number where the words are withheld."""
    if 0 <= index < len(query_terms):
        return (FieldSpan('"'), FieldSpan(query_terms[index], "verbatim"), FieldSpan('"'))
    return _plain(f"word {index + 1}")


def _aligned(each: Alignment, query_terms: tuple[str, ...]) -> Spans:
    met = (FieldSpan(' met "'), FieldSpan(each.word, "verbatim"), FieldSpan(f'" ({each.similarity:.2f})'))
    return (*_matched_word(each.term, query_terms), *met)


def _rerank_spans(detail: RerankDetail) -> Spans:
    """`#2 (late-interaction 0.71)`: the place and raw score that the reranker gave."""
    return (
        FieldSpan(f"#{detail.rank} ("),
        FieldSpan(detail.backend, "verbatim"),
        FieldSpan(f" {decimals(detail.raw_score)})"),
    )


def _filled_fields(*fields: LabelledLine) -> tuple[LabelledLine, ...]:
    return tuple(field for field in fields if field.spans)


def _plain(text: str) -> Spans:
    return (FieldSpan(text),) if text else ()


def _verbatim(text: str | None) -> Spans:
    return (FieldSpan(text, "verbatim"),) if text else ()


def _prose(text: str) -> Spans:
    return (FieldSpan(text, "prose"),) if text else ()


def _listed(names: Iterable[str], separator: FieldSpan = _COMMA) -> Spans:
    return _joined(((FieldSpan(name, "verbatim"),) for name in names), separator)


def _joined(groups: Iterable[Spans], separator: FieldSpan = _COMMA) -> Spans:
    spans = tuple(span for group in groups for span in (separator, *group))
    return spans[1:]


def _yes(value: bool) -> str:
    return "true" if value else "false"
