"""Answers of imports and of live sessions in, text for a person out: what was kept, what waits, what was left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.errors import bare_step, field_name, step
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pellucid.operations.session.flushing import Backlog
    from pellucid.operations.session.importing import FiledSessions, ImportOutput
    from pellucid.operations.session.observing import ObserveOutput, SpoolOutput

_NAMED = 5
_NOTHING = "nothing was taken in: there is no transcript"
_FORMS = "JSON lines of Claude Code or Codex, and chats as JSON, Markdown or text with `User:` and `Assistant:`"
HELD = "accept:quarantined"
_WORDS: dict[str, str | tuple[str, str]] = {
    "duplicate": "said before",
    "restated": "said before",
    "recalled": "recalled, and said again",
    "duplicate-in-segment": "said twice",
    "unresolved-reference": "not saying what they speak of",
    "too-vague": "too vague",
    "speculative": ("guess", "guesses"),
    "below-importance": "unimportant",
    "cap-reached": "beyond what one stretch may keep",
    "question": ("question", "questions"),
    "chatter": ("courtesy", "courtesies"),
    "transient": ("state that passes", "states that pass"),
    "known": "known already",
    "already-imported": "imported before",
    "forgotten": "forgotten by you",
    "thinking": "an agent's thinking",
    "not-a-turn": ("line that carries no message", "lines that carry no message"),
    "empty": "empty",
    "harness-noise": ("note of the agent's program", "notes of the agent's program"),
    "own-recall": "Pellucid's own output",
    "own-prompt": "Pellucid's own prompts",
    "off-the-record": "off the record",
    "api-error": ("failed call", "failed calls"),
    "said-before": "repeated in the transcripts",
    "queued": ("command that waited", "commands that waited"),
    "no-sign": "with no sign that they are to last",
    "outweighed": "beside weightier words",
    "task": ("task of the moment", "tasks of the moment"),
    "debugging": "said while a failure was looked into",
    "unanswered": ("question nobody answered", "questions nobody answered"),
    "title-of-another-session": ("title of another session", "titles of other sessions"),
    "plain-text": (
        "text that is no chat (named itself, it is taken in)",
        "texts that are no chat (named themselves, they are taken in)",
    ),
    "folder-not-entered": (
        "folder that is hidden or of other people's files",
        "folders that are hidden or of other people's files",
    ),
    "unreadable-folder": ("folder that may not be read", "folders that may not be read"),
    "unreadable-file": ("file that may not be read", "files that may not be read"),
    "link-not-followed": ("link that leads out of the folder", "links that lead out of the folder"),
    "already-read": ("file read already", "files read already"),
    "excluded-path": ("excluded file", "excluded files"),
    "empty-file": ("empty file", "empty files"),
    "unknown-format": ("file in no known format", "files in no known format"),
    "nothing-readable": ("file with nothing to read", "files with nothing to read"),
    "unfinished-line": ("line not written to its end", "lines not written to their end"),
    "unfinished-document": ("file not written to its end", "files not written to their end"),
}
"""The words for reason codes, to follow a number: those for 1 and for others, if they differ. A code that is not here
is shown as it is."""


def import_text(outcome: ImportOutput) -> str:
    """Render an import: what was kept from which files, what was not and why, and how to undo it. If there was no
    transcript, how transcripts are recognised.
    """
    return "\n".join(_import_lines(outcome))


def _import_lines(outcome: ImportOutput) -> Iterator[str]:
    """Yield the lines of `import_text`."""
    if not outcome.files:
        yield f"{_NOTHING}{f'; found {in_words(outcome.dropped)}' if outcome.dropped else ''}"
        yield f"transcripts are known by their form: {_FORMS}"
        others = f"{step('memory.adopt')} takes other tools' memories, {step('document.index')} documents"
        yield f"to read a text as notes, name it; {others}"
        return
    turns = f"{outcome.turns_taken:,} new turns of {outcome.turns_read:,}"
    source = f"from {turns} in {counted(outcome.files, 'file', 'files')}{_target(outcome)}"
    if outcome.mode == "verbatim":
        yield f"kept {outcome.passages:,} passages word for word {source}"
    else:
        yield f"kept {counted(outcome.memories, 'memory', 'memories')} {source}"
    if outcome.mode == "both" and outcome.passages:
        passages = counted(outcome.passages, "passage", "passages")
        yield f"what was said stays behind them: {passages} in {counted(outcome.episodes, 'episode', 'episodes')}"
    if any(each.root for each in outcome.filed):
        yield from map(_namespace_line, outcome.filed)
        yield f"ask in these folders, or with {field_name('namespace')}"
    if outcome.notes:
        yield f"read as notes, and not as a user's words to an agent: {', '.join(map(visible, outcome.notes[:_NAMED]))}"
    yield from _verdict_lines(outcome.verdicts, outcome.unkept, outcome.passages_in_quarantine)
    if outcome.turns_cut:
        cut = f"{outcome.characters_cut:,} characters out of the middle of {counted(outcome.turns_cut, 'turn')}"
        yield f"cut: {cut} too long to be kept whole (capture.maxTurnChars)"
    yield from _left_out_lines(outcome)
    yield from _problem_lines(outcome)
    yield from _undo_lines(outcome)


def _problem_lines(outcome: ImportOutput) -> Iterator[str]:
    """Yield what could not be read, why extraction stopped early, and why vectors are missing, if any of it is so."""
    if outcome.malformed:
        yield malformed_line(outcome.malformed, "place", outcome.problems)
    if outcome.extractor_problem:
        yield f"stopped early: {visible(outcome.extractor_problem)}"
    if outcome.encoder_problem:
        yield f"kept, but without vectors: {visible(outcome.encoder_problem)}"


def _left_out_lines(outcome: ImportOutput | ObserveOutput) -> Iterator[str]:
    """Yield how many turns were left out and why, and how many secrets were redacted; no line for a count of 0."""
    for title, counts in (("left out", outcome.dropped), ("redacted", outcome.redactions)):
        if counts:
            yield f"{title}: {in_words(counts)}"


def malformed_line(count: int, unit: str, problems: Sequence[str]) -> str:
    """Render how many places (the `unit`: `line` or `place`) could not be read, with the first three problems."""
    first = "; ".join(map(visible, problems[:3]))
    return f"{counted(count, unit)} could not be read{', among them' if count > 1 else ':'} {first}"


def _verdict_lines(verdicts: Mapping[str, int], unkept: Mapping[str, int], passages: int = 0) -> Iterator[str]:
    """Yield how many memories and `passages` wait in quarantine, and how many statements were not kept and why; nothing
    if all these are 0. Two arguments count by reason: `verdicts` those of the judge, of which only those that do not
    begin with `accept:` count as not kept, and `unkept` statements passed over before it.
    """
    waiting = [
        counted(count, singular, plural)
        for count, singular, plural in (
            (verdicts.get(HELD, 0), "memory", "memories"),
            (passages, "passage", "passages"),
        )
        if count
    ]
    if waiting:
        yield f"in quarantine: {' and '.join(waiting)}, until you let them in ({step('trust.list')})"
    refused = {code: count for code, count in verdicts.items() if not code.startswith("accept:")}
    if refused or unkept:
        why = step("memory.why", memory="ITS WORDS")
        yield f"not kept: {in_words(refused, unkept)} (of each: {why})"


def _undo_lines(outcome: ImportOutput) -> Iterator[str]:
    """Yield the commands that undo the import, one for each namespace, below a title if there are several; nothing if
    nothing was written.
    """
    start = "back: " if len(outcome.undo) == 1 else "  "
    yield from ("back, by namespace:",) if len(outcome.undo) > 1 else ()
    for namespace, target in outcome.undo.items():
        is_here = namespace == outcome.namespace
        elsewhere = {} if is_here else {"namespace": namespace}
        yield start + bare_step("change.undo", target=target, **elsewhere)


def _target(outcome: ImportOutput) -> str:
    """Return `, to ` and the namespace that got something, or the number of namespaces if several did; "" if no turn
    was new.
    """
    if not outcome.turns_taken:
        return ""
    names = [each.namespace for each in outcome.filed] or [outcome.namespace]
    return f", to {names[0]}" if len(names) == 1 else f", to {len(names)} namespaces"


def _namespace_line(target: FiledSessions) -> str:
    """Render how many memories from how many sessions one namespace got, and its project's folder or `no project`."""
    sessions, kept = counted(target.sessions, "session", "sessions"), counted(target.memories, "memory", "memories")
    return f"  {target.namespace}: {kept} from {sessions} in {visible(target.root) if target.root else 'no project'}"


def in_words(*counts: Mapping[str, int]) -> str:
    """Render counts by reason code, added up over all `counts`, as `12 questions, 3 too vague`, the largest first; ""
    without counts. Of a code with colons only the last part counts; one without known words is shown as it is.
    """
    by_words: Counter[str | tuple[str, str]] = Counter()
    for code, count in (pair for each in counts for pair in each.items()):
        reason = code.rpartition(":")[2]
        by_words[_WORDS.get(reason, visible(reason))] += count
    forms = (((words, words) if isinstance(words, str) else words, count) for words, count in by_words.most_common())
    return ", ".join(counted(count, *words) for words, count in forms)


def observe_text(outcome: ObserveOutput) -> str:
    """Render an observed live session: turns read and stored, what was left out, sessions flushed (their turns made
    into memories), why a flush failed, and turns that still wait for one.
    """
    where = ", ".join(outcome.spooled_to) or outcome.namespace
    lines = [f"read {outcome.turns_read} turns; spooled {outcome.turns_spooled} new ones to {where}"]
    lines += _left_out_lines(outcome)
    if outcome.malformed:
        lines.append(malformed_line(outcome.malformed, "line", outcome.problems))
    for each in outcome.flushes:
        result = f"{counted(each.turns, 'turn')} became {counted(each.memories, 'memory', 'memories')}"
        lines.append(f"flushed {visible(each.session_id)} on {each.signal}: {result}")
        lines += [f"  {line}" for line in _verdict_lines(each.verdicts, each.unkept)]
    if outcome.topic_shift == "words":
        lines.append(f"topics were followed by words alone: {visible(outcome.encoder_problem or 'no encoder')}")
    elif outcome.encoder_problem:
        lines.append(f"kept, but without vectors: {visible(outcome.encoder_problem)}")
    if outcome.extractor_problem:
        lines.append(f"not flushed: {visible(outcome.extractor_problem)}")
    return "\n".join([*lines, *map(_backlog_line, outcome.backlog)])


def backlog_text(outcome: SpoolOutput) -> str:
    """Render the sessions with turns that wait to become memories, a line for each; one sentence if none waits."""
    if not outcome.backlog:
        return f"nothing waits in {'any project' if outcome.everywhere else outcome.namespace}"
    return "\n".join(map(_backlog_line, outcome.backlog))


def _backlog_line(backlog: Backlog) -> str:
    """Render a session's waiting turns and since when they wait; if flushing them failed, how often and why."""
    since = f"{counted(backlog.turns, 'turn')} since {isoformat(backlog.oldest)}"
    line = f"waiting in {backlog.namespace}: {visible(backlog.session_id)}, {since}"
    if not backlog.attempts:
        return line
    after = f"; next attempt after {isoformat(backlog.next_attempt)}" if backlog.next_attempt else ""
    return f"{line}; {counted(backlog.attempts, 'attempt')} failed: {visible(backlog.problem or 'unknown')}{after}"
