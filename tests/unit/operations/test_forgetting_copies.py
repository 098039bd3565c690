"""A forgotten memory and others that contain its letters in, those that are copies of it out: no others."""

import pytest

from kits.intake import HERE
from kits.vault import keep
from pellucid.app import App
from pellucid.model.turn import Turn
from pellucid.operations.memory.forgetting import ForgetInput, plan_erasure, preview_forget

COPIES: list[tuple[str, str]] = [
    ("вода стоит рядом с насосом", "Кто спросит: вода стоит рядом с насосом, всегда."),
    ("Die Tür öffnet der alte Schlüssel", "Anna sagt: die Tür öffnet der alte Schlüssel!"),
    ("备份每晚三点开始", "团队说备份每晚三点开始了"),
    ("Redis cache TTL 300", "团队说Redis cache TTL 300就够了"),
    ("バックアップは毎晩三時に始まる", "確認済みバックアップは毎晩三時に始まるそうだ"),
    ("백업은 매일 밤 세시에 시작된다", "팀은 백업은 매일 밤 세시에 시작된다고 말했다"),
    ("الخادم يعمل على منفذ جديد", "والخادم يعمل على منفذ جديد اليوم"),
]
OTHERS: list[tuple[str, str]] = [
    ("вода стоит рядом с насосом", "Подвода стоит рядом с насосом"),
    ("Öl kostet im Keller fünf", "Rohöl kostet im Keller fünf"),
    ("Der Öltank fasst genau fünf", "Der Öltank fasst genau fünfzig Liter"),
    ("El café cuesta 1.5 euros hoy", "El café cuesta 1.5 euros hoyo"),
]


def _reasons(app: App, forgotten: str, other: str) -> list[str]:
    """Why each memory would go if the one that says `forgotten` is to be forgotten, and another says `other`."""
    first = keep(app, forgotten).memory
    keep(app, other)
    return [each.why for each in preview_forget(app, ForgetInput(namespace=HERE, memory_ids=(first.id,))).memories]


@pytest.mark.parametrize(("forgotten", "other"), COPIES)
def test_a_memory_that_contains_the_whole_text_goes_with_it(app: App, forgotten: str, other: str) -> None:
    assert _reasons(app, forgotten, other) == ["asked", "copy"]


@pytest.mark.parametrize(("forgotten", "other"), OTHERS)
def test_a_memory_whose_words_only_begin_or_end_like_the_text_stays(app: App, forgotten: str, other: str) -> None:
    assert _reasons(app, forgotten, other) == ["asked"]


@pytest.mark.parametrize(("said", "goes"), [("Sie trinkt gern Tee, oder?", True), ("Das Teeservice ist da", False)])
def test_a_waiting_turn_goes_if_it_says_the_whole_text_in_whole_words(app: App, said: str, goes: bool) -> None:
    keep(app, "trinkt gern Tee" if goes else "Tee")
    plan = plan_erasure(app, HERE, app.index.memories(HERE))
    assert plan.is_said_by(Turn("other", 1, "user", said)) == goes
