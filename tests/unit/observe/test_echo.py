"""Whose words a turn repeats: what is pasted, and what is not."""

import pytest

from pellucid.language.quoting.voices import pasted


@pytest.mark.requirement("TRUST-2")
@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Look:\n> quoted\nmine", "> quoted"),
        ("```\ncode\n```\nmine", "```\ncode\n```"),
        ("From their website:\nall of\nthis", "all of\nthis"),
        ("Von der Seite:\nalles", "alles"),
        ("この記事から：\n全部", "全部"),
        ("---- begin forwarded ----\nwords\n---- end ----\nmine", "---- begin forwarded ----\nwords\n---- end ----"),
    ],
)
def test_quotes_fences_and_what_follows_a_lead_in_are_pasted(text: str, inside: str) -> None:
    assert pasted(text)[0] == inside


@pytest.mark.requirement("TRUST-2")
@pytest.mark.parametrize(
    "text",
    [
        "We decided two things:\n- one\n- two",
        "The page: it loads slowly.",
        "Meeting notes:\nwe ship on Tuesday",
        "a > b",
    ],
)
def test_ones_own_lists_and_notes_are_not(text: str) -> None:
    assert pasted(text) == ("", text)
