"""A chat exported as Markdown in, its turns out: SpecStory, or headings such as `## User` and `## Assistant`.

Known headings: `_**User (2026-03-01 09:00Z)**_` (SpecStory), `## User`, `**You:** …`, `> **Human**`, `###### ChatGPT
said:`. The headings of a role look alike in one file; a line that looks otherwise, or is inside a code fence, is
content. A tool's work is a turn of the tool; thinking is left out, and so is text that an agent's program wrote in the
user's name. A sub-agent's side chain is a session of its own, without the prompt it was given.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.capture.transcripts.noise import accepted_plan, is_harness_text, is_recap, recap, without_reminders
from pellucid.capture.transcripts.numbering import UNNUMBERED, numbered
from pellucid.capture.transcripts.source import Source
from pellucid.language.quoting.fences import fence_after
from pellucid.model.turn import Role, Turn

_FENCE = re.compile(r"[ \t]{0,3}(?:> ?)?(`{3,}|~{3,})")
_SESSION = re.compile(
    r"<!--\s*(?P<agent>[\w ]{1,40}?) Session (?P<id>[\w-]{8,64})\b|^\*\*Session ID:\*\*\s*(?P<named>[\w-]{8,64})",
    re.MULTILINE,
)
_SPECSTORY = re.compile(r"<!--[^>\n]{0,80}\bSpecStory\b")
_TITLE = re.compile(r"^# (?P<title>.{1,300}?)(?:\(?\d{4}-\d\d-\d\d[^()\n]{0,80}\)?)?$", re.MULTILINE)
_MAX_BEFORE = 30
"""Lines that are not blank before the first message; with more, the file is a document that quotes a chat."""
_TOOL = re.compile(r"<tool-use\b[^>]{0,400}>|^Tool use: \*\*(?P<name>[^*\n]{1,128})\*\*", re.MULTILINE)
_OUTPUT = re.compile(r"\n```[^`\n]*\n(?:(?!```)[^\n]*\n)*```[ \t]*(?=\n|\Z)")
_TOOL_END = re.compile(r"^(?:</details>)?</tool-use>", re.MULTILINE)
"""Only at the beginning of a line: an indented tag belongs to a session that the tool's output quotes."""
_RULE = re.compile(r"---[ \t]*")
_FENCE_OR_RULE = re.compile(rf"^(?:{_FENCE.pattern}|---[ \t]*$)", re.MULTILINE)
_TOOL_NAME = re.compile(r'data-tool-name="([^"]{1,128})"')
_THINKING = re.compile(r"^<think>.*?(?:</think>|\Z)", re.DOTALL | re.MULTILINE)
_MODEL = re.compile(r"\((?!sidechain\)|\d{4}-)[^()]")
_SYNTHETIC = "<synthetic>"
_MARKUP = re.compile(r"</?(?:details|summary|tool-use)\b[^>]*>")
_NOTE = re.compile(r"^_(?:Tools used|Opened file): .*_[ \t]*$", re.MULTILINE)
_LONGEST = 1024 * 1024
RUNAWAY = 6
"""Messages in a row, each of which closes all its fences, from which a fence that is open before them was never closed.

Fewer, and then one that closes one fence more than it opens, are a chat that a message quotes.
"""
_ASSISTANTS = (
    "assistant,agent,ai,bot,model,response,claude,claude code,chatgpt,gpt,gpt-4,copilot,github copilot,cursor,gemini,"
    "codex"
)
ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt"), "user"),
    **dict.fromkeys(_ASSISTANTS.split(","), "assistant"),
    "system": "system",
    "tool": "tool",
}
_NAME = "|".join(sorted(map(re.escape, ROLES), key=len, reverse=True))
_HEADING = re.compile(
    rf"(?P<quote>>[ ]?)?(?P<level>#{{1,6}}[ ]+)?(?:[^\w\s*_<>`\[(#-]{{1,4}}[ ])?(?P<mark>_\*\*|\*\*|__)?"
    rf"(?:[^\w\s*_<>`\[(#-]{{1,4}}[ ])?(?P<name>(?a:{_NAME}))(?P<said> said)?(?:: [^()*_:\n]{{1,60}}?)?"
    r"(?P<note>(?: - sidechain)?(?:[ ]*[(\[][^()\[\]\n]{1,160}[)\]]){0,2})"
    r"(?P<colon>:)?(?(mark)(?:\*\*_|\*\*|__))(?P<after>:)?"
    r"(?:[ ]*[(\[](?P<later>[^()\[\]\n]{1,160})[)\]])?(?:[ \t]+(?P<words>\S.*))?[ \t]*",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")
Style = tuple[str, str, str]  # the form that headings of one role share: quote, level and mark


@dataclass(frozen=True, slots=True)
class TurnHeading:
    """A heading over a message: the speaker's role, the time, and `words` of the message on the same line.

    `note` is the export's addition to the speaker's name: `(some-model 2026-03-01 09:00Z)`, ` - sidechain`.
    """

    role: Role
    style: Style
    at: datetime | None = None
    words: str = ""
    note: str = ""


def recognises(head: str) -> bool:
    """Whether the beginning of a file is a chat: a short preamble, then messages of a user and of an assistant.

    The preamble has at most 30 lines that are not blank, at most one of them a heading. An export of SpecStory (a tool
    that saves agents' sessions as Markdown) needs no message of an assistant.
    """
    styles = _heading_styles(head)
    if "user" not in styles or ("assistant" not in styles and not _SPECSTORY.search(head)):
        return False
    before = headings = 0
    for found, line in _outside_fences(head.splitlines()):
        if found and styles[found.role] == found.style:
            return True
        before += bool(line.strip())
        headings += line.startswith("#")
        if before > _MAX_BEFORE or headings > 1:
            return False
    return False


def _heading_styles(head: str) -> dict[Role, Style]:
    """Return the style (quote mark, `#` signs, emphasis) of each role's headings.

    For user and assistant it is the most frequent that both use, if there is one; else, and for other roles, the role's
    own most frequent. A role without a heading is left out.
    """
    counted: dict[Role, Counter[Style]] = {"user": Counter(), "assistant": Counter()}
    for found, _ in _outside_fences(head.splitlines()):
        if found:
            counted.setdefault(found.role, Counter())[found.style] += 1
    both = counted["user"] + counted["assistant"]
    alike = {style: both[style] for style in both if counted["user"][style] and counted["assistant"][style]}
    shared = max(alike, key=lambda style: (alike[style], style), default=("", "", ""))
    styles: dict[Role, Style] = {}
    for role, ways in counted.items():
        if ways:
            styles[role] = shared if shared in ways else ways.most_common(1)[0][0]
    return styles


def _outside_fences(lines: Iterable[str]) -> Iterator[tuple[TurnHeading | None, str]]:
    """Yield each line with the heading that it is; with None if it is not a message's heading, or is in a code fence.

    A fence that is open at a heading of SpecStory's form ends there, as nobody closed it, if no tool's block is open
    and each of the messages from there on (`RUNAWAY` of them at most) closes its own fences: else it would hide the
    rest.
    """
    parts = _parts(lines)
    ahead = deque(islice(parts, RUNAWAY))
    open_fence, in_tool = "", False
    while ahead:
        if open_fence and not in_tool and _is_marked_heading(ahead[0][0]) and all(map(_closes_its_fences, ahead)):
            open_fence = ""
        for line in ahead.popleft():
            if fence := _FENCE.match(line):
                open_fence = fence_after(open_fence, fence[0])
            heading = None if open_fence or fence else turn_heading(line)
            in_tool = heading is None and (in_tool or _TOOL.match(line) is not None) and not _TOOL_END.match(line)
            yield heading, line
        ahead.extend(islice(parts, 1))


def _parts(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines in parts, each up to the next heading of SpecStory's form, or cut once it has more than 1 Mi
    characters.
    """
    part, size = list[str](), 0
    for line in lines:
        if part and (size > _LONGEST or _is_marked_heading(line)):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _is_marked_heading(line: str) -> bool:
    """Whether a line is a message's heading in SpecStory's form, such as `_**User**_`, which nobody writes by hand."""
    return line.startswith("_**") and turn_heading(line) is not None


def _closes_its_fences(part: Iterable[str]) -> bool:
    """Whether every code fence that these lines open is closed in them."""
    open_fence = ""
    for line in part:
        if fence := _FENCE.match(line):
            open_fence = fence_after(open_fence, fence[0])
    return not open_fence


@dataclass(slots=True)
class _OpenMessage:
    """The message that is being read, with its lines so far and their length; before the first, without a heading."""

    heading: TurnHeading | None = None
    lines: list[str] = field(default_factory=list[str])
    size: int = 0


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a chat, first its title's, if it has one.

    A message ends at the next heading that has the usual style of the role it names; other headings are content. A
    message of more than 1 Mi characters is cut into several turns. One without a time has that of the message before,
    and the first message the first time in the preamble.
    """
    frame = Turn("", UNNUMBERED, "assistant", "")
    at: datetime | None = None
    # worked out again after the format was detected by it: a caller can name the format, and then nothing was detected
    current, styles = _OpenMessage(), _heading_styles(source.head())
    for heading, line in _outside_fences(line.text for line in source.lines()):
        found = heading if heading and styles.get(heading.role) == heading.style else None
        if found is None and current.size <= _LONGEST:
            current.lines.append(line)
            current.size += len(line) + 1
            continue
        # a heading, or a message that is too long to go on with: what was read so far is complete
        if current.heading is None:
            frame, at = _named_in_preamble("\n".join(current.lines), frame)
            yield from _title_turns(current.lines, frame, at)
        else:
            yield from _message_turns(current, replace(frame, at=at), source.report)
        current = _OpenMessage(found or current.heading, [found.words if found else line])
        at = (found.at if found else None) or at
    if current.heading:
        yield from _message_turns(current, replace(frame, at=at), source.report)


def _named_in_preamble(text: str, frame: Turn) -> tuple[Turn, datetime | None]:
    """Return `frame` with the session and agent that `text` names, and the first time in `text`, None if it has none.

    `text` is all that stands before the first message. If it names no session, the session's id is ""; if it names no
    agent, the agent is None, but `specstory` in an export of SpecStory, as that is always of a coding agent.
    """
    found = _SESSION.search(text)
    session = (found["id"] or found["named"] or "") if found else ""
    unnamed = "specstory" if _SPECSTORY.search(text) else None
    agent = "-".join(found["agent"].lower().split()) if found and found["agent"] else unnamed
    return replace(frame, session_id=session, agent=agent), time_in(text)


def _title_turns(lines: list[str], frame: Turn, at: datetime | None) -> Iterator[Turn]:
    """Yield a turn of kind `title`, dated `at`, for the title (`# …`) in the lines before the first message, if there
    is one.

    A date at the title's end is cut off; a title that is a date, or has one elsewhere, is no turn. `frame` is the turn
    to copy.
    """
    found = _TITLE.search("\n".join(lines))
    if found and not time_in(found["title"]):
        yield replace(frame, kind="title", content=found["title"].strip(), at=at)


def _message_turns(message: _OpenMessage, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """Yield the turns of one message. An assistant's message gives a turn for each piece of its text and, in between, a
    tool's turn for each block of a tool's work.

    `frame` is the turn to copy, with session, agent and time; a sub-agent's message gets the session
    `<session>/sidechain`. Thinking is left out and counted, and so is a message that is no turn (`_drop_reason`).
    """
    assert message.heading is not None
    lines = (
        [line.removeprefix(">").removeprefix(" ") for line in message.lines]
        if message.heading.style[0]
        else message.lines
    )
    text, thoughts = _THINKING.subn("", "\n".join(lines))
    report.drop("thinking", thoughts)
    if reason := _drop_reason(message.heading):
        report.drop(reason)
        return
    frame = replace(frame, role=message.heading.role)
    if "sidechain" in message.heading.note:
        frame = replace(frame, session_id=f"{frame.session_id}/sidechain")
    if frame.role == "user":
        yield from _user_turns(text, frame, report)
        return
    if frame.role != "assistant":
        yield from _text_turns(text, frame)
        return
    at = 0
    while found := _TOOL.search(text, at):
        yield from _text_turns(text[at : found.start()], frame)
        inside, at = _tool_block(text, found)
        name = _TOOL_NAME.search(found[0])
        tool = name[1] if name else found["name"] or "unknown"
        words = _MARKUP.sub("", inside).strip()
        yield replace(frame, role="tool", tool=tool, content=words or f"Tool use: {tool}")
    yield from _text_turns(text[at:], frame)


def _drop_reason(heading: TurnHeading) -> str | None:
    """Return why a message is not a turn: `api-error` (its note names the model `<synthetic>`), or `harness-noise` (the
    prompt of a sub-agent's side chain, which no model wrote); else None.
    """
    if _SYNTHETIC in heading.note:
        return "api-error"
    is_prompt = heading.role == "user" or not _MODEL.search(heading.note)
    return "harness-noise" if "sidechain" in heading.note and is_prompt else None


def _user_turns(text: str, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """Yield the turn under a user's heading, if words are left: the user's or, as the assistant's turn of kind `recap`
    or `plan`, a summary or plan that the agent's program sent in the user's name.

    The program's reminders are cut out; a text that is otherwise the program's is left out and counted. `frame` is the
    turn to copy.
    """
    for turn in _text_turns(without_reminders(text), frame):
        if is_harness_text(turn.content):
            report.drop("harness-noise")
        elif is_recap(turn.content):
            yield replace(turn, role="assistant", kind="recap", content=recap(turn.content))
        elif plan := accepted_plan(turn.content):
            yield replace(turn, role="assistant", kind="plan", content=plan)
        else:
            yield turn


def _tool_block(text: str, opening: re.Match[str]) -> tuple[str, int]:
    """Return the content of the tool's block after `opening`, and where it ends in `text`: after its closing tag or,
    for one that opens as `Tool use: **…**`, at the next rule (`---`); without these, at the end.

    A code fence on the line after a closing tag is the tool's output, and belongs to the content.
    """
    if opening["name"]:
        end = _rule_outside_fences(text, opening.end())
        return text[opening.end() : end], end
    closing = _TOOL_END.search(text, opening.end())
    end, after = closing.span() if closing else (len(text), len(text))
    output = _OUTPUT.match(text, after)
    return text[opening.end() : end] + (output[0] if output else ""), output.end() if output else after


def _rule_outside_fences(text: str, at: int) -> int:
    """Return the position of the first rule (`---`) from `at` on outside code fences, else the end of the text."""
    open_fence = ""
    for found in _FENCE_OR_RULE.finditer(text, at):
        if found[1]:
            open_fence = fence_after(open_fence, found[0])
        elif not open_fence:
            return found.start()
    return len(text)


def _text_turns(text: str, frame: Turn) -> Iterator[Turn]:
    """Yield a copy of `frame` with this text, without the export's notes (`_Tools used: …_`) and without blank lines
    and rules at either end.

    Nothing if no line is left.
    """
    lines = _NOTE.sub("", text).split("\n")
    while lines and _is_separator(lines[0]):
        lines.pop(0)
    while lines and _is_separator(lines[-1]):
        lines.pop()
    if lines:
        yield replace(frame, content="\n".join(lines).strip())


def _is_separator(line: str) -> bool:
    """Whether a line only separates messages: it is blank or a rule."""
    return not line.strip() or _RULE.fullmatch(line) is not None


def turn_heading(line: str) -> TurnHeading | None:
    """Parse a line as the heading of a message: a name in `ROLES` after `#` signs or in emphasis, with a time if it has
    one; a label after the name (`## User: …`) is skipped.

    None for any other line, for a bare name, and for a name with other words after it (`## User interface`), unless it
    is emphasised and has a colon (`**You:** …`).
    """
    found = _HEADING.fullmatch(line.rstrip()) if line[:1] in "#>*_" else None
    if found is None or not (found["level"] or found["mark"]):
        return None
    words = found["words"] or ""
    if words and not (found["mark"] and (found["colon"] or found["after"])):
        return None  # `## User interface`, `**User** accounts are …`
    at = time_in(found["note"]) or time_in(found["later"] or "")
    style = (found["quote"] or "", (found["level"] or "").strip(), found["mark"] or "")
    return TurnHeading(ROLES[found["name"].lower()], style, at, words, found["note"])


def time_in(text: str) -> datetime | None:
    """Return the first ISO 8601 time in a text, in UTC (see `as_instant`); None if there is none, or that one is no
    real date.
    """
    found = _TIME.search(text)
    return as_instant(found[0].replace(" ", "T")) if found else None
