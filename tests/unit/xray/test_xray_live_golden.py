"""The example vault and one question in, the whole X-ray out, byte for byte: every part from a stage that ran."""

import shutil
from pathlib import Path

import pytest
from test_xray_render_golden import SUFFIXES, UPDATE

from kits.rendering import GOLDEN
from kits.vault import HERE, Opener
from pellucid.app import App
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.xray.render.formats import Format, render

VAULT = Path(__file__).parents[3] / "examples" / "vault"
QUESTION = "what did we decide since March about how long thumbnails stay in the cache"
DIFF = """\
diff --git a/render/thumbs.py b/render/thumbs.py
--- a/render/thumbs.py
+++ b/render/thumbs.py
@@ -1 +1 @@
-old
+new
"""
ASKED: dict[str, object] = {
    "session_id": "agent-session-42",
    "top_k": 5,
    "budget": 640,
    "since": "2025-01-01T00:00:00Z",
    "scopes": ("repo",),
    "review": DIFF,
    "settings": {"minTokenOverlap": 0.15, "minFactScore": 0.2, "pool": 7, "legWeights.review": 3},
}


@pytest.fixture
def atlas(house: Opener, tmp_path: Path) -> App:
    """The example vault as somebody copied it."""
    shutil.copytree(VAULT, tmp_path / "vault")
    app = house()
    app.unit_of_work.take_over_edits()
    return app


@pytest.fixture
def snapshot(atlas: App) -> RecallXraySnapshot:
    return xray_new_recall(atlas, RecallInput.model_validate({"query": QUESTION, "namespace": HERE, **ASKED}))


def untimed(snapshot: RecallXraySnapshot) -> RecallXraySnapshot:
    """The same, as if no stage had taken any time, and nothing had been written before."""
    assert snapshot.tier_explain
    assert snapshot.eligible
    stages = tuple(stage.model_copy(update={"ms": 0.0}) for stage in snapshot.stages)
    tier = snapshot.tier_explain.model_copy(update={"latency_ms": 0.0})
    eligible = snapshot.eligible.model_copy(update={"applied_seq": 0})
    return snapshot.model_copy(update={"stages": stages, "tier_explain": tier, "eligible": eligible})


@pytest.mark.requirement("XRAY-1")
@pytest.mark.requirement("REC-3")
def test_every_rung_of_the_sample_turns_somebody_away_and_every_way_of_serving_is_there(
    snapshot: RecallXraySnapshot,
) -> None:
    assert {each.served_by for each in snapshot.results} >= {"direct-answer", "hybrid", "review-context"}
    turned = {each.name: each.considered - each.admitted for each in snapshot.filters}
    assert turned.pop("namespace-scope") == 0
    assert turned.pop("repeats") == 0  # no turn of the sample is kept twice; test_recall_repeats has some that are
    assert all(turned.values()), turned
    soft = next(each for each in snapshot.results if each.served_by == "review-context")
    assert (soft.rejected_by, "token-overlap" in soft.admitted_by) == ("token-overlap", False)
    assert all(each.provenance and each.provenance.safe_to_use for each in snapshot.results)
    assert snapshot.tier_explain
    assert snapshot.tier_explain.tier == "direct-answer"


def test_the_anchor_of_a_direct_answer_names_the_lines_of_its_file_that_say_it(
    snapshot: RecallXraySnapshot, tmp_path: Path
) -> None:
    assert snapshot.tier_explain
    (anchor,) = snapshot.tier_explain.source_anchors
    path, _, lines = anchor.rpartition(":")
    first, last = map(int, lines.split("-"))
    said = (tmp_path / "vault" / path).read_text("utf-8").splitlines()[first - 1 : last]
    assert snapshot.words[snapshot.results[0].memory_id].startswith(said[0])


@pytest.mark.parametrize("form", SUFFIXES)
def test_the_sample_is_drawn_as_it_always_was(snapshot: RecallXraySnapshot, form: Format) -> None:
    path = GOLDEN / f"live.{SUFFIXES[form]}"
    drawn = render(untimed(snapshot), form).encode() + b"\n"
    if UPDATE:
        path.write_bytes(drawn)
    assert path.read_bytes() == drawn
