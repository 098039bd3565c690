"""The blocks of a Markdown text in, statements out: of list items, paragraphs, table rows and procedures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from pellucid.capture.memories.blocks import Kind, MarkdownBlock
from pellucid.capture.memories.guess import category_of_words, is_standing_rule
from pellucid.capture.memories.phrases import LONGEST, empty_reason, plain_words, split_long_text, stands_alone
from pellucid.capture.report import CaptureReport
from pellucid.language.words import reading_length
from pellucid.model.memory import Category

MAX_CODE_LINES = 40  # of a code block that is kept with its introduction; a longer one is dropped
_COLONS = (":", "：")
_BOXES = ("[ ]", "[]", "[x]", "[X]")


@dataclass(frozen=True, slots=True)
class AdoptedStatement:
    """One statement of a text with its first and last line, and its headings from the outermost inwards."""

    text: str
    headings: tuple[str, ...]
    start: int
    end: int
    category: Category | None = None


@dataclass(slots=True)
class _Draft:
    """A block with the code and the nested blocks that belong to it, while a section is being read."""

    kind: Kind
    text: str
    start: int
    end: int
    depth: int
    code: list[str] = field(default_factory=list[str])
    inner: list["_Draft"] = field(default_factory=list["_Draft"])

    @property
    def words(self) -> str:
        """The block's plain text (`plain_words`), then its code blocks, each beginning on a line of its own."""
        return "\n".join([plain_words(self.text), *self.code])

    @property
    def is_lead_in(self) -> bool:
        """Whether the block only introduces those nested in it: it has some, and ends with a colon or has at most three
        words.
        """
        label = plain_words(self.text)
        return bool(self.inner) and (label.endswith(_COLONS) or reading_length(label) <= 3)


def statements(found: Iterator[MarkdownBlock], report: CaptureReport) -> Iterator[AdoptedStatement]:
    """Yield the statements of a text's blocks in order: one of each item, paragraph and table row with its code, one of
    all steps of a numbered list that is a procedure.

    A block that only introduces those nested in it (`is_lead_in`) is put before each of them, and gives no statement of
    its own unless it has code. Blocks that state nothing are counted in `report` by their reason. A statement longer
    than 2,000 characters that is no procedure is yielded in parts.
    """
    headings: list[tuple[int, str]] = []
    section: list[MarkdownBlock] = []
    for block in found:
        if block.kind != "heading":
            section.append(block)
            continue
        yield from _statements_of_section(section, headings, report)
        section = []
        headings = [(level, title) for level, title in headings if level < block.depth]
        headings.append((block.depth, plain_words(block.text)))
    yield from _statements_of_section(section, headings, report)


def _statements_of_section(
    found: Sequence[MarkdownBlock], headings: list[tuple[int, str]], report: CaptureReport
) -> Iterator[AdoptedStatement]:
    """Yield the statements of the blocks between two headings, given all headings above as (level, title), outermost
    first; blocks that state nothing are counted in `report`.

    The statements get these headings without the first, if it is of level 1 and there are others: it is the title of
    the text. A statement of more than 2,000 characters that is no procedure is yielded in parts.
    """
    titles = tuple(title for _, title in headings if title)
    context = titles[1:] if len(titles) > 1 and headings[0][0] == 1 else titles
    for each in _statements_of_drafts(_drafts(found, titles, report), "", context):
        if len(each.text) <= LONGEST or each.category == "procedure":
            yield each
        else:
            yield from (replace(each, text=part) for part in split_long_text(each.text))


def _drafts(found: Sequence[MarkdownBlock], titles: tuple[str, ...], report: CaptureReport) -> list[_Draft]:
    """Return the top-level blocks of a section as drafts; a draft has the blocks nested in it (`inner`) and its code.

    A block is nested in an item that it is indented below, and in a block before it that ends with a colon (`…:`), if
    it is indented below that or is an item, step or row on its depth. `titles` are the headings above, outermost first.
    Blocks that state nothing are counted in `report` and left out.
    """
    roots: list[_Draft] = []
    open_items: list[_Draft] = []
    for block in found:
        draft = _draft(block, report)
        if draft is None:
            continue
        if draft.kind == "code":
            _add_code(draft, roots, open_items, titles, report)
            continue
        open_items = _open_parents(draft, open_items)
        (open_items[-1].inner if open_items else roots).append(draft)
        if draft.kind in {"item", "step"} or plain_words(draft.text).endswith(_COLONS):
            open_items.append(draft)
    return roots


def _open_parents(draft: _Draft, open_items: list[_Draft]) -> list[_Draft]:
    """Return those of the drafts in `open_items` (outermost first) that a new draft is nested in: those indented less,
    in the same order.

    An item, step or row is nested in a paragraph that is indented as far, too: one that announces it (`…:`).
    """
    if draft.kind == "paragraph":
        return [each for each in open_items if each.depth < draft.depth]
    # a paragraph that announces (`…:`) introduces an item, step or row on its own depth
    return [each for each in open_items if each.depth < draft.depth + (each.kind == "paragraph")]


def _draft(block: MarkdownBlock, report: CaptureReport) -> _Draft | None:
    """Return a block as a draft, without a task's box (`[ ]`); None, and its reason counted, if it states nothing
    (`empty_reason`) or is a done task. A code block always becomes a draft.
    """
    text = block.text
    if block.kind == "code":
        return _Draft("code", text, block.start, block.end, block.depth)
    for box in _BOXES:
        if block.kind in {"item", "step"} and text.startswith(box):
            text = text.removeprefix(box).strip()
            if box.lower() == "[x]":
                report.drop("done-task")
                return None
    if reason := empty_reason(text):
        report.drop(reason)
        return None
    return _Draft(block.kind, text, block.start, block.end, block.depth)


def _add_code(
    draft: _Draft, roots: list[_Draft], open_items: list[_Draft], titles: tuple[str, ...], report: CaptureReport
) -> None:
    """Add a code block to the draft that introduces it, which then ends at the code's last line: to the innermost of
    `open_items` that is indented less or a paragraph, else to the very last block in `roots`, however deep, else to a
    new draft of the last of `titles`, which is appended to `roots`.

    A block of more than 40 lines (`MAX_CODE_LINES`) or 2,000 characters (`LONGEST`), or with nothing to introduce it,
    is only counted as left out.
    """
    if draft.text.count("\n") - 1 > MAX_CODE_LINES or len(draft.text) > LONGEST:
        report.drop("long-code")
        return
    enclosing = [each for each in open_items if each.depth < draft.depth or each.kind == "paragraph"]
    owner = enclosing[-1] if enclosing else roots[-1] if roots else None
    # without an enclosing item, the code follows the very last block, however deep that is nested
    while owner and owner.inner and not enclosing:
        owner = owner.inner[-1]
    if owner is None and titles:
        owner = _Draft("paragraph", f"{titles[-1]}:", draft.start, draft.end, 0)
        roots.append(owner)
    if owner is None:
        report.drop("code-without-instruction")
        return
    owner.code.append(draft.text)
    owner.end = draft.end


def _statements_of_drafts(drafts: Sequence[_Draft], lead: str, headings: tuple[str, ...]) -> Iterator[AdoptedStatement]:
    """Yield the statements of sibling drafts (blocks with their code and nested blocks) in order, under these headings
    and each with the text `lead` before it, unless that is empty; neighbouring numbered steps become one statement if
    they are a procedure (`_is_procedure`).
    """
    for kind, group in groupby(drafts, key=lambda each: each.kind):
        members = list(group)
        if kind == "step" and _is_procedure(members):
            yield _procedure(members, lead, headings)
            continue
        for each in members:
            yield from _statements_of_draft(each, lead, headings)


def _statements_of_draft(draft: _Draft, lead: str, headings: tuple[str, ...]) -> Iterator[AdoptedStatement]:
    """Yield a draft's own statement, its text after `lead` (if that is not empty), then the statements nested in it.

    A draft that only introduces nested ones (`is_lead_in`) has no own statement, unless it has code. A nested statement
    is preceded by the draft's text if the draft only introduces it, or if it is not clear without (`stands_alone`).
    """
    text = _with_lead(lead, draft.words)
    if not draft.is_lead_in or draft.code:
        category: Category | None = "procedure" if draft.code else category_of_words(plain_words(draft.text), headings)
        yield AdoptedStatement(text, headings, draft.start, draft.end, category)
    inner_lead = plain_words(draft.text).rstrip("".join(_COLONS)) if draft.is_lead_in else ""
    if inner_lead:
        inner_lead = _with_lead(lead, inner_lead)
    for each in _statements_of_drafts(draft.inner, inner_lead, headings):
        is_clear = inner_lead or stands_alone(each.text, plain_words(draft.text))
        yield each if is_clear else replace(each, text=_with_lead(plain_words(draft.text), each.text))


def _with_lead(lead: str, text: str) -> str:
    """Return `lead: text`, without a full stop at the lead's end; the text alone if the lead is empty."""
    return f"{lead.rstrip('.')}: {text}" if lead else text


def _is_procedure(steps: Sequence[_Draft]) -> bool:
    """Whether numbered items are the steps of a procedure: two or more, at most half of them standing rules (`never
    …`), and no longer than 4,000 characters together.
    """
    rules = sum(is_standing_rule(plain_words(step.text)) for step in steps)
    return len(steps) > 1 and rules * 2 <= len(steps) and sum(map(_size, steps)) <= 2 * LONGEST


def _size(draft: _Draft) -> int:
    """Return the characters of a draft with all that is nested in it."""
    return len(draft.text) + sum(map(len, draft.code)) + sum(map(_size, draft.inner))


def _procedure(steps: Sequence[_Draft], lead: str, headings: tuple[str, ...]) -> AdoptedStatement:
    """Return neighbouring numbered steps as one statement of the category `procedure`, numbered anew from 1.

    Its first line is a title: `lead`, or if that is empty the last two headings; no such line if there are none either.
    The statement has `headings` of its own only if it has a lead.
    """
    title = lead or " › ".join(headings[-2:])
    lines = [line for number, step in enumerate(steps, 1) for line in _list_lines(step, f"{number}.", "")]
    text = "\n".join([f"{title}:", *lines] if title else lines)
    return AdoptedStatement(text, () if not lead else headings, steps[0].start, _last_line(steps[-1]), "procedure")


def _list_lines(draft: _Draft, mark: str, indent: str) -> Iterator[str]:
    """Yield the lines of a list item and, indented by three more columns, of its code and nested blocks; `mark` is its
    bullet or number, `indent` the blanks before it.
    """
    yield f"{indent}{mark} {plain_words(draft.text)}"
    inner_indent = indent + "   "
    for code in draft.code:
        yield from (f"{inner_indent}{line}" for line in code.split("\n"))
    for each in draft.inner:
        yield from _list_lines(each, "-", inner_indent)


def _last_line(draft: _Draft) -> int:
    """Return the number of the last line of a draft and its nested blocks."""
    return max([draft.end, *map(_last_line, draft.inner)])


def text_with_headings(each: AdoptedStatement) -> str:
    """Return a statement's text after its nearest one or two headings: `outer › inner › text`.

    The text is returned alone if the statement has no heading, or if its first line begins with the nearest one or is
    clear without it (`stands_alone`).
    """
    first_line = each.text.partition("\n")[0]
    about = each.headings[-1] if each.headings else ""
    if not about or stands_alone(first_line, about) or first_line.startswith(about):
        return each.text
    return f"{' › '.join(each.headings[-2:])} › {each.text}"
