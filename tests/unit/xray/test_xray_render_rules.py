"""One rule of the renderer a test."""

import json
import re
from typing import Any

import pytest

from kits.rendering import empty, full, holding
from pellucid.model.snapshot import (
    AbstentionTrace,
    FilterTrace,
    LegContribution,
    LegHealth,
    Provenance,
    QueryRead,
    RecallXraySnapshot,
    RejectedCandidate,
    RerankDetail,
    ScoreDecomposition,
    StageTrace,
    Staleness,
    TierExplain,
)
from pellucid.xray.render.formats import render
from pellucid.xray.render.terms import SCORE_KEYS, term_name
from pellucid.xray.words.headline import headline
from pellucid.xray.words.rungs import repeat_in_words
from pellucid.xray.words.sureness import sureness_of_one


def lines(snapshot: RecallXraySnapshot | None) -> list[str]:
    return render(snapshot, "text", verbose=True).split("\n")


def line(snapshot: RecallXraySnapshot, label: str) -> str | None:
    """What stands after a label in the text form; None if it is not there."""
    found = [
        each.strip().removeprefix(f"{label}: ") for each in lines(snapshot) if each.strip().startswith(f"{label}:")
    ]
    assert len(found) < 2
    return found[0] if found else None


def provenance(**given: Any) -> Provenance:
    fields = {
        "source": "manual",
        "scope": "namespace:a/b",
        "retrieval_reason": "served-by=hybrid",
        "confidence": 0.5,
        "stale": False,
        "corrected": False,
        "correction_state": "none",
        "safe_to_use": True,
        "safety": "safe",
    }
    return Provenance(**fields | given)


def test_score_terms_keep_one_order_whichever_are_there() -> None:
    terms: dict[str, float] = {str(name): 1.0 for name in reversed(SCORE_KEYS)}
    assert (
        line(holding(final=1.0, scores={"pin": 0.5, "vector": 1.0}), "score") == "final=1.0000 vector=1.0000 pin=0.5000"
    )
    shown = line(holding(final=terms.pop("final"), scores=terms), "score")
    assert shown == " ".join(f"{term_name(name)}=1.0000" for name in SCORE_KEYS)
    assert "lexical=1.0000" in shown


def test_every_term_of_the_model_is_shown() -> None:
    assert set(SCORE_KEYS) == ScoreDecomposition.model_fields.keys()


def test_a_zero_is_shown_an_absent_term_is_not_and_no_zero_is_negative() -> None:
    shown = line(holding(final=-0.00001, scores={"importance": 0.0, "heat": -0.0}), "score")
    assert shown == "final=0.0000 importance=0.0000 heat=0.0000"
    assert render(holding(final=0, scores={"importance": 0.0, "heat": -0.0}), "text").endswith("score: final=0.0000")


def test_the_penalty_is_printed_positive() -> None:
    assert line(holding(final=0.9, scores={"vector": 1.0, "mmr_penalty": 0.1}), "score") == (
        "final=0.9000 vector=1.0000 mmrPenalty=0.1000"
    )


def test_the_lines_of_a_result_stand_in_their_order_after_the_sentence() -> None:
    snapshot = holding(
        why="Because.",
        provenance=provenance(user_context_scopes=("repo",), safety_reasons=("stale=true",)),
        admitted_by=("a",),
        rejected_by="b",
        graph_path=("x", "y"),
        graph_edge_confidences=(0.5,),
        audit_entry_id="aud_1",
        rerank=RerankDetail(backend="cohere", rank=3, raw_score=0.25, term=1.0),
        contributions=(LegContribution(leg="vector", rank=1, raw_score=1.0, score_type="cosine", term=1.0),),
    )
    labels = [each.split(":")[0] for each in lines(snapshot) if each.startswith("    ")]
    assert labels == [
        f"    {label}"
        for label in (
            "why",
            "memory",
            "served-by",
            "path",
            "score",
            "provenance",
            "context-scopes",
            "safety",
            "admitted-by",
            "flagged",
            "graph-path",
            "edge-confidences",
            "audit-entry",
            "legs",
            "rerank",
        )
    ]


def test_a_result_with_nothing_more_to_say_is_its_heading_and_its_score() -> None:
    text = lines(holding(path=""))
    at = text.index("--- results ---")
    assert text[at + 1 : at + 6] == [
        "[1] mem_1",
        "    memory: mem_1",
        "    served-by: hybrid: by the legs below, or beside a match",
        "    score: final=1.0000",
        "",
    ]


def test_provenance_says_unknown_where_no_creation_is_known_and_names_the_correction() -> None:
    plain = line(holding(provenance=provenance()), "provenance")
    assert plain == ("source=manual created=unknown scope=namespace:a/b confidence=0.50 corrected=false")
    corrected = provenance(corrected=True, correction_state="disputed", stale=True, created="2026")
    assert line(holding(provenance=corrected), "provenance") == (
        "source=manual created=2026 scope=namespace:a/b confidence=0.50 corrected=disputed"
    )


@pytest.mark.parametrize(
    ("safety", "reasons", "shown"),
    [
        ("safe", (), None),
        ("safe", ("seen=once",), "safe: seen=once"),
        ("requires-review", ("status=disputed", "stale=true"), "requires-review: its status is disputed"),
        ("requires-review", ("stale=true",), "requires-review: it no longer holds"),
        ("blocked", ("boundary-blocked=private",), "blocked: it is marked private"),
        ("blocked", (), "blocked"),
    ],
)
def test_safety_is_shown_unless_safe_without_a_reason(safety: str, reasons: tuple[str, ...], shown: str | None) -> None:
    assert line(holding(provenance=provenance(safety=safety, safety_reasons=reasons)), "safety") == shown


def test_legs_show_place_raw_score_and_the_words_matched() -> None:
    legs = (
        LegContribution(leg="vector", rank=3, raw_score=0.5812, score_type="cosine", term=0.8),
        LegContribution(leg="lexical", rank=1, raw_score=12.4, score_type="bm25", matches=(0, 1), term=1.0),
    )
    snapshot = holding(contributions=legs, rerank=RerankDetail(backend="none", rank=2, raw_score=0.4312, term=1.0))
    assert line(snapshot, "legs") == 'vector #3 (cosine 0.5812), lexical #1 (bm25 12.4000) matched "ttl", "cache"'
    assert line(snapshot, "rerank") == "#2 (none 0.4312)"


def test_a_matched_word_that_is_withheld_is_named_by_its_number() -> None:
    leg = LegContribution(leg="lexical", rank=1, raw_score=1.0, score_type="bm25", matches=(0, 4, -1), term=1.0)
    assert line(holding(contributions=(leg,)), "legs") == 'lexical #1 (bm25 1.0000) matched "ttl", word 5, word 0'


def test_graph_paths_have_arrows_and_confidences_two_decimals() -> None:
    snapshot = holding(graph_path=("a", "b", "c"), graph_edge_confidences=(0.875, 1.0))
    assert line(snapshot, "graph-path") == "a -> b -> c"
    assert line(snapshot, "edge-confidences") == "0.88, 1.00"
    assert "- **Graph path:** `a` → `b` → `c`" in render(snapshot, "markdown")
    walked = "a graph path is told as it was walked, and its edges as they point"
    assert f"({walked})" in render(snapshot, "text")
    assert walked not in render(holding(), "text")
    episode = holding(graph_path=("a", f"ep_{5:032x}"), graph_edge_confidences=(1.0,))
    assert line(episode, "graph-path") == "a -> a stretch of their session"


def test_where_a_line_would_name_a_memory_by_its_id_its_number_or_its_words_stand() -> None:
    other, unsaid = f"mem_{7:032x}", f"mem_{8:032x}"
    plain, here = holding(), f"mem_{6:032x}"
    path = ("crane", here, other, unsaid)
    known = {"memory_id": here, "graph_path": path, "graph_edges": (f"{here} ABOUT crane",)}
    result = plain.results[0].model_copy(update=known)
    lost = RejectedCandidate(memory_id=other, rejected_by="repeats", reason=f"it is said, too: {here}", final=0.5)
    snapshot = plain.model_copy(update={"results": (result,), "rejected": (lost,), "words": {other: "It lifts timber"}})
    assert line(snapshot, "graph-path") == f'crane -> this memory -> "It lifts timber" ({other}) -> {unsaid}'
    assert line(snapshot, "graph-edges") == "this memory ABOUT crane"
    assert "it is said, too: [1];" in render(snapshot, "text")
    assert "| it is said, too: [1] |" in render(snapshot, "markdown")


def test_a_rung_shows_its_counts_the_soft_ones_and_its_reason() -> None:
    rungs = (
        FilterTrace(name="one", considered=12, admitted=12),
        FilterTrace(name="two", considered=12, admitted=9, soft_admitted=2, reason="too few words"),
    )
    snapshot = empty(filters=rungs)
    two = "- two: 9 of 12 passed; too few words: 3 turned away, 2 let pass, but flagged\n"
    assert f"- one: 12 of 12 passed\n{two}" in render(snapshot, "text", verbose=True)
    assert f"--- filters and cuts ---\n{two}- no memory was turned away by one\n" in render(snapshot, "text")
    assert "| `two` | 12 | 9 | 2 | too few words |\n\nNo memory was turned away by `one`." in render(
        snapshot, "markdown"
    )


def test_a_rung_that_is_known_says_in_plain_words_what_it_turned_away() -> None:
    rungs = (
        FilterTrace(name="score-floor", considered=62, admitted=33, reason="below the cosine floor"),
        FilterTrace(name="top-k", considered=33, admitted=12, reason="beyond topK"),
        FilterTrace(name="repeats", considered=12, admitted=11),
    )
    text = render(empty(filters=rungs), "text")
    assert "- score-floor: 33 of 62 passed; 29 too unlike the question\n" in text
    assert "shown: 0 memories. Left out: 21 weaker, 1 repeat; 29 turned away by filters\n" in text


def test_the_words_of_a_memory_stand_where_its_id_would_and_the_id_below() -> None:
    lost = RejectedCandidate(memory_id="mem_2", rejected_by="top-k", reason="beyond topK", margin=0.25, final=0.5)
    words = {"mem_1": "The cache is Redis", "mem_2": "The queue is Kafka #2"}
    snapshot = holding().model_copy(update={"rejected": (lost,), "rejected_total": 1, "words": words})
    text, markdown = render(snapshot, "text"), render(snapshot, "markdown")
    assert "[1] The cache is Redis\n    memory: mem_1\n" in text
    assert text.endswith(
        "- The queue is Kafka #2\n    top-k: weaker, score 0.2500 below the last one within top-k; final=0.5000; mem_2"
    )
    assert "### \\[1\\] The cache is Redis\n\n- **Memory:** `mem_1`\n" in markdown
    assert (
        "| The queue is Kafka \\#2 | `top-k` "
        "| weaker, score 0.2500 below the last one within top-k | 0.5000 | `mem_2` |" in markdown
    )


def test_what_every_result_has_in_common_is_said_when_everything_is_asked_for() -> None:
    leg = LegContribution(leg="vector", rank=1, raw_score=1.0, score_type="cosine", term=1.0)
    snapshot = holding(
        provenance=provenance(created="2026-04-20T17:30:00.000Z"),
        admitted_by=("a",),
        audit_entry_id="aud_1",
        contributions=(leg,),
        staleness=Staleness(age_days=200, superseded=False, due=True),
    )
    idle = LegHealth(name="graph", health="off", reason="names nothing", admitted=0, open=0)
    snapshot = snapshot.model_copy(update={"legs": (idle,)})
    brief, whole = render(snapshot, "text"), render(snapshot, "text", verbose=True)
    labels = ("served-by: hybrid: by the legs", "admitted-by: ", "audit-entry: ", "legs: ")
    for said in (*labels, "never verified", "- graph"):
        assert said in whole
        assert said not in brief
    assert "    provenance: source=manual created=2026-04-20T17:30Z confidence=0.50" in brief


def test_markdown_names_a_leg_without_a_reason_to_be_asked_only_when_everything_is_asked_for() -> None:
    idle = LegHealth(name="graph", health="off", reason="names nothing", admitted=0, open=0)
    asked = LegHealth(name="vector", health="empty", admitted=0, open=0)
    snapshot = empty(legs=(idle, asked))
    brief, whole = render(snapshot, "markdown"), render(snapshot, "markdown", verbose=True)
    assert "| `vector` | empty |" in brief
    assert "`graph`" not in brief
    assert "| `graph` | off |" in whole
    assert "## Legs" not in render(empty(legs=(idle,)), "markdown")


@pytest.mark.parametrize("verbose", [False, True])
def test_what_no_longer_holds_is_told_in_words_and_not_a_second_time_as_a_flag(*, verbose: bool) -> None:
    ended = provenance(stale=True, safe_to_use=False, safety="requires-review", safety_reasons=("stale=true",))
    for form in ("text", "markdown"):
        drawn = render(holding(provenance=ended), form, verbose=verbose)
        assert "requires-review: it no longer holds" in drawn
        assert "stale=" not in drawn
        assert "stale=" not in render(holding(provenance=provenance()), form, verbose=verbose)


@pytest.mark.parametrize(
    ("doubt", "threshold", "said"),
    [
        (0.1, 1.0, "sure that this answers it (doubt 0.10)"),
        (0.34, 1.0, "fairly sure that this answers it (doubt 0.34)"),
        (0.57, 1.0, "not sure that this answers it (doubt 0.57)"),
        (0.61, 1.0, "not sure: this may not be known here (doubt 0.61)"),
        (
            0.57,
            0.5,
            "not known: nothing here is near enough to be an answer (doubt 0.57, an answer needs less than 0.50)",
        ),
        (
            1.0,
            1.0,
            "not known: nothing here could be an answer (doubt 1.00)",
        ),
    ],
)
def test_how_sure_a_recall_is_is_said_in_words(doubt: float, threshold: float, said: str) -> None:
    trace = AbstentionTrace(doubt=doubt, threshold=threshold, abstained=doubt >= threshold)
    shown = empty() if trace.abstained else holding()
    assert line(shown.model_copy(update={"abstention": trace}), "answer") == said


def test_a_degraded_leg_and_an_empty_one_do_not_look_alike() -> None:
    legs = (
        LegHealth(name="graph", health="degraded", reason="no such table", admitted=0, open=0),
        LegHealth(name="vector", health="empty", admitted=0, open=3),
    )
    text = render(empty(legs=legs), "text")
    assert "- graph: degraded (no such table)\n- vector: empty; 3 are not allowed to answer\n" in text


def test_the_rejected_show_rung_reason_margin_and_final_and_how_many_more_there_are() -> None:
    candidates = (
        RejectedCandidate(memory_id="mem_2", rejected_by="top-k", reason="beyond topK", margin=0.0, final=0.5),
        RejectedCandidate(memory_id="mem_3", rejected_by="trust-zone", reason="", final=0.25),
    )
    snapshot = empty(rejected=candidates, rejected_total=9)
    text, markdown = render(snapshot, "text"), render(snapshot, "markdown")
    assert "- mem_2\n    top-k: weaker, score 0.0000 below the last one within top-k; final=0.5000\n" in text
    assert "- mem_3\n    trust-zone: in quarantine; final=0.2500\n" in text
    assert "(7 more not listed)" in text
    assert "| `mem_3` | `trust-zone` | in quarantine | 0.2500 | `mem_3` |\n\n_7 more not listed._" in markdown


def test_the_rejected_whose_words_are_not_told_are_told_together_by_why() -> None:
    candidates = (
        RejectedCandidate(memory_id="mem_2", rejected_by="top-k", reason="beyond topK", margin=0.0, final=0.5),
        RejectedCandidate(memory_id="mem_3", rejected_by="trust-zone", reason="quarantined", final=0.25),
        RejectedCandidate(memory_id="mem_4", rejected_by="trust-zone", reason="quarantined", final=0.25),
        RejectedCandidate(memory_id="mem_5", rejected_by="trust-zone", reason="quarantined", final=0.25),
    )
    snapshot = empty(rejected=candidates, rejected_total=4, words={"mem_2": "the harbour crane"})
    told = render(snapshot, "text")
    assert "- the harbour crane\n" in told
    kept_back = "- 3 in quarantine, whose words are not told here; trust list shows them, to be let in"
    assert told.endswith(f"{kept_back}: mem_3, mem_4 and 1 more")
    assert "mem_5" not in told
    assert "- mem_5\n" in render(snapshot, "text", verbose=True)
    assert render(snapshot, "markdown").endswith(f"{kept_back}: `mem_3`, `mem_4` and 1 more")
    before, folded = render(snapshot, "html").split("<summary>3 in quarantine, whose words are not told here;")
    assert "mem_3" not in before.partition('id="rejected"')[2]
    assert "mem_5" in folded


def test_a_reason_is_counted_alike_wherever_it_is_counted_and_the_unnamed_are_told_by_reason() -> None:
    rungs = (
        FilterTrace(name="trust-zone", considered=40, admitted=11, reason="quarantined"),
        FilterTrace(name="repeats", considered=11, admitted=10, reason="repeats another"),
        FilterTrace(name="top-k", considered=10, admitted=2, reason="beyond topK"),
    )
    named = [
        RejectedCandidate(memory_id=f"mem_{at}", rejected_by="trust-zone", reason="", final=0.5) for at in range(3)
    ]
    snapshot = empty(filters=rungs, rejected=named, rejected_total=38, words={"mem_9": "the harbour crane"})
    for form in ("text", "markdown", "html"):
        told = render(snapshot, form)
        assert "3 of 29 in quarantine, whose words are not told here" in told
        assert "35 more not listed: 26 in quarantine, 1 repeat, 8 weaker" in told
        assert "0 memories. Left out: 1 repeat, 8 weaker; 29 turned away by filters" in told
    uncounted = snapshot.model_copy(update={"rejected_total": 40})
    assert "(37 more not listed)" in render(uncounted, "text")


def test_a_repeat_of_what_was_left_out_says_so_and_its_rung_is_not_said_twice() -> None:
    other = f"mem_{7:032x}"
    lost = RejectedCandidate(
        memory_id="mem_2", rejected_by="repeats", reason=repeat_in_words(other, shown=False), final=0.5
    )
    snapshot = empty(rejected=(lost,), rejected_total=1, words={other: "It lifts timber", "mem_2": "Timber is lifted"})
    told = f'    repeats a memory that was itself left out: "It lifts timber" ({other}); final=0.5000; mem_2'
    assert render(snapshot, "text").endswith(told)


@pytest.mark.parametrize(
    ("doubt", "said"),
    [
        (0.7, "too doubtful to be an answer (its own doubt 0.70, an answer needs less than 0.65)"),
        (0.65, "too doubtful to be an answer (its own doubt 0.65, an answer needs less than 0.65)"),
        (
            0.6499,
            "would do alone, but all together are too doubtful (its own doubt 0.6499, an answer needs less than 0.65)",
        ),
    ],
)
def test_a_near_miss_is_told_on_the_scale_of_the_doubt(doubt: float, said: str) -> None:
    assert sureness_of_one(doubt, 0.65) == said


def test_a_headline_keeps_a_title_apart_from_its_text_and_paragraphs_from_one_another() -> None:
    assert headline("# Why it is condensed\nWe need room") == "Why it is condensed · We need room"
    assert headline("Rolled back\r\n \r\n- by Ines\n- by Tom") == "Rolled back · by Ines - by Tom"
    assert headline("To roll back:\n1. Set enabled") == "To roll back: 1. Set enabled"
    header = "SPEC-034: Signal delivery\nstatus: accepted\nAuthor: Ines"
    assert headline(header) == "SPEC-034: Signal delivery · status: accepted · Author: Ines"


def test_a_headline_leaves_away_what_only_lays_a_memory_out() -> None:
    assert headline("```\n### Which sessions\n- **discard** those of `src/**/x.py`") == (
        "Which sessions · discard those of `src/**/x.py`"
    )
    assert headline("- one\n- two") == "one - two"
    assert headline("```") == "```"


def test_why_no_memory_answers_by_itself_is_said_in_words() -> None:
    tier = TierExplain(tier="hybrid", tier_reason="ambiguous", candidates_considered=2, latency_ms=0.1)
    said = "another memory holds nearly as many of the question's words"
    assert f"reason: no memory is put first as an answer by itself: {said}\n" in render(
        empty(tier_explain=tier), "text", verbose=True
    )


def test_none_of_many_rejected_being_named_is_said_too() -> None:
    snapshot = empty(rejected_total=3)
    assert "--- rejected ---\n(3 more not listed)" in render(snapshot, "text")
    assert "## Rejected\n\n_3 more not listed._" in render(snapshot, "markdown")


def test_stages_are_one_line_with_their_notes_at_its_end() -> None:
    stages = (StageTrace(name="plan", ms=0.44), StageTrace(name="rerank", ms=8.0, note="switched off"))
    drawn = empty(stages=stages)
    assert "--- stages ---\nplan 0.4 ms, rerank 8 ms; rerank: switched off\n" in render(drawn, "text", verbose=True)
    assert render(drawn, "text").endswith("--- stages ---\n8.4 ms in all; rerank: switched off")


def test_what_ruled_others_out_is_said_in_words_and_an_unknown_gate_by_its_name() -> None:
    gates = ("not-trusted-zone", "a-new-gate")
    tier = TierExplain(tier="hybrid", tier_reason="ambiguous", candidates_considered=2, latency_ms=8, filtered_by=gates)
    told = "others-ruled-out-by: neither asserted by a user nor trusted, a-new-gate"
    assert told in render(empty(tier_explain=tier), "text", verbose=True)


def test_the_tier_verdict_says_none_where_nothing_was_filtered_and_leaves_out_missing_anchors() -> None:
    tier = TierExplain(tier="hybrid", tier_reason="ambiguous", candidates_considered=2, latency_ms=8.0)
    assert render(empty(tier_explain=tier), "text", verbose=True).endswith(
        "question's words\ncandidates-considered: 2\nlatency-ms: 8\nothers-ruled-out-by: (none)"
    )
    assert "Source anchors" not in render(empty(tier_explain=tier), "markdown")


@pytest.mark.parametrize(
    ("epoch_ms", "shown"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_776_706_200_007, "2026-04-20T17:30:00.007Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "(unknown)"),
        (-1, "(unknown)"),
        (10**20, "(unknown)"),
        (10**400, "(unknown)"),
    ],
)
def test_a_time_out_of_range_is_unknown_in_print_and_kept_in_json(epoch_ms: int, shown: str) -> None:
    snapshot = empty(captured_at=epoch_ms)
    assert line(snapshot, "captured-at") == shown
    assert f"| Captured at | {shown} |" in render(snapshot, "markdown")
    assert json.loads(render(snapshot, "json"))["snapshot"]["capturedAt"] == epoch_ms


def test_blank_names_are_left_out_of_the_header() -> None:
    assert lines(empty(session_key="", namespace="a/b"))[1:7] == [
        "query: q",
        "shown: 0 memories",
        "recall: rec_1",
        "captured-at: 1970-01-01T00:00:00.000Z",
        "namespace: a/b",
        "budget: 0 / 10 chars",
    ]


def test_no_form_ends_with_a_newline() -> None:
    for snapshot in (None, empty(), full()):
        assert not render(snapshot, "text").endswith("\n")
        assert not render(snapshot, "markdown").endswith("\n")
        assert not render(snapshot, "json").endswith("\n")


def test_json_keeps_letters_of_every_script_and_spells_unseen_characters_out() -> None:
    text = render(empty(query="Größe 大きさ 👩‍💻\x9b31m\u202e"), "json")
    assert '"query": "Größe 大きさ 👩‍💻\\u009b31m\\u202e"' in text


def test_json_refuses_a_number_that_json_cannot_say() -> None:
    with pytest.raises(ValueError, match="JSON"):
        render(holding(final=float("nan")), "json")


def test_terms_are_told_in_words_once_and_colours_near_in_hue_differ_in_lightness() -> None:
    snapshot = holding(final=1.6, scores={"temporal": 0.1, "renewal": 0.5, "expansion": 1.2, "asking": -0.2})
    text, page = render(snapshot, "text"), render(snapshot, "html")
    told = text.partition("terms of the scores, whose sum is final:")[2]
    for said in (
        "temporal: how lately it was written down or indexed",
        "renewal: its move above an older memory that answers much the same",
        "asking: that it ends in a question",
    ):
        assert said in told
    legend = page.partition('aria-label="Terms of the scores"')[2].partition("</ul>")[0]
    looks = {
        words: tone
        for tone, words in re.findall(r'class="term" fill="oklch\(calc\([^+]*\+ (-?\d+)%[^/]*/></svg>([^<]+)<', legend)
    }
    recent, moved = (
        "temporal: how lately it was written down or indexed",
        "renewal: its move above an older memory that answers much the same",
    )
    assert looks[recent] != looks[moved]


def test_what_a_first_place_pays_is_told_and_what_stands_beside_an_edge_that_is_asked_for() -> None:
    weights = {"vector": 1.0, "lexical": 1.0, "graph": 20.0, "graphCompany": 8.0, "temporal": 0.1}
    shown = holding(final=6.0, scores={"vector": 0.5, "graph": 5.4, "temporal": 0.1}).model_copy(
        update={"weights": weights}
    )
    said = "a first place pays, a later one less (rrfK sets by how much): vector 1, graph 20 (8 for what is only near)"
    assert f"({said})\n" in render(shown, "text")
    assert f"A{said[1:]}." in render(shown, "markdown")
    assert f"A{said[1:]}." in render(shown, "html")
    off = shown.model_copy(update={"weights": weights | {"graph": 0.0}})
    assert "pays, a later one less (rrfK sets by how much): vector 1)" in render(off, "text")
    alike = shown.model_copy(update={"weights": weights | {"graphCompany": 20.0}})
    assert "vector 1, graph 20)" in render(alike, "text")
    assert "a first place pays" not in render(shown.model_copy(update={"weights": {}}), "text")


def test_a_result_says_what_puts_it_before_the_next_and_in_what_it_is_behind() -> None:
    first = holding(final=2.0, scores={"vector": 1.0, "bm25": 0.5, "passage": 0.3, "heat": 0.3, "mmr_penalty": 0.1})
    second = holding(final=1.0, scores={"vector": 0.6, "passage": 0.4, "mmr_penalty": 0.4}, memory_id="mem_2")
    both = first.model_copy(update={"results": (*first.results, *second.results)})
    assert (
        line(both, "ahead")
        == "of [2] by 1.0000: lexical +0.5000, vector +0.4000; behind in passage -0.1000; the rest +0.2000"
    )
    behind = first.model_copy(update={"results": (*second.results, *first.results)})
    assert line(behind, "ahead") is None, "one that scores less is ahead of nothing"
    assert line(first, "ahead") is None


def test_it_is_told_how_many_memories_the_asked_edges_lead_to_and_under_which_one_a_document_stands() -> None:
    found = [
        LegContribution(leg="graph", rank=rank, raw_score=0.5, score_type="activation", term=1.0) for rank in (1, 4)
    ]
    one, two = (holding(contributions=(each,), memory_id=f"mem_{each.rank}").results[0] for each in found)
    lost = RejectedCandidate(memory_id="mem_9", rejected_by="top-k", reason="", final=0.5, told_under="mem_4")
    plan = QueryRead(query_class="other", depth="full", answers=3)
    shown = empty(results=(one, two), rejected=(lost,), rejected_total=1, plan=plan)
    assert "\nread-as: edges that it asks for lead to 3 memories, 1 of them shown\n" in render(shown, "text")
    assert "weaker; its document is told of under [2]; final=0.5000" in render(shown, "text")
    assert "weaker; its document is told of under [2]" in render(shown, "markdown")
    all_shown = shown.model_copy(update={"plan": plan.model_copy(update={"answers": 1})})
    assert "lead to 1 memory, all of them shown" in render(all_shown, "text")


def test_a_direct_answer_is_said_to_be_what_was_tested() -> None:
    tier = TierExplain(
        tier="direct-answer",
        tier_reason="trusted statement, unambiguous, token-overlap 0.67",
        candidates_considered=2,
        latency_ms=8.0,
    )
    told = line(empty(tier_explain=tier), "reason")
    assert told is not None
    assert told.startswith("a trusted statement with 0.67 of the question's words, and no other")


def test_an_explanation_says_how_to_ask_further_and_how_long_the_list_may_be() -> None:
    rung = FilterTrace(name="top-k", considered=40, admitted=3, reason="beyond topK")
    told = render(empty(filters=(rung,)), "text")
    assert "\nnext: ask why of one memory and this recall: what brought it in or kept it out" in told
    assert "- top-k: 3 of 40 passed, as many as top-k allows; 37 weaker\n" in told


def test_the_range_of_every_degree_of_sureness_is_told_whatever_a_doubt_comes_from() -> None:
    ranges = "sure below 0.3, fairly sure below 0.5, not sure below 0.6, perhaps not known from 0.6 on"
    judged = AbstentionTrace(doubt=0.45, threshold=1.0, abstained=False, near=0.5, met=0.55, held=0.7)
    bounded = AbstentionTrace(doubt=0.4, threshold=0.65, abstained=False)
    assert render(holding().model_copy(update={"abstention": judged}), "text").partition("\nshown:")[0].endswith(ranges)
    assert f"the best memory\ndegrees: {ranges}, refused from 0.65 on\n" in render(
        holding().model_copy(update={"abstention": bounded}), "text"
    )


def test_where_no_memory_answers_by_itself_the_text_says_why_and_no_more() -> None:
    tier = TierExplain(tier="hybrid", tier_reason="ambiguous", candidates_considered=2, latency_ms=8.0)
    text = render(empty(tier_explain=tier), "text")
    assert text.endswith(
        "--- direct answer ---\n"
        "reason: no memory is put first as an answer by itself: "
        "another memory holds nearly as many of the question's words"
    )
