"""What an import gave in, text for a person out: what was kept, what waits, and what was left out and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.commands import command, flag, quoted, respelled
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pellucid.operations.session.importing import FiledSessions, ImportOutput

_NAMED = 5
_NOTHING = "nothing was taken in: there is no transcript"
_FORMS = "JSON lines of Claude Code or Codex, and chats as JSON, Markdown or text with `User:` and `Assistant:`"
HELD = "accept:quarantined"
_WORDS = {
    "duplicate": "said before",
    "restated": "said before",
    "recalled": "recalled, and said again",
    "duplicate-in-segment": "said twice",
    "unresolved-reference": "not saying what they speak of",
    "too-vague": "too vague",
    "speculative": "guesses",
    "below-importance": "unimportant",
    "cap-reached": "beyond what one stretch may keep",
    "question": "questions",
    "chatter": "courtesies",
    "transient": "states that pass",
    "known": "known already",
    "already-imported": "imported before",
    "forgotten": "forgotten by you",
    "thinking": "an agent's thinking",
    "not-a-turn": "lines that carry no message",
    "empty": "empty",
    "harness-noise": "notes of the agent's program",
    "own-recall": "Pellucid's own output",
    "own-prompt": "Pellucid's own prompts",
    "off-the-record": "off the record",
    "api-error": "failed calls",
    "said-before": "said twice",
    "queued": "commands that waited",
    "no-sign": "with no sign that they are to last",
    "outweighed": "beside weightier words",
    "task": "tasks of the moment",
    "debugging": "said while a failure was looked into",
    "unanswered": "questions nobody answered",
    "title-of-another-session": "titles of other sessions",
    "plain-text": "texts that are no chat",
    "folder-not-entered": "folders that are hidden or of other people's files",
    "unreadable-folder": "folders that may not be read",
    "unreadable-file": "files that may not be read",
    "link-not-followed": "links that lead out of the folder",
    "already-read": "files read already",
    "excluded-path": "excluded files",
    "empty-file": "empty files",
    "unknown-format": "files in no known format",
    "nothing-readable": "files with nothing to read",
    "unfinished-line": "lines not written to their end",
    "unfinished-document": "files not written to their end",
}
"""How a reason reads behind a number; one that is not here stands as it is."""


def imported(outcome: ImportOutput) -> str:
    """What became of an import, in words."""
    return "\n".join(_lines(outcome))


def _lines(outcome: ImportOutput) -> Iterator[str]:
    if not outcome.files:
        yield f"{_NOTHING}{f'; found {in_words(outcome.dropped)}' if outcome.dropped else ''}"
        yield f"transcripts are known by their form: {_FORMS}"
        others = f"{quoted('adopt')} takes other tools' memories, {quoted('index docs')} documents"
        yield f"to read a text as notes, name it; {others}"
        return
    turns = f"{outcome.turns_taken:,} new turns of {outcome.turns_read:,}"
    from_ = f"from {turns} in {counted(outcome.files, 'file', 'files')}{_words_for_target(outcome)}"
    if outcome.mode == "verbatim":
        yield f"kept {outcome.passages:,} passages word for word {from_}"
    else:
        yield f"kept {counted(outcome.memories, 'memory', 'memories')} {from_}"
    if outcome.mode == "both" and outcome.passages:
        passages = counted(outcome.passages, "passage", "passages")
        yield f"what was said stays behind them: {passages} in {counted(outcome.episodes, 'episode', 'episodes')}"
    if any(each.root for each in outcome.filed):
        yield from map(_filed, outcome.filed)
        yield f"ask in these folders, or with {flag('--namespace')}"
    if outcome.notes:
        yield f"read as notes, and not as a user's words to an agent: {', '.join(map(visible, outcome.notes[:_NAMED]))}"
    yield from decided(outcome.verdicts, outcome.unkept)
    for title, counts in (("left out", outcome.dropped), ("redacted", outcome.redactions)):
        if counts:
            yield f"{title}: {in_words(counts)}"
    yield from _problem_lines(outcome)
    yield from _ways_back(outcome)


def decided(verdicts: Mapping[str, int], unkept: Mapping[str, int]) -> Iterator[str]:
    """What waits in quarantine, and which statements were not kept and why: judged, or passed over before that."""
    if held := verdicts.get(HELD, 0):
        yield f"in quarantine: {held:,}, until you let them in ({quoted('trust list')})"
    refused = {code: count for code, count in verdicts.items() if not code.startswith("accept:")}
    if refused or unkept:
        why = quoted('why "ITS WORDS"')
        yield f"not kept: {in_words(refused, unkept)} (of each: {why})"


def _ways_back(outcome: ImportOutput) -> Iterator[str]:
    """How to put away what was kept: of each namespace by itself."""
    begun = "back: " if len(outcome.undo) == 1 else "  "
    yield from ("back, by namespace:",) if len(outcome.undo) > 1 else ()
    for namespace, target in outcome.undo.items():
        is_here = namespace == outcome.namespace
        yield begun + (command(f"undo {target}") if is_here else command(f"undo {target} --namespace {namespace}"))


def _words_for_target(outcome: ImportOutput) -> str:
    if not outcome.turns_taken:
        return ""
    names = [each.namespace for each in outcome.filed] or [outcome.namespace]
    return f", to {names[0]}" if len(names) == 1 else f", to {len(names)} namespaces"


def _filed(each: FiledSessions) -> str:
    sessions, kept = counted(each.sessions, "session", "sessions"), counted(each.memories, "memory", "memories")
    return f"  {each.namespace}: {kept} from {sessions} {f'in {visible(each.root)}' if each.root else 'in no project'}"


def _problem_lines(outcome: ImportOutput) -> Iterator[str]:
    if outcome.malformed:
        among = "; ".join(map(visible, outcome.problems[:3]))
        yield f"{outcome.malformed} places could not be read, among them {among}"
    if outcome.extractor_problem:
        yield f"stopped early: {visible(respelled(outcome.extractor_problem))}"
    if outcome.encoder_problem:
        yield f"kept, but without vectors: {visible(respelled(outcome.encoder_problem))}"


def in_words(*counted: Mapping[str, int]) -> str:
    """Counts by reason, the largest first, each reason in words."""
    told: dict[str, int] = {}
    for code, count in (pair for counts in counted for pair in counts.items()):
        reason = code.rpartition(":")[2]
        word = _WORDS.get(reason, visible(reason))
        told[word] = told.get(word, 0) + count
    return ", ".join(f"{count:,} {word}" for word, count in sorted(told.items(), key=lambda each: -each[1]))
