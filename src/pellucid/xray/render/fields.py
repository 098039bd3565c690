"""The parts of a snapshot in, labelled fields out: one wording, one order and one rounding for every format.

A field is a label and spans. A span says whether its text is ours or somebody else's, which each format draws in its
own way. A field without a value is left out.
"""

from dataclasses import dataclass

from pellucid.model.snapshot import (
    Alignment,
    LegContribution,
    Provenance,
    QueryRead,
    RecallXraySnapshot,
    RerankDetail,
    Staleness,
    TierExplain,
    XrayResult,
)
from pellucid.xray.render.spans import (
    ARROW,
    FieldSpan,
    Spans,
    joined,
    joined_names,
    named_memory,
    plain,
    prose,
    verbatim,
    with_memory_names,
)
from pellucid.xray.render.terms import decimals, lead_in_words, score_line, weights_note
from pellucid.xray.words.failures import failures_in_words
from pellucid.xray.words.numbers import counted, instant_text, listed
from pellucid.xray.words.rungs import NO_ANSWER, RULED_OUT, rejection_in_words, shown_in_words, verdict_in_words
from pellucid.xray.words.sureness import degrees_in_words, signs_in_words, sureness

NO_SNAPSHOT = "No X-ray snapshot captured."
NO_TIER = "it was not asked whether one memory answers by itself"
_PLACES = "numbered by score among those shown; the context tells the same memories by session and document"
_NEXT = "ask why of one memory and this recall: what brought it in or kept it out, and what would change that"
"""Of no surface's spelling: an explanation is the same bytes wherever it is read."""
_PATHS = "a graph path is told as it was walked, and its edges as they point"
_FOLDED = frozenset({"served-by", "admitted-by", "audit-entry", "legs", "rerank"})
"""Fields of a result that `verbose` alone shows: alike for every result, or said by its sentence already."""
_SERVED_BY = {"hybrid": "hybrid: by the legs below, or beside a match"}
_CLASSES = {
    "decision": "what was decided",
    "historical": "how it was",
    "architectural": "how it is built",
    "current_state": "how it is now",
}
_ENDED = "stale=true"
"""A reason against use that another one beside it explains."""
_AGAINST_USE = {"status": "its status is ", "document": "its document is ", "boundary-blocked": "it is marked "}
"""The words before the value of a reason against use."""


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A field on one line: its label (`audit-entry`) and its value."""

    label: str
    spans: Spans

    @property
    def title(self) -> str:
        """The label as a heading: `Audit entry`."""
        return self.label.replace("-", " ").capitalize()


def header_fields(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> tuple[LabelledLine, ...]:
    """Return the fields of the recall as a whole: how sure it is, its ids, how the query was read, and the budget used.

    How sure it is is left out of a recall that neither abstained nor has results; without `verbose`, the trace id and
    the query's class are left out, too.
    """
    doubt = snapshot.abstention
    doubt = doubt if doubt and (doubt.abstained or snapshot.results) else None  # nobody is sure of what is not shown
    return _fields(
        ("answer", plain(sureness(doubt.doubt, doubt.threshold, abstained=doubt.abstained)) if doubt else ()),
        ("doubt", plain(signs_in_words(doubt, [each.memory_id for each in snapshot.results])) if doubt else ()),
        ("degrees", plain(degrees_in_words(doubt)) if doubt else ()),
        ("shown", plain(shown_in_words(snapshot))),
        ("degraded", prose("; ".join(failures_in_words(snapshot)))),
        ("recall", verbatim(snapshot.snapshot_id)),
        ("captured-at", plain(instant_text(snapshot.captured_at))),
        ("as-of", _past_spans(snapshot)),
        ("session", verbatim(snapshot.session_key)),
        ("namespace", verbatim(snapshot.namespace)),
        ("trace-id", verbatim(snapshot.trace_id) if verbose else ()),
        ("budget", plain(f"{snapshot.budget.used} / {snapshot.budget.chars} chars")),
        ("read-as", _reading_spans(snapshot, snapshot.plan, verbose=verbose) if snapshot.plan else ()),
        ("next", plain(_NEXT)),
    )


def _past_spans(snapshot: RecallXraySnapshot) -> Spans:
    """Return the past instants that were asked about (`as of`, `as known at`); empty for the present."""
    # a snapshot always says of when it is (`asOf`), so that two can be compared: of when it was made is no past
    past = snapshot.as_of if snapshot.as_of != instant_text(snapshot.captured_at) else None
    known_at = (FieldSpan("as known at "), *verbatim(snapshot.as_known_at)) if snapshot.as_known_at else ()
    return joined(filter(None, (verbatim(past), known_at)), FieldSpan("; "))


def _reading_spans(snapshot: RecallXraySnapshot, plan: QueryRead, *, verbose: bool) -> Spans:
    """Return how the query was understood: class (only if `verbose`), depth and why (unless it was searched in full),
    names, period, sub-questions, and how many memories the asked edges lead to. Parts that do not apply are left out.
    """
    why = f" ({plan.reason})" if plan.reason else ""
    said = " what was said" if plan.dates_what_was_said else ""
    named = (*plan.entities, *(name for name in plan.named if name not in plan.entities))
    names = joined_names(f'"{each}"' if " " in each else each for each in named)
    sub_questions = joined_names(plan.sub_queries)
    parts = [
        plain(f"asks {_CLASSES[plan.query_class]}") if verbose and plan.query_class in _CLASSES else (),
        plain(f"searched in {plan.depth}{why}") if plan.depth != "full" else (),
        (FieldSpan("names "), *names) if names else (),
        (FieldSpan(f"about{said} "), *verbatim(plan.period)) if plan.period else (),
        (FieldSpan("also asked "), *sub_questions) if sub_questions else (),
        plain(_answers_in_words(snapshot, plan.answers)) if plan.answers else (),
    ]
    return joined((part for part in parts if part), FieldSpan("; "))


def _answers_in_words(snapshot: RecallXraySnapshot, answers: int) -> str:
    """Say to how many memories the edges that are asked for lead, and how many of these are shown."""
    ranks = [each.rank for result in snapshot.results for each in result.contributions if each.leg == "graph"]
    shown = sum(rank <= answers for rank in ranks)
    memories = counted(answers, "memory", "memories")
    return f"edges that it asks for lead to {memories}, {'all' if shown == answers else shown} of them shown"


def result_fields(
    result: XrayResult, snapshot: RecallXraySnapshot, *, verbose: bool = True
) -> tuple[LabelledLine, ...]:
    """Return the fields of a result, plain words first; fields without a value are left out. Without `verbose`, those
    in `_FOLDED`, terms that are 0, and the usual values of its provenance are left out, too.
    """
    query_terms, own_id = snapshot.query_terms, result.memory_id
    all_fields = _fields(
        ("why", with_memory_names(result.why, snapshot, "prose", own_id)),
        ("ahead", plain(lead_in_words(result, snapshot))),
        ("moved-above", named_memory(result.newer_than, snapshot.words) if result.newer_than else ()),
        ("memory", verbatim(result.memory_id)),
        ("served-by", plain(_SERVED_BY.get(result.served_by, result.served_by))),
        ("path", verbatim(result.path)),
        ("score", verbatim(score_line(result.score_decomposition, zeros=verbose))),
        *(_provenance_fields(result.provenance, verbose=verbose) if result.provenance else ()),
        ("told", verbatim(result.told)),
        ("quotes", joined((with_memory_names(each, snapshot) for each in result.quotes), FieldSpan("; "))),
        ("staleness", _staleness_spans(result.staleness, verbose=verbose) if result.staleness else ()),
        ("admitted-by", joined_names(result.admitted_by)),
        ("flagged", _flag_spans(result.rejected_by) if result.rejected_by else ()),
        (
            "graph-path",
            joined((with_memory_names(each, snapshot, own_id=own_id) for each in result.graph_path or ()), ARROW),
        ),
        ("edge-confidences", plain(", ".join(f"{each:.2f}" for each in result.graph_edge_confidences or ()))),
        ("graph-edges", joined(with_memory_names(each, snapshot, own_id=own_id) for each in result.graph_edges or ())),
        ("audit-entry", verbatim(result.audit_entry_id)),
        ("legs", joined(_leg_spans(each, query_terms) for each in result.contributions)),
        ("rerank", _rerank_spans(result.rerank) if result.rerank else ()),
        ("words", joined(_alignment_spans(each, query_terms) for each in result.alignment)),
    )
    return tuple(field for field in all_fields if verbose or field.label not in _FOLDED)


def _flag_spans(rung: str) -> Spans:
    """Return the warning for a result that a rung flagged but did not reject: the rung's words and its name."""
    return (FieldSpan(f"{rejection_in_words(rung, None)} ("), FieldSpan(rung, "verbatim"), FieldSpan("), but let pass"))


def tier_fields(tier: TierExplain, *, verbose: bool = True) -> tuple[LabelledLine, ...]:
    """Return the fields of the direct-answer verdict. Without `verbose`, of a verdict without an answer, only the
    reason.
    """
    if not verbose and tier.tier_reason in NO_ANSWER:
        return (LabelledLine("reason", prose(verdict_in_words(tier.tier_reason))),)
    return _fields(
        ("tier", verbatim(tier.tier)),
        ("reason", prose(verdict_in_words(tier.tier_reason))),
        ("candidates-considered", plain(str(tier.candidates_considered))),
        ("latency-ms", plain(millis(tier.latency_ms))),
        ("others-ruled-out-by", joined(map(_gate_spans, tier.filtered_by)) or plain("(none)")),
    )


def _gate_spans(gate: str) -> Spans:
    """Return in words why a memory cannot answer alone, by the gate that ruled it out; an unknown gate's name."""
    return plain(RULED_OUT[gate]) if gate in RULED_OUT else verbatim(gate)


def notes_on(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return what is to be known of all results: how they are numbered (if there are several), which further episodes
    the context names and how graph paths are told (if there are any), and what a first place pays in each leg and with
    the reranker.
    """
    places = (_PLACES,) if len(snapshot.results) > 1 else ()
    paths = (_PATHS,) if any(each.graph_path for each in snapshot.results) else ()
    return (*places, *_episodes_note(snapshot), *paths, *weights_note(snapshot))


def _episodes_note(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return as one note why the context names further episodes at its end; empty if it names none."""
    episodes = snapshot.context.episodes
    if not episodes:
        return ()
    found = sum(each.matches > 0 for each in episodes)
    of_them = [f"{found} whose memories were found, but were weaker"] if found else []
    of_them += [f"{len(episodes) - found} whose topic alone is near the question"] if found < len(episodes) else []
    named = counted(len(episodes), "other episode")
    return (f"the context ends with the {'topics' if len(episodes) > 1 else 'topic'} of {named}: {listed(of_them)}",)


def millis(value: float) -> str:
    """Write a number of milliseconds with at most one decimal: `12.4`, `8`."""
    return f"{value:.1f}".removesuffix(".0")


def _provenance_fields(provenance: Provenance, *, verbose: bool) -> tuple[tuple[str, Spans], ...]:
    """Return the labels and values of a provenance: origin (in brief without `verbose`), scopes, safety."""
    return (
        ("provenance", _origin_spans(provenance) if verbose else _brief_spans(provenance)),
        ("context-scopes", joined_names(provenance.user_context_scopes)),
        ("safety", _safety_spans(provenance)),
    )


def _origin_spans(provenance: Provenance) -> Spans:
    """Return the properties of a provenance as `name=value`, without whether it may be used, which `safety` says."""
    corrected = provenance.correction_state if provenance.corrected else "false"
    tier, level = provenance.confidence_tier, provenance.importance_level
    levels = (f" ({tier})" if tier else "") + (f" importance={level}" if level else "")
    return (
        *_source_spans(provenance, provenance.created or "unknown"),
        FieldSpan(" scope="),
        FieldSpan(provenance.scope, "verbatim"),
        FieldSpan(f" confidence={provenance.confidence:.2f}{levels} corrected={corrected}"),
    )


def _brief_spans(provenance: Provenance) -> Spans:
    """Return the category, source, time (`_minute`) and confidence of a memory, and whether it is corrected."""
    state = f" confidence={provenance.confidence:.2f}"
    state += f" corrected={provenance.correction_state}" if provenance.corrected else ""
    return (*_source_spans(provenance, _minute(provenance)), FieldSpan(state))


def _minute(provenance: Provenance) -> str:
    """Return when a memory was written down, to the minute; of a section of a document the day, as all were indexed at
    once; `unknown` if that is not recorded.
    """
    created = provenance.created or "unknown"
    return created[:10] if provenance.source == "document" or len(created) < 16 else f"{created[:16]}Z"


def _source_spans(provenance: Provenance, created: str) -> Spans:
    """Return `category=… source=… created=…`; of a document `indexed=…`, for its own date is in its header."""
    label = " indexed=" if provenance.source == "document" else " created="
    category = provenance.category
    return (
        *((FieldSpan("category="), FieldSpan(category, "verbatim"), FieldSpan(" ")) if category else ()),
        FieldSpan("source="),
        FieldSpan(provenance.source, "verbatim"),
        FieldSpan(label),
        FieldSpan(created, "verbatim"),
    )


def _safety_spans(provenance: Provenance) -> Spans:
    """Return the safety verdict with the reasons against use, in words; empty for a safe memory."""
    explained = [each for each in provenance.safety_reasons if each != _ENDED] or provenance.safety_reasons
    reasons = joined(map(_reason_against_use, explained))
    if provenance.safety == "safe" and not reasons:
        return ()
    return (FieldSpan(provenance.safety), *((FieldSpan(": "), *reasons) if reasons else ()))


def _reason_against_use(reason: str) -> Spans:
    """Return a reason against use, as it is in JSON, in words: `its document is withdrawn` for `document=withdrawn`."""
    name, _, value = reason.partition("=")
    if reason == _ENDED:
        return plain("it no longer holds")
    return (FieldSpan(_AGAINST_USE[name]), *verbatim(value)) if name in _AGAINST_USE else verbatim(reason)


def _staleness_spans(staleness: Staleness, *, verbose: bool) -> Spans:
    """Return why a memory is due for verification: that it is superseded, when it was last verified, and its age.

    Empty for a memory that is not due, and for a section of a retired document, which `safety` tells. One that was
    never verified is shown only with `verbose`, or if superseded.
    """
    verified = staleness.last_verified_at
    if not staleness.due or staleness.retired or not (verbose or verified or staleness.superseded):
        return ()
    since = (
        (FieldSpan("last verified "), FieldSpan(verified, "verbatim")) if verified else (FieldSpan("never verified"),)
    )
    days = "day" if staleness.age_days == 1 else "days"
    replaced = (FieldSpan("superseded since, "),) if staleness.superseded else ()
    return (*replaced, *since, FieldSpan(f", {staleness.age_days} {days} old"))


def _leg_spans(contribution: LegContribution, query_terms: tuple[str, ...]) -> Spans:
    """Return a leg's rank and raw score, and the query words it matched: `vector #2 (cosine 0.71) matched "cache"`."""
    words = joined(_matched_word(index, query_terms) for index in contribution.matches)
    return (
        FieldSpan(contribution.leg, "verbatim"),
        FieldSpan(f" #{contribution.rank} ("),
        FieldSpan(contribution.score_type, "verbatim"),
        FieldSpan(f" {decimals(contribution.raw_score)})"),
        *((FieldSpan(" matched "), *words) if words else ()),
    )


def _matched_word(index: int, query_terms: tuple[str, ...]) -> Spans:
    """Return the query word at an index in quotes; `word 3` if the words are withheld."""
    if 0 <= index < len(query_terms):
        return (FieldSpan('"'), FieldSpan(query_terms[index], "verbatim"), FieldSpan('"'))
    return plain(f"word {index + 1}")


def _alignment_spans(alignment: Alignment, query_terms: tuple[str, ...]) -> Spans:
    """Return a query word and the memory word that matched it: `"cache" met "caching" (0.83)`."""
    met = (FieldSpan(' met "'), FieldSpan(alignment.word, "verbatim"), FieldSpan(f'" ({alignment.similarity:.2f})'))
    return (*_matched_word(alignment.term, query_terms), *met)


def _rerank_spans(detail: RerankDetail) -> Spans:
    """Return the rank and raw score that the reranker gave: `#2 (late-interaction 0.71)`."""
    return (
        FieldSpan(f"#{detail.rank} ("),
        FieldSpan(detail.backend, "verbatim"),
        FieldSpan(f" {decimals(detail.raw_score)})"),
    )


def _fields(*values: tuple[str, Spans]) -> tuple[LabelledLine, ...]:
    """Return the fields of these labels and values, without those that have no value."""
    return tuple(LabelledLine(label, spans) for label, spans in values if spans)
