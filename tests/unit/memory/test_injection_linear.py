"""Texts made to be slow to check, in a process that may use ten times the processor time that they need."""

import resource
import subprocess
import sys

import pytest

SECONDS = 60
SIZE = 100_000
SCRIPT = """
import sys
from pellucid.memory.trust.scope import doubt_of, injected_turn
from pellucid.model.turn import Turn
from pellucid.memory.trust.injection import split_injections
from pellucid.recall.context.text import harmless
for unit in sys.argv[2:]:
    print(unit, flush=True)
    unit = unit.encode().decode("unicode_escape")
    text = unit * (int(sys.argv[1]) // len(unit))
    injected_turn(text), split_injections([text, text, text]), harmless(text)
    doubt_of(Turn("s", 1, "assistant", text))
"""
UNITS = [
    "<!--",
    "<!-- -->",
    "<a style=",
    "<a style='",
    r"\n",
    r"\n ",
    r"\n\n human: x",
    "human: ",
    "[",
    "![](",
    "](http://a?b",
    "{",
    "{ ",
    "a",
    "a.",
    "a@",
    "a.b@",
    "http://a",
    "1a",
    "a b ",
    "a-",
    "QUJD",
    "ab ",
    "(",
    "<|",
    "<system ",
    "system: ",
    "assistant: ",
    "mem_",
    "trust_zone ",
    "base64 -d ",
    "end of document ",
    "> ",
    "```",
    "From: x",
    r"From: x\nTo: y\n",
    "paste ",
    r"\u0430",
    r"\u200b",
    r"\ud55c",
    r"\u6307\u793a",
    r"\u3042",
    r"\u00ab",
    r"\u201c",
    '"',
    "ignore ",
    "all previous ",
    "do not tell ",
    "user ",
    "tell user ",
    r"\\u0041",
    "%41",
    "&#65;",
    "&lt;",
    "pellucid",
    "pellucid-",
    "</pellucid",
    "<" + r"\u2010",
    "<        /",
    "rot13 ",
]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(4))
def test_a_hundred_thousand_characters_of_each_take_a_bounded_time(first: int) -> None:
    mine = UNITS[first::4]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(SIZE), *mine],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )
    assert done.returncode == 0, f"{done.stderr[-400:]} at {done.stdout.splitlines()[-1:]}"
    assert done.stdout.split("\n")[:-1] == mine
