"""A turn's words in, the same without Pellucid's own output out: fenced context, the layouts of our commands.

Our output contains memories: if it were taken in again, a memory would vouch for itself. It is recognised by its shape:
a line that begins with one of our ids as our commands print it, a row of a list, a footer, the fields of a memory. An
id in somebody's sentence is just a word.
"""

import re
from collections.abc import Sequence

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.noise import without_blocks
from pellucid.model.memory import FOLDERS
from pellucid.model.turn import Turn

# a copy inside a tool's JSON output has its quotes and angle brackets escaped, once or more
_LT, _GT, _QUOTE = r"(?:<|\\{1,7}u003[cC])", r"(?:>|\\{1,7}u003[eE])", r'\\{0,7}"'
_RECALL_ID = r"rec_[0-9a-f]{32}"
_FENCE = re.compile(rf"{_LT}pellucid-(?:recall|note) id={_QUOTE}(?:rec|note)_[0-9a-f]{{32}}{_QUOTE}{_GT}")
_FENCE_END = re.compile(rf"{_LT}/pellucid-(?:recall|note){_GT}")
_CITATION = re.compile(rf"{_LT}oai-mem-citation{_GT}")
_CITATION_END = re.compile(rf"{_LT}/oai-mem-citation{_GT}")
_JSON_ID = re.compile(rf"{_QUOTE}(?:recallId|snapshotId|[ab]){_QUOTE}\s{{0,8}}:\s{{0,8}}{_QUOTE}{_RECALL_ID}{_QUOTE}")
_MEMORY_ID = re.compile(rf"\bid{_QUOTE}?\s{{0,8}}:\s{{0,8}}(?:{_QUOTE})?mem_[0-9a-f]{{32}}\b")
_MEMORY_FIELD = re.compile(r"\b(?:contentHash|trustZone|sourceClass)\b")
_XRAY_HEADER = "=== Recall X-ray ==="
_XRAY_TITLE = re.compile(r"(?:=== |# |<h1>)Recall X-ray")
_XRAY_ID = re.compile(rf"(?:[rR]ecall|[sS]napshot[- ]id)\W.{{0,80}}{_RECALL_ID}")
"""In text, in a cell of Markdown, in a cell of a page."""

_ID = r"(?:mem|rec|aud|op|ep)_[0-9a-f]{32}(?:\d\d)?"
_LABEL = (
    "(?:remembered|known already(?:, and updated)?|updated|archived|retracted|disputed|quarantined|promoted|pinned"
    "|unpinned|verified|undone|replaces|back|nothing to do|memory|recall|operation(?: opId)?|snapshot-id"
    "|audit-entry|receipt|id|nearest|[ab])"
)
_BEGINS = re.compile(
    rf"\s*(?:(?:\[\d{{1,3}}\] )?{_ID}(?:  \S| — |: (?:identical|differs|NOT|without)\b)"  # `mem_…  active, …`
    r"|mem_[0-9a-f]{32}$"
    rf"|(?:\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d\S*)  {_ID}\b"  # a row of `snapshots list`
    rf"|{_LABEL}: (?:[a-z_]+ of )?{_ID}(?:$|[,; ] |  | \()"
    rf"|path: (?:{'|'.join(sorted(set(FOLDERS.values())))})/\d{{4}}-\d\d/\S+\.md\b)"
)
_OPTIONS = "(?: --(?:namespace|home) .{1,400})?"  # options that our commands repeat in their hints
_ALONE = re.compile(
    r"\s*(?:(?:ID|AT|EPISODE)(?:  +[A-Z]+){3,5}$"
    r"|[0-9a-f]{10}  (?:\d{4}-\d\d-\d\d  [a-z_]+ +(?:trivial|low|normal|high|critical) "
    r"|(?:hot|cold)  |\d+ times? in )"
    rf"|why: pellucid xray --id {_RECALL_ID}{_OPTIONS}$|back: pellucid undo op_[0-9a-f]{{32}}\S{{0,40}}{_OPTIONS}$"
    r"|shown: \d+ memor(?:y|ies)\b|not known: nothing here (?:is near enough|could be an answer)\b"
    r"|answer: (?:sure|fairly sure|not sure)\b.{0,40} \(doubt [\d.]+\)$"
    r"|\d+ of these (?:was|were) (?:not verified for \d|superseded since: mem_)"
    r"|\d+ of \d+ (?:memories|episodes|in quarantine)(?:$| as (?:of|known at) \d|; \d)"
    r"|[\d,]{1,12} passages of what was said stand behind them: --category moment$)"
)
_FIELD = re.compile(r"[a-z][A-Za-z -]{0,40}:(?: |$)|[ \t]{2,}\S")
_OF_XRAY = re.compile(
    r"--- |- |\[\d{1,3}\] |(?:[a-z]+ )?[\d.]+ ms\b"
    r"|\((?:[\d,]+ (?:more |[^()]{0,80} )not (?:listed|shown)[):]|(?:the )?numbers are |numbered by |terms of )"
    r"|\((?:a (?:graph path is told|first place pays)|no (?:filter traces|results) )|terms of the scores, "
)
_SECTION = re.compile(r"--- [a-z ]+ ---$")
_GUTTER = re.compile(r"[>│┃⎿] ?")
_STRING_END = re.compile(r"\\{1,7}n|\\{0,7}\"")
"""The end of a line inside a JSON string: an escaped line end, or the end of the string."""
_POSSIBLY_OURS = re.compile(rf"{_ID}|[0-9a-f]{{10}}  [\dhc]|\d of (?:these|\d)|{_XRAY_HEADER}")


def without_own_output(text: str, report: CaptureReport) -> str:
    """Return the text without Pellucid's fenced context and notes, the lines that our commands print, and the memory
    citations of Codex (`<oai-mem-citation>`).

    What is removed is counted in `report.stripped`, as `own-recall` or `memory-citation`. Of a fence that is never
    closed, all the rest is removed; a citation that is never closed stays.
    """
    if "pellucid-recall" in text or "pellucid-note" in text:
        text, removed = without_blocks(text, _FENCE, _FENCE_END, open_ended=True)
        report.strip("own-recall", removed)
    if "oai-mem-citation" in text:
        text, removed = without_blocks(text, _CITATION, _CITATION_END)
        report.strip("memory-citation", removed)
    if _POSSIBLY_OURS.search(text):
        text, removed = _without_layouts(text)
        report.strip("own-recall", removed)
    return text


def is_own_output(turn: Turn) -> bool:
    """Whether a turn is a tool's and the whole of it counts as Pellucid's output.

    It does if it contains the X-ray of a recall, a memory's id and other fields (as in its file), or a recall's id as a
    JSON value; or if it is a single line in which, once escaped line ends are made real ones, there is a line that our
    commands print. In a text of several lines only such lines are ours: `without_own_output` removes them.
    """
    text = turn.content
    if turn.role != "tool" or not _POSSIBLY_OURS.search(text):
        return False
    is_xray = _XRAY_TITLE.search(text) is not None and _XRAY_ID.search(text) is not None
    is_memory = _MEMORY_ID.search(text) is not None and _MEMORY_FIELD.search(text) is not None
    is_escaped = "\n" not in text.strip() and _without_layouts(_STRING_END.sub("\n", text))[1] > 0
    return is_xray or is_memory or is_escaped or _JSON_ID.search(text) is not None


def _without_layouts(text: str) -> tuple[str, int]:
    """Return the text without the blocks of lines that our commands print, and the number of these blocks."""
    lines = text.split("\n")
    kept: list[str] = []
    removed = at = 0
    while at < len(lines):
        after = _block_end(lines, at)
        if after > at:
            removed += 1
        else:
            kept.append(lines[at])
        at = max(after, at + 1)
    return "\n".join(kept), removed


def _block_end(lines: Sequence[str], at: int) -> int:
    """Return the index of the line after the printed block that begins at line `at`; `at` if none begins there.

    A memory's fields are followed by its text, which can be anything: such a block reaches to the end of `lines`.
    """
    line = _unquoted(lines[at])
    if _ALONE.match(line):
        return at + 1
    is_xray = line.startswith(_XRAY_HEADER)
    if not is_xray and not _BEGINS.match(line):
        return at
    is_memory = line.startswith(("path: ", "id: "))
    at += 1
    while at < len(lines):
        if _FIELD.match(_unquoted(lines[at])) or (is_xray and _OF_XRAY.match(lines[at])):
            at += 1
        elif is_xray and not lines[at].strip() and at + 1 < len(lines) and _SECTION.match(_unquoted(lines[at + 1])):
            at += 2
        else:
            break
    return len(lines) if is_memory else at


def _unquoted(line: str) -> str:
    """Return the line without a quote mark or border sign (`>`, `│`, `┃`, `⎿`) as its first character, and without one
    space after it; any other line is returned as it is.
    """
    return _GUTTER.sub("", line, count=1) if line[:1] in ">│┃⎿" else line
