"""A user's message in, spans of the user's own words and of pasted material out, told apart by the shape of lines.

Pasted is: what stands between fences or tags, after quote signs or under the header of a mail; a run of lines that a
machine wrote (logs, diffs, tables, stack traces, screens of a terminal); a document with several headings; and a
paragraph that reads as a report: long, full of code, and without a speaker. Lists, questions and sentences of the
user's own are none of these. A pure function of the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.text_cache import text_cache


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """A stretch `text[start:end]` of a message; the spans of a message adjoin and cover it."""

    start: int
    end: int
    pasted: bool


_LONGEST = 200_000
"""Characters that are examined; everything after them counts as pasted, for nobody types so much."""
_FENCE = re.compile(
    r"\s{0,3}(`{3,}|~{3,}|\"{3}|'{3}|<<<|-{3,}(?=\s*(?:begin|start|forwarded|original)\b))", re.IGNORECASE
)
_CLOSED_BY = {"<": ">>>", "-": "---"}
_QUOTE = re.compile(r"\s{0,3}>(?!\s*$)")
_MARKER = re.compile(r"\s*\[(?:Pasted text|Image|File|Attachment)\b[^\[\]\n]{0,80}\]\s*")
_TAG = re.compile(r"\s*<([A-Za-z][\w:-]{0,40})(?:\s[^<>\n]{0,400})?>")
_CLOSING_TAG = re.compile(r"</([A-Za-z][\w:-]{0,40})>")
_TAGGED = 80
"""Characters of a line from which tags within it enclose pasted material, and not a marked-up word."""
_MAIL = frozenset({"from", "to", "sent", "date", "subject", "cc"})
_HEADING = re.compile(r"#{1,6} \S|\*\*[^*\n]{2,80}\*\*:?\s*$")
_MANY_HEADINGS, _DOCUMENT_LINES = 2, 15
_RUN, _GAP, _SILENT_GAP = 3, 2, 8
"""Lines of a machine that make a run, and the most other lines between two of them: `_GAP` if one of those is a
sentence or somebody speaks in it, else `_SILENT_GAP`."""

_FOLD = "[v\u25b6\u25b8\u25ba\u25bc\u25be]"
_TREE = re.compile(rf"\s*(?:[>*+-] +{_FOLD} |{_FOLD} +[*+o\u25cb\u25c9\u25cf-] )\s*\S")
"""A row of a list that folds: the cursor and the mark that folds it, or that mark and the row's own (`> v`, `v *`)."""

_MACHINE: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf"\A(?:{form})")
    for form in (
        r"\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d\b",  # a log's time
        r"\W{0,2}(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|FAIL|PASS)\b[\s:\]\[]",
        r"(?:ok|FAIL|---|\?)[ \t]{2,}\S",
        r".*[\u2500-\u259f\u23bf\u23fa\u276f\u279c\u25cf]",  # frames, bars and marks of a terminal
        r"\s*(?:[$%#] \S|\S{1,40}[@:~]\S{0,80} ?(?:\S{1,60} )?[$%#❯] )",  # a prompt
        r"(?:diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- [ab/]|commit [0-9a-f]{7,40}\b|[+-][^\s-])",
        r"\s*(?:at \S+\(|File \"|Traceback \(|Caused by: |goroutine \d|\W{0,3}[\w.]*(?:Error|Exception)(?::|$))",
        r"\s*[\w./@~-]+\.\w{1,6}:\d+\b",  # a place in a file
        r"\s*[\w./@-]{2,60}:[\w./-]{2,60}:(?:\s|\Z)|\[[A-Za-z][\w.@-]{2,30}\] \S",  # which of several programs prints
        r"\s*(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]+\s*\Z",  # nothing but a path
        r"\s{2,}[•⨯✓✔✗✖] +\S",  # a step that a program reports
        _TREE.pattern,
        rf"\s*{_FOLD} +\S.*[\])]\s*\Z",  # a row that folds, with its status at the end
        r".*(?:[—–|]|\s)\s(?:just now|\d{1,4} [a-z]{1,12} ago)\b",  # a column with an age
        r".*\[\+\d+ -\d+\b",  # lines added and removed
        r"[\s>*o-]*(?=[a-f]*\d)[0-9a-f]{7,12} \S",  # a commit by its hash
        r".*\|.*\|",
        r"[^\t]*\t[^\t]*\t",
        r"\s*\S+(?: \S+){0,5} {3,}\S+(?: \S+){0,5} {3,}\S",  # columns
        r"\s*(?:[\w.-]+=\S+\s+){2}",
        r".*(?:[{;]|\)\s*=>|\):)\s*$",
        r"\s*[}\])]+[;,)]*\s*$",
        r"\s*[\w.]+ :?= .*[({\[\"']|\s*[\w.]+\([^()]*\)[;,]?\s*$",
        r"\s*\"[\w .-]{1,60}\": ",
        r"\s*(?:import|from|def|func|class|return|const|let|var|package|SELECT|INSERT) .*[(={\"'.]",
    )
)
_SCREEN = re.compile(r"(?<!\s)\s*+(?:[\u23bf\u23fa\u276f\u273b] \s*\S|\u23bf)")
"""Marks that terminal agents print before messages and actions."""
_LETTERS = 0.66
_MEASURED = 16
"""Share of letters and spaces below which a line of at least `_MEASURED` characters is not a sentence."""

_REPORT_WORDS, _REPORT_CODE = 40, 3
_TITLE_WORDS = 12
_CODE = re.compile(
    r"`[^`\n]+`|\b\w+(?:\.\w+){0,8}\([^()\n]{0,40}\)|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w+_\w+\b|\b\w+\.[a-z]{1,4}\b"
)
_SPEAKS = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|me|my|mine|our|ours|us|you|your|yours|let's|lets|please)\b|\?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = "the is are to of and in that not for when with from but only by as it its this which be has"
_ENGLISH = frozenset(_COMMON.split())
_READS_ON = 0.15
"""Share of these words from which a text is English prose; `_SPEAKS` knows no other language."""


@text_cache(256)
def spans(text: str, *, of_agent: bool = False) -> tuple[MessageSpan, ...]:
    """Return the spans of own words and of pasted material in a message, in order; empty for an empty message.

    Pasted are, by the shape of their lines: what stands between fences or tags, quoted lines, mails, runs of lines that
    a machine wrote (logs, diffs, tables, screens), lines such as `[Pasted text …]`, documents with headings, reports
    about code. With `of_agent`, an agent wrote the message: then headings and paragraphs full of code are its own. Only
    the first 200,000 characters are examined; the rest counts as pasted.
    """
    pieces = [piece for line in text[:_LONGEST].splitlines(keepends=True) for piece in _split_at_screen(line)]
    lines = [piece.rstrip("\r\n") for piece in pieces]
    pasted = [_MARKER.fullmatch(line) is not None for line in lines]
    for find in _SHOWN if of_agent else (*_SHOWN, _document_spans, _code_report_spans):
        for start, end in find(lines, pasted):
            pasted[start:end] = [True] * (end - start)
    found: list[MessageSpan] = []
    at = 0
    for piece, foreign in zip(pieces, pasted, strict=True):
        if found and found[-1].pasted == foreign:
            found[-1] = MessageSpan(found[-1].start, at + len(piece), foreign)
        else:
            found.append(MessageSpan(at, at + len(piece), foreign))
        at += len(piece)
    return (*found, MessageSpan(at, len(text), True)) if at < len(text) else tuple(found)


def _split_at_screen(line: str) -> list[str]:
    """Return the line as one piece, or as two if a mark that terminal agents print (`❯`, `⏺`, `⎿`, `✻`) stands behind
    other words: the words before it, and the mark with the rest (`Look: ❯ make it`).
    """
    screen = _SCREEN.search(line)
    return [line[: screen.start()], line[screen.start() :]] if screen and line[: screen.start()].strip() else [line]


def own_words(text: str, *, of_agent: bool = False) -> str:
    """Return the speaker's own words in a message, without blanks at the ends: everything except pasted material (see
    `spans`), joined as it stands; empty if there are none.
    """
    found = spans(text, of_agent=of_agent)
    return "".join(text[span.start : span.end] for span in found if not span.pasted).strip()


def pasted_words(text: str, *, of_agent: bool = False) -> str:
    """Return the pasted material in a message (see `spans`), joined as it stands, without blanks at the ends; empty if
    there is none.
    """
    return "".join(text[span.start : span.end] for span in spans(text, of_agent=of_agent) if span.pasted).strip()


Lines = Sequence[str]
Marks = Sequence[bool]
"""For each line, whether it is already known to be pasted."""


def _fenced_spans(lines: Lines, _: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines from a fence or tag to its closing counterpart.

    A fence (backticks, tildes, triple quotes, `<<<`, `--- begin …`) that is never closed reaches to the end of the
    message; a tag that is never closed is ignored, and so is one closed in its own line, if that has 80 characters at
    most.
    """
    at = 0
    # for the name of each tag, the last line that closes one
    ends = {found[1]: n for n, line in enumerate(lines) for found in _CLOSING_TAG.finditer(line)}
    while at < len(lines):
        fence, tag = _FENCE.match(lines[at]), _TAG.match(lines[at])
        end = at
        if fence and lines[at].count(fence[1]) == 1 + (fence[1][0] == "-" and lines[at].rstrip().endswith("-")):
            mark = _CLOSED_BY.get(fence[1][0], fence[1])
            end = next((n + 1 for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith(mark)), len(lines))
        elif tag and (last := ends.get(tag[1], -1)) >= at:
            closing = next(n for n in range(at, last + 1) if f"</{tag[1]}>" in lines[n])
            end = closing + 1 if closing > at or len(lines[at]) > _TAGGED else at
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _quoted_spans(lines: Lines, _: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines of each quoted line (`> …`), with its lead-in above it, if there is one:
    lines with a digit that end in a colon (`On 1 March 2026 Ada wrote:`).
    """
    for at, line in enumerate(lines):
        if _QUOTE.match(line):
            before = at
            while before > 0 and lines[before - 1].rstrip().endswith(":") and re.search(r"\d", lines[before - 1]):
                before -= 1
            yield before, at + 1


def _mail_spans(lines: Lines, _: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines from the header of a mail to the end of the message; nothing if there is no
    header.

    A header is three or more of the fields `From`, `To`, `Sent`, `Date`, `Subject`, `Cc` in consecutive lines, `From`
    among them; the first one counts.
    """
    run: list[str] = []
    for at, line in enumerate(lines):
        label, colon = line.partition(":")[:2]
        name = label.strip(" *").lower()
        run = [*run, name] if colon and name in _MAIL else []
        if len(run) >= _RUN and "from" in run:
            yield at + 1 - len(run), len(lines)
            return


def _machine_runs(lines: Lines, pasted: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines of runs of lines that a machine wrote (`_is_machine`), with the blank and
    indented lines among and below them.

    A run has at least three such lines, not yet `pasted`; a terminal agent's mark counts as three, a row of a folding
    list, pasted or not, as two. Up to two other lines can stand between two of them; once three are there, up to eight,
    if none is a sentence or has a speaker (`I`, `you`, `?`). After a terminal agent's mark, what follows without a
    blank line or a speaker belongs to the run, too.
    """
    start = -1
    count = others = end = 0
    silent = False  # the other lines since the run's last machine line may be output of the machine, too
    printing = False  # no blank line and no speaker since a prompt: its command's output
    for at, line in enumerate([*lines, "."] if lines else []):  # the last one only closes a run
        if at < len(lines) and (_TREE.match(line) or (not pasted[at] and _is_machine(line))):
            start = at if start < 0 else start
            count += _RUN if _SCREEN.match(line) else 2 if _TREE.match(line) else 1
            others, end, silent = 0, at + 1, count >= _RUN
            printing = printing or _SCREEN.match(line) is not None
        elif printing and at < len(lines) and line.strip() and not _SPEAKS.search(line):
            end = at + 1
        elif start >= 0 and at < len(lines) and (not line.strip() or line.startswith(("  ", "\t"))):
            end, printing = at + 1 if others == 0 else end, False
        elif start >= 0:
            others, printing = others + 1, False
            silent = silent and not (_SPEAKS.search(line) or line.rstrip().endswith((".", "!", "。")))
            if others > (_SILENT_GAP if silent else _GAP) or at >= len(lines):
                if count >= _RUN:
                    yield start, end
                start, count, others = -1, 0, 0


def _is_machine(line: str) -> bool:
    """Whether a line looks as if a machine wrote it: it has one of the forms of `_MACHINE`, or at least 16 characters,
    of which less than 66 % are letters and blanks. Never a blank line.
    """
    stripped = line.strip()
    if not stripped:
        return False
    if any(form.match(line[:400]) for form in _MACHINE):
        return True
    return len(stripped) >= _MEASURED and sum(map(str.isalpha, stripped)) + stripped.count(" ") < _LETTERS * len(
        stripped
    )


def _document_spans(lines: Lines, pasted: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines from the first heading to the end, if there are two headings outside pasted
    lines, and 15 lines with text from the first heading on; else nothing.
    """
    headings = [at for at, line in enumerate(lines) if not pasted[at] and _HEADING.match(line)]
    if len(headings) >= _MANY_HEADINGS and sum(bool(line.strip()) for line in lines[headings[0] :]) >= _DOCUMENT_LINES:
        yield headings[0], len(lines)


_SHOWN = (_fenced_spans, _quoted_spans, _mail_spans, _machine_runs)
"""What finds pasted material by marks and by machines' forms, in anybody's message."""


def _code_report_spans(lines: Lines, pasted: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines of paragraphs that read as reports about code (`_is_report`), each with the
    titles (`_is_title`) right above it.
    """
    title = -1
    for start, end in _paragraph_spans(lines, pasted):
        text = " ".join(lines[start:end])
        if _is_report(text):
            yield start if title < 0 else title, end
            title = -1
        elif _is_title(text):
            title = start if title < 0 else title
        else:
            title = -1


def _paragraph_spans(lines: Lines, pasted: Marks) -> Iterator[tuple[int, int]]:
    """Yield the (first, after-last) lines of the paragraphs, which end at blank lines and where pasted lines begin."""
    start = -1
    for at, line in enumerate([*lines, ""]):
        if at < len(lines) and line.strip() and not pasted[at]:
            start = at if start < 0 else start
        elif start >= 0:
            yield start, at
            start = -1


def _is_report(text: str) -> bool:
    """Whether a paragraph reads as a report about code: English prose of 40 words or more, with three different names
    of code or more, without `?` and words by which somebody speaks (`I`, `we`, `you`, `please` …).
    """
    words = _WORD.findall(text.lower())
    if len(words) < _REPORT_WORDS or _SPEAKS.search(text) or len(set(_CODE.findall(text))) < _REPORT_CODE:
        return False
    return sum(word in _ENGLISH for word in words) >= _READS_ON * len(words)


def _is_title(text: str) -> bool:
    """Whether a paragraph can be a title: it has at most 12 words, begins with a capital, ends in a letter or digit,
    and has no `?` and no words by which somebody speaks (`I`, `you` …).
    """
    words = text.split()
    return 0 < len(words) <= _TITLE_WORDS and words[0][:1].isupper() and text[-1].isalnum() and not _SPEAKS.search(text)
