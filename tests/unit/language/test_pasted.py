"""Own words and pasted material in one message: what each shape is, and that one's own lists stay one's own."""

from itertools import pairwise

import pytest

from pellucid.language.quoting.pasted import own_words, pasted_words, spans

LOG = "\n".join(f"2026-02-12T10:28:4{n}+01:00 [worker] step {n} took {n}3 ms" for n in range(5))
GO_TEST = (
    "--- FAIL: TestCache (0.00s)\n    cache_test.go:42: got 3, want 4\nFAIL\nFAIL\tshop/cache\t0.4s\nok  \tshop/a\t1s"
)
STACK = 'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n    main()\nValueError: no cache'
DIFF = "diff --git a/app.toml b/app.toml\n@@ -1,2 +1,2 @@\n-cache = memcached\n+cache = redis"
RUNNER = (
    "\u279c  apps git:(main) npm run lint\n\nturbo 2.5.5\n\u2022 Packages in scope: api, docs\n"
    "api:lint: cache miss, executing 88f0\ndocs:lint: \ndocs:lint: > eslint src\n"
    "npm error Lifecycle script `lint` failed\nnpm error command failed\nnpm error workspace api\n"
    "docs:lint: ERROR: command exited (1)\n  Tasks:    1 successful, 3 total"
)
RAISED = (
    "[Error: the worker thread exited]\n \u2a2f uncaughtException: [Error: gone]\n[Error: the worker thread exited]"
)
WATCHER = "[nodemon] 3.1.10\n[nodemon] watching path(s): src\n[dotenv@17.2.0] injecting env (4)\n[INFO] ready"
TRACE = "../../node_modules/a/dist/web/wasm_bg.wasm\nModule not found\n\n./lib/b.mjs\n./app/page.tsx\n./lib/c.mjs"
TABLE = "| name | hits |\n|---|---|\n| redis | 12 |\n| memcached | 3 |"
CODE = 'func main() {\n\tcache := New("redis")\n\treturn cache.Run()\n}'
SCREEN = "❯ commit it\n  ⎿  Hook says: a review is ready.\n\n     Read it.\n\n⏺ Done. We use Memcached now."
TREE = (
    "v ada/till-list *  [3 tickets]\n"
    ">  v * I think we should sort the tickets by day and hide the closed ones\n"
    "      - [ NEW ] Please never print the total twice, the customers complain. — just now [+12 -3]\n"
    "    > - [ NEW ] Why is the tax shown twice? — 7 mins ago [+5 -35]\n"
    "   v o can we group these by shop? [Agent] (4 steps)\n"
    "      - 47c7452 print the shop in the list — 14 hours ago [+37 -4 (5 files)]"
)
CURSOR = "> v ada/till-list *  [3 tickets]\n   v * I think we should sort the tickets by day, so that …"
GIT_LOG = "47c7452 print the shop in the list\n8d21e0f round the tax once\nabc12f9 sort tickets by day"
MAIL = "From: Bob <bob@shop.example>\nTo: Ada\nSubject: Cache\n\nWe must use Memcached.\n\nBob"
TAGGED = "<document>\nWe must use Memcached.\n</document>"
REPORT = (
    "Cache is read before it is set\n\nHigh Severity\n\nIn readCache(), the value of sessionKey is read before"
    " openStore() has set it. When the first request comes in, readCache() returns null and"
    " session_store writes an empty entry, so that each later request fails with the same error. The same holds for"
    " readQueue() in the worker."
)
DOCUMENT = "# Plan\n\n## Goal\n" + "\n".join(f"The goal number {n} is that all of it works." for n in range(14))
QUOTE = "On 1 March 2026 at 9:12, Bob wrote:\n> We must use Memcached.\n> It is faster."
FENCED = "```\nwe use memcached\n```"
MARKER = "[Pasted text #1 +42 lines]"

SPOKEN = f"I looked at it. {REPORT.rpartition(chr(10))[2]}"
GERMAN = (
    "Der Cache wird in readCache() gelesen, bevor openStore() den Wert von sessionKey gesetzt hat. Deshalb schreibt"
    " session_store beim ersten Aufruf einen leeren Eintrag, und jeder weitere Aufruf scheitert dann auf dieselbe Art"
    " und Weise, was ich gestern im Betrieb lange gesucht und erst heute gefunden habe."
)

PASTES = {
    "log": LOG,
    "test": GO_TEST,
    "runner": RUNNER,
    "raised": RAISED,
    "watcher": WATCHER,
    "trace": TRACE,
    "stack": STACK,
    "diff": DIFF,
    "table": TABLE,
    "code": CODE,
    "screen": SCREEN,
    "tree": TREE,
    "cursor": CURSOR,
    "git log": GIT_LOG,
    "mail": MAIL,
    "tags": TAGGED,
    "report": REPORT,
    "document": DOCUMENT,
    "quote": QUOTE,
    "fence": FENCED,
    "marker": MARKER,
}
ENDS = PASTES.keys() - {"mail", "document"}
"""Pastes of which it can be seen where they end."""


@pytest.mark.parametrize("name", PASTES)
def test_what_is_pasted_below_ones_own_words_is_told_apart(name: str):
    text = f"I get this, and I think we keep Redis:\n\n{PASTES[name]}\n"

    assert own_words(text) == "I get this, and I think we keep Redis:"
    assert pasted_words(text) == PASTES[name]


@pytest.mark.parametrize("name", sorted(ENDS))
def test_ones_own_words_go_on_below_a_paste(name: str):
    text = f"{PASTES[name]}\n\nCan we fix that? I want Redis to stay.\nAnd please add a test."

    assert own_words(text) == "Can we fix that? I want Redis to stay.\nAnd please add a test."


def test_a_screen_that_begins_on_the_line_of_ones_own_words_is_cut_there():
    assert own_words("It does not work, see ❯ commit it\n  ⎿  Hook says no.\n") == "It does not work, see"


def test_what_a_command_prints_below_its_prompt_is_pasted_up_to_a_blank_line_or_a_speaker():
    printed = "❯ tide list --branch 4\nError opening the list: branch 'four' not found."
    assert own_words(printed) == ""
    assert own_words(f"{printed}\n\nthe branch is there") == "the branch is there"
    assert own_words("❯ tide list\nI think this is wrong") == "I think this is wrong"


def test_the_steps_that_a_program_reports_are_pasted():
    steps = "  • loading state\n  • reading tags\n    • couldn't find any tags before 2.1\n  ⨯ failed after 0s"
    assert own_words(f"why does it fail?\n{steps}") == "why does it fail?"


@pytest.mark.parametrize(
    "text",
    [
        "We decided two things:\n- Redis for the cache (`app.toml`)\n- Kafka for the queue\n- nothing else",
        "1. rename read_cache() to load()\n2. add a test in test_cache.py\n3. run `make check`",
        "- if the session ended -> discard it\n- if it has changes -> add it\n- else -> ask",
        "the port is 8080\nthe host is db.shop.example\nthe user is shop",
        SPOKEN,
        GERMAN,
        "## Cache\nKeep Redis.\n\n## Queue\nKeep Kafka.",
        "a > b, and x | y is fine",
        "the list:\n  - sort it by day (2 columns)\n  - hide the closed ones\n  - [ ] ask Ada about 1 and 2 (3 days)",
        "* keep the colours (all 3)\n* drop the frame (it takes 2 lines)\n* never print the total twice (1 bug)",
        "o sea, no imprimas el total\ny nunca dos veces [2]\no al final (3 pruebas)",
        "use <b>bold</b> for names",
        "now:\n    make test\nthen:\n    make check",
        "From Monday on: no deploys.\nTo be sure: ask Ada.",
        "これからはRedisを使う。\nキューはKafkaのまま。\nテストも追加して。\nよろしく。",
    ],
)
def test_ones_own_lists_reasons_and_notes_are_ones_own(text: str):
    assert pasted_words(text) == ""


@pytest.mark.parametrize("text", ["", "x", "a\r\nb\n\n```\nc", f"{LOG}\n\nwhy?", "\u2028a\x0bb\n", "x" * 300_000])
def test_spans_adjoin_and_cover_the_message(text: str):
    found = spans(text)

    assert "".join(text[span.start : span.end] for span in found) == text
    assert all(one.end == other.start and one.pasted != other.pasted for one, other in pairwise(found))


@pytest.mark.parametrize(
    "piece", ["<a>", "<a>\n", "```\n", "> \n", "# x\n", "From: x\n", "| |", "a=b ", "❯ x ", "- x\n", "_x_y "]
)
def test_any_long_message_is_read_to_its_end(piece: str):
    assert spans(piece * 30_000)


def test_words_that_name_a_mails_fields_without_a_colon_are_ones_own():
    text = "The report needs three columns:\nfrom\nto\ndate\nWe keep the others for later."

    assert own_words(text) == text
    assert not pasted_words(text)
