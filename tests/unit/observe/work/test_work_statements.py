"""A coding session in, what is worth keeping of it out: read by its structure, in the speakers' own words."""

from dataclasses import replace

import pytest

from kits.extraction import accepted
from kits.work import told, turns
from pellucid.model.turn import Role, Segment, TurnKind
from pellucid.observe.extract.classify import classify
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.language import load_language
from pellucid.observe.work.statements import LONGEST_LIST

CAUSE = "The uploads fail because the signer reads the clock of the container, which drifts while the laptop sleeps."
MENU = (
    "There are two ways to do this:\n\n1. Keep the queue in Postgres, which needs no new service\n"
    "2. Move the queue to Redis, which is faster but one more thing to run\n\nWhich one do you want?"
)


def test_a_conclusion_is_kept_and_the_search_for_it_is_not() -> None:
    kept = told(
        ("user", "why do uploads fail?"),
        ("assistant", "Let me look at the signer first."),
        ("tool", "def sign"),
        ("assistant", f"Found it. {CAUSE} Every signature is then from the past, and the bucket refuses it."),
        ("user", "ok"),
    )
    assert len(kept) == 1
    assert CAUSE.rstrip(".") in kept[0]


def test_a_chosen_number_is_kept_as_the_option_it_picks() -> None:
    kept = told(("assistant", MENU), ("user", "let's do 1"))
    assert [each for each in kept if "chosen" in each] == [
        "Keep the queue in Postgres, which needs no new service (chosen: “let's do 1”)"
    ]


def test_a_menu_nobody_chose_from_yet_is_no_decision() -> None:
    assert not any("chosen" in each for each in told(("assistant", MENU), ("user", "how much faster is Redis?")))


def test_an_option_is_told_with_what_stands_below_it_and_the_menu_is_not_kept_beside_it() -> None:
    offer = (
        "For the exports you have a few options:\n\n"
        "1. **A shared package** (most common):\n```\npackages/exports\n```\nEach of the apps imports it.\n\n"
        "2. **A service of its own** (better for quotas):\n```\napps/exports\n```\n"
        "The other apps call it over HTTP.\n\n"
        "Which approach fits?"
    )
    assert told(("assistant", offer), ("user", "2")) == [
        "A service of its own (better for quotas): The other apps call it over HTTP. (chosen: “2”)"
    ]


def test_of_named_options_that_an_agent_asks_about_nothing_holds_yet() -> None:
    options = (
        "Option A: Keep the drafts in the browser\n- Drafts never leave the laptop they were typed on.\n\n"
        "Option B: Keep the drafts on the server\n- Every draft is written to the audit table as well.\n\n"
    )
    assert told(("assistant", f"{options}Would you like me to go on with B?"), ("user", "how slow is B?")) == []
    assert told(("assistant", f"{CAUSE} It matters for both.\n\n{options}Which one?"), ("user", "how slow is B?"))


def test_what_was_agreed_to_stands_nearest_to_the_question_and_is_kept_once() -> None:
    proposal = "The signer must never read the clock of the container, it must ask the gateway for the time."
    kept = told(
        (
            "assistant",
            f"{CAUSE}\n\n{proposal} Want me to make that change?",
        ),
        ("user", "yes"),
    )
    asked = [each for each in kept if "must ask the gateway" in each]
    assert len(asked) == 1
    assert asked[0].endswith("must ask the gateway for the time (chosen: “yes”)")


def test_what_an_agent_guesses_from_is_a_step_of_its_search_and_what_it_found_is_kept() -> None:
    guess = f"{CAUSE} The fixture patches the clock, but the client might be reading another one."
    assert told(("assistant", guess), ("user", "no, it reads the same")) == []
    assert told(("assistant", f"{CAUSE} Every signature is then from the past."), ("user", "ok")) != []


def test_a_list_of_boxes_to_tick_is_no_statement() -> None:
    boxes = "**Task list:**\n- [X] Keep every invoice in its own schema\n- [⚡] Never read the clock\n- [ ] Add a route"
    assert told(("user", "go"), ("assistant", boxes), ("user", "ok")) == []


def test_a_persons_quote_of_the_agent_is_the_agents_and_a_choice_typed_out_is_the_persons() -> None:
    rule = "Every upload is signed by the gateway and never by the client."
    said = ("assistant", f"How it works now:\n\n{rule} The client only sends the key of the file that it wants to put.")
    assert (
        len([each for each in told(said, ("user", f"{rule}\n\nis this true?")) if "signed by the gateway" in each]) == 1
    )
    assert any("only in Postgres" in each for each in told(said, ("user", "Keep sessions only in Postgres.")))


def test_agreeing_to_a_proposal_keeps_the_proposal() -> None:
    kept = told(
        ("assistant", "I recommend keeping invoices in their own schema, because backups run per schema. Shall I?"),
        ("user", "yes please"),
    )
    assert any("invoices in their own schema" in each and "chosen: “yes please”" in each for each in kept)


def test_an_ok_to_a_report_decides_nothing() -> None:
    assert not any("chosen" in each for each in told(("assistant", f"{CAUSE} I fixed it."), ("user", "ok")))


def test_what_a_person_pastes_is_not_their_statement() -> None:
    pasted = "why is this?\n```\nWe decided to drop Windows support in the next release.\n```"
    assert told(("user", pasted)) == []


def test_an_order_for_the_moment_is_not_kept_and_a_standing_one_is() -> None:
    assert told(("user", "commit this and push")) == []
    assert told(("user", "Never renumber an issued invoice, the tax office treats a gap as missing.")) != []


def test_the_steps_of_a_procedure_are_kept_once() -> None:
    steps = "To roll back the quote cache:\n1. Set enabled = false in config/cache.toml\n2. Run make deploy-config"
    assert told(("user", f"Not written anywhere, so here it is. {steps}")).count(steps) == 1
    assert len([each for each in told(("user", steps)) if "deploy-config" in each]) == 1


def recorded(kind: TurnKind, role: Role, content: str) -> list[str]:
    turn = replace(turns((role, content))[0], kind=kind)
    return [fact.content for fact in HeuristicExtractor().extract(Segment("s", (turn,), "session_end"))]


def test_an_answered_question_is_kept_with_its_question_and_what_the_option_means() -> None:
    said = (
        "Question: Where should retries live?\nAnswer: In the client (Recommended)\n"
        "Option: The server cannot see partial writes, so only the client knows what is safe to repeat"
    )
    (kept,) = recorded("answer", "user", said)
    assert kept.startswith("Where should retries live? – In the client (Recommended) – The server cannot see")


def test_which_file_to_open_first_settles_nothing() -> None:
    assert recorded("answer", "user", "Question: Which one do you want me to open?\nAnswer: The second") == []


def test_a_commit_is_kept_by_its_subject_and_why() -> None:
    message = "Retry uploads in the client\n\nThe server cannot see partial writes. A test covers it."
    assert recorded("commit", "assistant", message) == [
        "Committed: Retry uploads in the client. The server cannot see partial writes. A test covers it"
    ]
    assert recorded("commit", "assistant", "wip") == []
    listed = (
        "Send trace headers from the hooks\n\nAdd a helper with:\n- header() makes one\n\nKey changes:\n\n```\nx\n```"
    )
    assert recorded("commit", "assistant", listed)[0].startswith(
        "Committed: Send trace headers from the hooks. Add a helper with: header() makes one"
    )
    assert recorded("commit", "assistant", "Send trace headers from the hooks\n\nKey changes:") == [
        "Committed: Send trace headers from the hooks"
    ]


def test_an_accepted_plan_concludes_and_a_title_says_nothing_of_its_own() -> None:
    assert recorded("plan", "assistant", CAUSE) != []
    assert recorded("title", "assistant", CAUSE) == []


def test_of_a_recap_is_kept_what_was_found_and_not_what_was_asked_or_comes_next() -> None:
    later = CAUSE.replace("uploads", "exports")
    wanted, found, coming = f"1. Primary Request and Intent:\n   {later}", f"5. Problem Solving:\n   {CAUSE}", later
    recap = f"{wanted}\n\n{found}\n\n7. Pending Tasks:\n   - {coming}\n\n8. **Current Work**:\n   {coming}"
    kept = recorded("recap", "assistant", recap)
    assert any(CAUSE.rstrip(".") in each for each in kept)
    assert not any("exports" in each for each in kept)


@pytest.mark.parametrize(
    ("asked", "answer", "lasts"),
    [
        ("How should a missing price be shown?", "As a dash", True),
        ("Which store should sessions use?", "Redis (Recommended)\nOption: Survives a restart", True),
        ("Which pull request shall I review?", "#12\nOption: Tariff head row", False),
        ("Shall I continue with the review?", "Yes", False),
        ("Where should retries live?", "what happens to writes in the meantime?", False),
    ],
)
def test_an_answer_for_the_moment_is_no_decision(asked: str, answer: str, *, lasts: bool) -> None:
    assert bool(recorded("answer", "user", f"Question: {asked}\nAnswer: {answer}")) == lasts


def test_a_sentence_is_read_with_the_ones_beside_it() -> None:
    fact = "The bank closes the connection after 30 s"
    assert told(("user", f"{fact}. Larger batches fail.")) == [f"{fact}. Larger batches fail"]
    assert told(("user", f"{fact}. Is that normal?")) == []


@pytest.mark.parametrize(
    "rule",
    [
        "From now on always run make check before committing",
        "Never push to main directly",
        "We cut releases every Tuesday",
        "Dates are always stored in UTC",
        "Config comes from environment variables only",
        "We ship to TestFlight every other Thursday",
    ],
)
def test_a_plain_rule_is_kept_however_it_is_typed(rule: str) -> None:
    assert told(("user", f"{rule}.")) == [rule]
    assert told(("user", rule.lower())) == [rule[0] + rule[1:].lower()]
    assert told(("user", f"Fix the parser now. {rule}.")) == [rule]


def test_this_repo_is_known_to_a_coding_session() -> None:
    given = [Segment("s", turns(("user", f"We use pnpm in {each}")), "session_end") for each in ("this repo", "that")]
    assert [bool(accepted(each)) for each in given] == [True, False]


@pytest.mark.parametrize(
    "passing",
    ["run make check", "push it to main", "we're cutting the release in ten minutes", "who owns the billing service"],
)
def test_an_order_of_the_moment_with_the_words_of_a_rule_is_not_kept(passing: str) -> None:
    assert told(("user", passing)) == []


@pytest.mark.parametrize(
    "announced",
    [
        "Let me look at the threads",
        "For item 3, I need to",
        "Here's my plan",
        "Actually, I'll write the test against the store directly",
        "Would you like me to cover these cases",
    ],
)
def test_what_an_agent_is_about_to_do_is_no_conclusion(announced: str) -> None:
    steps = f"- {CAUSE}\n- The bucket refuses every signature that is from the past, so the upload ends with a 403."
    assert told(("user", "go on"), ("assistant", f"{announced}:\n\n{steps}")) == []
    assert told(("user", "go on"), ("assistant", f"Root cause:\n\n{steps}")) != []


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        (
            "not the database. a TOML in the repo, rates change twice a year and every change needs a review",
            "Not the database. A TOML in the repo, rates change twice a year and every change needs a review",
        ),
        (
            "not half up! the accountants want banker's rounding per invoice line, as agreed. half even",
            "Not half up. The accountants want banker's rounding per invoice line, as agreed. Half even",
        ),
        (
            "what do we do about the uploads? they're on /var/lib/labels on api1, and rsynced to api2",
            "What do we do about the uploads? They're on /var/lib/labels on api1, and rsynced to api2",
        ),
    ],
)
def test_what_says_too_little_by_itself_is_kept_with_the_sentence_it_belongs_to(message: str, whole: str) -> None:
    assert told(("user", message)) == [whole]


def test_two_rules_of_one_message_stay_apart_so_that_each_can_be_replaced() -> None:
    rules = ["Sessions always live in Redis", "Dates are always stored in UTC"]
    assert told(("user", f"{rules[0]}. {rules[1]}.")) == rules


def test_a_sentence_whose_words_stand_in_the_next_one_is_told_before_it_and_once() -> None:
    rule = "Please always write commit messages in the imperative, our changelog is built from them"
    assert told(("user", f"Last one for today: commit messages. {rule}.")) == [f"Commit messages. {rule}"]


@pytest.mark.parametrize("beside", ["ok go", "thanks!", "ship it", "Fix the parser now"])
def test_an_order_or_a_courtesy_beside_a_rule_does_not_come_along(beside: str) -> None:
    assert told(("user", f"{beside}. Dates are always stored in UTC.")) == ["Dates are always stored in UTC"]
    assert told(("user", f"Dates are always stored in UTC. {beside}")) == ["Dates are always stored in UTC"]


CONCERNS = (
    "Tariff tables: loading and caching the CSV rates, which are read once a day",
    "Surcharges: fuel, island, bulky, peak season",
    "Discounts: contracts and vouchers",
    "Tax: VAT per country, rounding to cents",
)


def test_a_list_of_an_agents_is_told_whole_or_says_that_it_is_not() -> None:
    head = "`pricing.py` mixes four concerns:"
    items = "\n".join(f"- {each}" for each in CONCERNS)
    (kept,) = told(("user", "what is wrong with it?"), ("assistant", f"{head}\n\n{items}"))
    assert kept == f"`pricing.py` mixes four concerns: {'; '.join(CONCERNS)}"
    remark = "and that is why every change of one of them has to be tested with all of the others before it goes out"
    long = "\n".join(f"- {each}, {remark}, in each port" for each in CONCERNS)
    assert len(long) > LONGEST_LIST
    for part in told(("user", "what is wrong with it?"), ("assistant", f"{head}\n\n{long}")):
        assert part.startswith("`pricing.py` mixes four concerns: ")
        assert part.endswith("; …")


def test_a_brief_paragraph_of_an_agents_is_told_to_its_end() -> None:
    cause = "The label service reloads all fonts for every label, 1,893 times in the last hour"
    remedy = "WeasyPrint builds a new configuration per call. Caching one would bring it to 0.4 s"
    for before, behind in (("", ""), ("", " Let me now look at the others."), ("Found it.", "")):
        said = f"{before} {cause}. {remedy}.{behind}"
        assert told(("user", "why is it slow?"), ("assistant", said)) == [f"{cause}. {remedy}"], said


def test_a_rule_that_is_said_again_in_fewer_words_is_kept_with_all_of_them() -> None:
    said = told(("user", "We never deploy on Fridays or Saturdays. We never deploy on Fridays."))
    assert "We never deploy on Fridays or Saturdays" in said


CHANGED = """I finished the labels:

- `board.py` — Added `labels` to Board and a `save_labels()` helper, matching the pattern used in `save_rows()`
- `board_test.py` — Updated TestBoardSave to read the file back from disk instead of from the cache
- `printer.py` — Replaced the loop with `each_label()` and removed the unused `legacy` parameter
- `till.py` — Renamed `rowCount` to `lineCount` in all 14 call sites, including the JSON tag"""
TESTED = """Changes:

- Added three regression tests: `TestPrint_SkipsEmpty` verifies that empty rows are left out; `TestPrint_Order` trays
- Simplified `render_invoice()`: the two branches were the same, so one of them is gone now and its 40 lines with it
- Fixed two lint errors in views.py, all 212 tests pass and the build succeeds"""


@pytest.mark.parametrize("report", [CHANGED, TESTED])
def test_a_list_of_what_was_changed_is_no_memory(report: str) -> None:
    assert told(("user", "do it"), ("assistant", report)) == []


def test_what_a_report_found_is_kept_from_among_what_it_changed() -> None:
    cause = (
        "The labels were lost because the board's cache was written back after the save, over what the user had typed."
    )
    changed = [f"- Renamed `row{number}` to `line{number}` and updated its call sites" for number in range(9)]
    (kept,) = told(("user", "do it"), ("assistant", "\n".join([cause, "", "Changes:", "", *changed])))
    assert kept == cause.rstrip(".")


@pytest.mark.parametrize(
    "request_",
    ["can you check whether the header is always written.", "Could you look at why we never use the second tray."],
)
def test_a_request_is_no_rule_though_it_ends_in_a_period(request_: str) -> None:
    assert told(("user", request_)) == []


def test_what_an_agent_found_is_no_decision_unless_it_most_likely_is_one() -> None:
    found = (
        "The key insight: we keep the walk along the first row, but the filter has to go back in, "
        "since rows of other shops show up without it."
    )
    decided = (
        "We send only the changed fields and not the whole record, since two nurses often edit one at the same time."
    )
    segment = Segment("s", turns(("user", "why?"), ("assistant", f"{found}\n\n{decided}")), "session_end")
    read = {fact.content: fact.category for fact in HeuristicExtractor().extract(segment)}
    assert (read[found.rstrip(".")], read[decided.rstrip(".")]) == ("fact", "decision")


@pytest.mark.parametrize(
    "dated",
    [
        "I'll invite the dentists to a trial run on 12 September.",
        "i'll ring the customs broker about it on monday the 7th",
        "Kickoff with the new supplier is on 28 August.",
        "We promised to give the farm their data on 15 April.",
    ],
)
def test_what_a_person_will_do_on_a_day_is_kept(dated: str) -> None:
    assert told(("user", dated)) != []


@pytest.mark.parametrize(
    "passing", ["I'll ask her right away.", "I'll be back at 14:00.", "I'll paste the log in a second."]
)
def test_what_a_person_does_right_away_is_not(passing: str) -> None:
    assert told(("user", passing)) == []


@pytest.mark.parametrize(
    "found",
    [
        "The hook runs `lanes` in a subshell, so the parent's `lanes | grep -c .` kept counting lanes that were closed",
        "`-o` counts open lanes only and `-h` held ones, because a suspended lane still needs its row on the board",
        "The board fails because `lint ./dock/... ./crane/...` reads `**options` as two globs and drops `__init__`",
        "The `<lane>` element loses its closing `</lane>` when the row is cut, which is why the board stays empty",
    ],
)
def test_inline_code_of_an_agents_is_kept_as_it_was_written(found: str) -> None:
    assert told(("user", "why?"), ("assistant", f"{found}.")) == [found]


def test_an_order_beside_a_rule_is_no_part_of_it_and_a_value_is() -> None:
    rule = "Closed lanes should be limited to one row"
    assert told(("user", f"{rule}. Run tests.")) == [rule]
    assert told(("user", "always restart the relay when a node goes away. Make it 6.")) == [
        "Always restart the relay when a node goes away. Make it 6"
    ]


def test_a_list_under_a_guess_or_of_next_steps_is_no_procedure() -> None:
    steps = "1. the folder of the session\n2. the row of the session"
    for heading in ("There seems to be a mismatch when you compare:", "Next steps to close the branch:"):
        assert not any(each.startswith(heading) for each in told(("user", f"{heading}\n{steps}")))


def test_a_list_too_long_to_be_told_whole_is_left_out_if_most_of_it_is_not_worth_keeping() -> None:
    found = f"- {CAUSE}"
    edits = [
        f"- Renamed `row{number}` to `line{number}` in the board, the printer and the till" for number in range(12)
    ]
    assert told(("user", "go on"), ("assistant", "\n".join(["Where it stands:", "", found, *edits]))) == []


FOUND = "The receipts are lost because the till deletes a draft before the printer has answered, which takes a second."


def test_a_sentence_that_only_announces_what_is_not_kept_is_left_out() -> None:
    shown = "```text\nreceipt 12 printed\n```"
    kept = told(("user", "why?"), ("assistant", f"{FOUND} After the restart, you should see:\n\n{shown}"))
    assert kept == [FOUND.rstrip(".")]
    stated = "Each draft of a till carries the number of its printer in the `Printer-Id` trailer"
    kept = told(("user", "why?"), ("assistant", f"{FOUND} {stated}:\n\n{shown}"))
    assert kept == [f"{FOUND} {stated}"]


def test_what_an_item_announces_without_saying_it_is_no_part_of_a_list() -> None:
    items = [
        "Drafts are deleted only once the printer has answered.",
        "print, then wait, then delete",
        "Receipts of a closed till are never printed again, in two places",
        "the office counts each of them twice",
    ]
    said = f"- {items[0]} So the order becomes:\n- {items[1]}\n- {items[2]}:\n- {items[3]}\n- and then it is:"
    (kept,) = told(("user", "so?"), ("assistant", f"Two rules hold for receipts:\n\n{said}"))
    assert kept == f"Two rules hold for receipts: {items[0][:-1]}; {items[1]}; {items[2]}; {items[3]}"


def test_what_names_code_is_written_as_it_was() -> None:
    for said in (
        "till.go:12 must never print a receipt twice.",
        "printAll must never run before the drafts are stored, because the office counts them.",
        "tillvet must never warn about drafts, so we always add `//nolint:tillvet` there.",
    ):
        assert told(("user", said)) == [said.rstrip(".")]
    assert told(("user", "also never print a receipt twice.")) == ["Never print a receipt twice"]


def test_emphasis_in_a_commit_is_no_part_of_its_words() -> None:
    said = "Print each receipt once\n\n## Summary\n- **Draft fix**: drafts were printed twice. Now **1 s -> 0 s**."
    (kept,) = recorded("commit", "assistant", said)
    assert "Draft fix: drafts were printed twice. Now 1 s -> 0 s" in kept


REFUND = "A refund that is staged without its receipt is skipped, so the office never counts it in its report."


def test_a_question_that_a_sentence_answers_stays_before_it() -> None:
    asked = "Should a refund without a receipt carry the number of its till?"
    answered = "At present it does not, which means that the office can never tell whose refund it was."
    kept = told(("user", "and refunds?"), ("assistant", f"{REFUND} {asked} {answered}"))
    assert kept == [f"{REFUND} {asked} {answered[:-1]}"]


def test_sentences_are_not_joined_over_a_step_that_is_left_out() -> None:
    step = "Now let me look at the printer of the second till, which the office bought in spring."
    after = "Receipts are printed twice because the driver never waits for the answer of the spooler."
    kept = told(("user", "and refunds?"), ("assistant", f"{REFUND} {step} {after}"))
    assert not any(REFUND[:-1] in each and after[:-1] in each for each in kept)
    assert any(REFUND[:-1] in each for each in kept)


def test_what_a_reason_is_given_for_is_told_with_it() -> None:
    what = (
        "Letting each of the forty tills (excluding the one in the yard and the one at the gate, which share a printer)"
        " print its receipts on its own would need no queue of the office, and lets all of them print at once"
    )
    why = "Since every till has a printer and a clock of its own, this would halve the time from 200 s to 100 s"
    kept = told(("user", "and the queue?"), ("assistant", f"{what}. {why}."))
    assert kept == [f"{what}. {why}"]


def test_a_paragraph_of_two_long_sentences_is_not_cut_in_halves() -> None:
    first = (
        "The decision is that refunds are read by the office alone (`readRefund` -> `sumOfDay` -> `print`), because"
        " the tills have no network at night and the office must never wait for one of them when it closes its books"
    )
    second = (
        "Rather than changing every till for that, I added a comment that names the limitation, so that nobody forgets"
        " it once the tills are always connected and the office wants to count the refunds of a day before it has ended"
    )
    assert len(first) + len(second) > 420
    assert told(("user", "so?"), ("assistant", f"{first}. {second}.")) == [f"{first}. {second}"]


@pytest.mark.parametrize(
    "passing",
    [
        "The mending of the printer of the second till is in progress.",
        "Standing by for your go/no-go on the new driver of the second till.",
        "The reason is clear from the log of the spooler.",
        "Got it — you want each till to print its own receipts from now on.",
        "`docs/tills.md` tells how receipts are printed (not yet updated with what we found).",
    ],
)
def test_how_the_work_of_an_agent_stands_is_no_memory(passing: str) -> None:
    kept = told(("user", "and refunds?"), ("assistant", f"{passing}\n\n{REFUND}\n\n{passing}"))
    assert kept == [REFUND[:-1]]


def test_what_only_looks_like_a_state_of_work_stays() -> None:
    said = "The till shows `print in progress` until the spooler has answered, because the driver never times out"
    assert told(("user", "why?"), ("assistant", f"{said}.")) == [said]


def test_a_next_step_behind_a_dash_is_cut_off() -> None:
    said = "The receipts are printed twice because the driver of the second till never waits for the spooler's answer"
    kept = told(("user", "why?"), ("assistant", f"{said} — let me check if the first till has the same driver."))
    assert kept == [said]


def test_a_list_loses_the_sentence_on_its_state_and_not_its_item() -> None:
    items = "- the driver never waits for the spooler. Mending in progress\n- the till deletes drafts too early"
    said = f"Receipts are lost for two reasons:\n\n{items}"
    assert told(("user", "why?"), ("assistant", said)) == [
        "Receipts are lost for two reasons: the driver never waits for the spooler; the till deletes drafts too early"
    ]


def test_orders_of_the_moment_are_no_rules_or_commitments() -> None:
    assert told(("user", "let's get a better name for the branch, base it on origin/next")) == []
    assert told(("user", "leave the editor, update the list - then I'll tell you the next steps")) == []


def test_a_promise_has_a_time_and_not_only_a_next_thing() -> None:
    english = load_language("en")
    for said in ("I'll send the list to the office next Friday", "I'll mend the printer of the yard this week"):
        found = classify(said, english)
        assert found is not None
        assert found.category == "commitment"
    assert classify("I'll tell you the next steps", english) is None


def test_what_is_said_against_an_agents_words_is_no_procedure() -> None:
    steps = (
        "the cashier makes a refund, then run the spooler to print it, and then push the log to the office before you"
        " close the till"
    )
    (plain,) = accepted(Segment("s", turns(("assistant", REFUND), ("user", steps)), "session_end"))
    assert plain.fact.category == "procedure"
    doubt = f"Mh. {steps}"
    (kept,) = accepted(Segment("s", turns(("assistant", REFUND), ("user", doubt)), "session_end"))
    assert kept.fact.category == "correction"


def test_of_a_recap_what_it_quotes_whole_is_no_finding() -> None:
    quote = "the refunds must never be counted twice, whatever the till says, because the office has no time for it"
    recap = f'4. Problem Solving:\n   - {REFUND}\n\n6. What the user said:\n   - "{quote}"'
    kept = recorded("recap", "assistant", recap)
    assert any(REFUND[:-1] in each for each in kept)
    assert not any("counted twice" in each for each in kept)
