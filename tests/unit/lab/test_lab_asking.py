"""A small conversation and five documents in: what is worked out from one recall is what asking anew gives."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from test_lab_run import spoken, write

from kits.eips import write_set
from kits.vault import Opener
from pellucid.lab.asking import LabContext, RankedAnswer
from pellucid.lab.sets import LabInput, Opened, open_set
from pellucid.lab.variants import ABLATED, FLOORS, PLAIN, TRIED, Variant, other_weights, without_each

TALK = [
    {
        "question_id": "q1",
        "question": "What is the TTL of the session cache that I set?",
        "question_type": "single-session-user",
        "question_date": "2023/06/01 (Thu) 00:58",
        "evidence_sessions": [
            spoken(
                "a",
                "2023/05/20 (Sat) 02:21",
                ("user", "The TTL of the session cache is 300 seconds."),
                ("assistant", "Noted: the session cache keeps an entry for 300 seconds."),
                ("user", "Which colour has the ferry?"),
                ("assistant", "The ferry is blue, and its bell rings twice before it leaves the quay."),
            ),
            spoken(
                "b",
                "2023/05/27 (Sat) 10:20",
                ("user", "I changed the TTL of the session cache to 600 seconds."),
                ("assistant", "Does the ferry wait for the session cache?"),
                ("user", "Ana planted three apple trees beside the quay."),
                ("assistant", "Apple trees like the sea air."),
            ),
        ],
    },
    {
        "question_id": "q2",
        "question": "How often does the bell of the ferry ring?",
        "question_type": "single-session-assistant",
        "question_date": "2023/06/01 (Thu) 00:58",
        "evidence_sessions": [
            spoken("c", "2023/05/29 (Mon) 08:00", ("assistant", "The bell of the ferry rings three times in fog."))
        ],
    },
]
EVERY_VARIANT = {
    **{f"without {part}": variant for part, variant in without_each().items()},
    **{" ".join(name): variant for name, variant in other_weights().items()},
    **{f"{name} alone": Variant(without) for name, without in FLOORS.items()},
}


@pytest.fixture(params=["longmemeval", "eips"])
def found(request: pytest.FixtureRequest, house: Opener, tmp_path: Path, embedded: None) -> Iterator[Opened]:
    data = tmp_path / "data"
    data.mkdir()
    if request.param == "eips":
        write_set(data)
    else:
        write(data, "evidence.json", TALK)
    settings = house(tmp_path / "settings").settings
    with open_set(settings, LabInput(dataset=request.param, data=data, budgets=(400, 2_000)), lambda _: None) as there:
        yield there


def told(answer: RankedAnswer) -> object:
    """What an answer says, without the number of its recall."""
    said = {budget: re.sub("rec_[0-9a-f]+", "rec", each.text) for budget, each in answer.contexts.items()}
    keys = {budget: each.keys for budget, each in answer.contexts.items()}
    return list(answer.ranking), list(answer.texts), keys, said


@pytest.mark.requirement("LAB-2")
@pytest.mark.requirement("LAB-3")
def test_what_is_worked_out_from_one_recall_is_what_asking_anew_gives(found: Opened) -> None:
    changed = 0
    for group in found.home.dataset.groups:
        for question in group.questions:
            first, *worked_out = found.asker.ask(group, question, [PLAIN, *EVERY_VARIANT.values()])
            _, *asked = found.asker.ask(
                group, question, [PLAIN, *(replace(v, anew=True) for v in EVERY_VARIANT.values())]
            )
            for name, one, other in zip(EVERY_VARIANT, worked_out, asked, strict=True):
                assert told(one) == told(other), name
                assert other.anew
                assert one.anew == (name in {f"without {part}" for part in TRIED}), name
            changed += sum(told(one) != told(first) for one in worked_out)
    assert changed > 10, "a comparison of answers that are all the same would tell nothing"


def test_each_part_can_be_timed(found: Opened) -> None:
    (group,) = found.home.dataset.groups
    for part in (*ABLATED, *TRIED):
        assert found.asker.clock(group, group.questions[0], without_each()[part]) > 0


def test_an_answer_has_a_context_for_each_budget(found: Opened) -> None:
    (group,) = found.home.dataset.groups
    (answer,) = found.asker.ask(group, group.questions[0], [PLAIN])
    short, long = (answer.contexts[budget] for budget in (400, 2_000))
    assert isinstance(short, LabContext)
    assert len(short.text) <= 400 < len(long.text)
    assert {*short.keys} <= {*long.keys}
