"""The blocks of a Markdown text in, statements out: one a list item, paragraph, table row or procedure, in context."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pellucid.capture.memories.blocks import Kind, MarkdownBlock
from pellucid.capture.memories.guess import by_form, forbids
from pellucid.capture.memories.phrases import LONGEST, nothing_said, pieces, plain, stands_alone
from pellucid.capture.report import CaptureReport
from pellucid.language.words import reading_length
from pellucid.model.memory import Category

MOST_CODE = 40
"""Lines of a code block that is kept with its instruction; a longer one is a listing."""
_COLONS = (":", "：")
_BOXES = ("[ ]", "[]", "[x]", "[X]")


@dataclass(frozen=True, slots=True)
class AdoptedStatement:
    """Something a text states, with the headings above it that are more than a title, and its lines."""

    text: str
    headings: tuple[str, ...]
    start: int
    end: int
    category: Category | None = None


@dataclass(slots=True)
class _Draft:
    """A block that may still gain code and nested items."""

    kind: Kind
    text: str
    start: int
    end: int
    depth: int
    code: list[str] = field(default_factory=list[str])
    inner: list["_Draft"] = field(default_factory=list["_Draft"])

    @property
    def words(self) -> str:
        return "\n".join([plain(self.text), *self.code])

    @property
    def leads(self) -> bool:
        """Whether it says something only together with what it introduces."""
        label = plain(self.text)
        return bool(self.inner) and (label.endswith(_COLONS) or reading_length(label) <= 3)


def statements(found: Iterator[MarkdownBlock], report: CaptureReport) -> Iterator[AdoptedStatement]:
    """Every statement in order. What says nothing is counted in `report.dropped` by its reason."""
    headings: list[tuple[int, str]] = []
    section: list[MarkdownBlock] = []
    for block in found:
        if block.kind != "heading":
            section.append(block)
            continue
        yield from _statements_of_section(section, headings, report)
        section = []
        headings = [(level, title) for level, title in headings if level < block.depth]
        headings.append((block.depth, plain(block.text)))
    yield from _statements_of_section(section, headings, report)


def _statements_of_section(
    found: Sequence[MarkdownBlock], headings: list[tuple[int, str]], report: CaptureReport
) -> Iterator[AdoptedStatement]:
    """The statements between two headings; the title of the whole text is context only where there is no other."""
    titles = tuple(title for _, title in headings if title)
    context = titles[1:] if len(titles) > 1 and headings[0][0] == 1 else titles
    for each in _statements_of_drafts(_drafts(found, titles, report), "", context):
        yield from _cut_statement(each)


def _cut_statement(each: AdoptedStatement) -> Iterator[AdoptedStatement]:
    """A long statement in parts; procedures and short ones as they are."""
    if len(each.text) <= LONGEST or each.category == "procedure":
        yield each
        return
    for piece in pieces(each.text):
        yield AdoptedStatement(piece, each.headings, each.start, each.end, each.category)


def _drafts(found: Sequence[MarkdownBlock], titles: tuple[str, ...], report: CaptureReport) -> list[_Draft]:
    """The blocks of a section as a forest: what is indented below an item, or follows a `…:` line, stands inside."""
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
        if draft.kind in {"item", "step"} or plain(draft.text).endswith(_COLONS):
            open_items.append(draft)
    return roots


def _open_parents(draft: _Draft, open_items: list[_Draft]) -> list[_Draft]:
    """The open blocks that a new one stands inside of."""
    if draft.kind == "paragraph" and not draft.depth:
        return []
    return [each for each in open_items if each.depth < draft.depth or _introduces(each, draft)]


def _introduces(lead: _Draft, draft: _Draft) -> bool:
    return lead.kind == "paragraph" and lead.depth <= draft.depth and draft.kind != "paragraph"


def _draft(block: MarkdownBlock, report: CaptureReport) -> _Draft | None:
    """The block as a draft of a statement; None, and its reason counted, if it says nothing."""
    text = block.text
    if block.kind == "code":
        return _Draft("code", text, block.start, block.end, block.depth)
    for box in _BOXES:
        if block.kind in {"item", "step"} and text.startswith(box):
            text = text.removeprefix(box).strip()
            if box.lower() == "[x]":
                report.drop("done-task")
                return None
    if reason := nothing_said(text):
        report.drop(reason)
        return None
    return _Draft(block.kind, text, block.start, block.end, block.depth)


def _add_code(
    draft: _Draft, roots: list[_Draft], open_items: list[_Draft], titles: tuple[str, ...], report: CaptureReport
) -> None:
    """Add a code block to the draft that introduces it: the open item, the paragraph before it, or the heading."""
    if draft.text.count("\n") - 1 > MOST_CODE or len(draft.text) > LONGEST:
        report.drop("long-code")
        return
    enclosing = [each for each in open_items if each.depth < draft.depth or each.kind == "paragraph"]
    owner = enclosing[-1] if enclosing else roots[-1] if roots else None
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
    """The statements of neighbours that share a lead; numbered ones are the steps of one procedure."""
    for kind, group in groupby(drafts, key=lambda each: each.kind):
        members = list(group)
        if kind == "step" and _is_procedure(members):
            yield _procedure(members, lead, headings)
            continue
        for each in members:
            yield from _statements_of_draft(each, lead, headings)


def _statements_of_draft(draft: _Draft, lead: str, headings: tuple[str, ...]) -> Iterator[AdoptedStatement]:
    """The statement of a block, unless it only leads in (`Rules:`), then those of what stands inside, led by it."""
    text = _led(lead, draft.words)
    if not draft.leads or draft.code:
        category: Category | None = "procedure" if draft.code else by_form(plain(draft.text), headings)
        yield AdoptedStatement(text, headings, draft.start, draft.end, category)
    inner_lead = plain(draft.text).rstrip("".join(_COLONS)) if draft.leads else ""
    if inner_lead:
        inner_lead = _led(lead, inner_lead)
    for each in _statements_of_drafts(draft.inner, inner_lead, headings):
        told = inner_lead or stands_alone(each.text, plain(draft.text))
        yield each if told else AdoptedStatement(_led(plain(draft.text), each.text), *_rest(each))


def _rest(each: AdoptedStatement) -> tuple[tuple[str, ...], int, int, Category | None]:
    return each.headings, each.start, each.end, each.category


def _led(lead: str, text: str) -> str:
    return f"{lead.rstrip('.')}: {text}" if lead else text


def _is_procedure(steps: Sequence[_Draft]) -> bool:
    """Whether numbered items are steps: two or more, not mostly prohibitions, short enough to stay together."""
    lasting = sum(forbids(plain(step.text)) for step in steps)
    return len(steps) > 1 and lasting * 2 <= len(steps) and sum(map(_size, steps)) <= 2 * LONGEST


def _size(draft: _Draft) -> int:
    return len(draft.text) + sum(map(len, draft.code)) + sum(map(_size, draft.inner))


def _procedure(steps: Sequence[_Draft], lead: str, headings: tuple[str, ...]) -> AdoptedStatement:
    """Neighbouring numbered steps as one procedure, under their lead or else their headings."""
    title = lead or " › ".join(headings[-2:])
    lines = [line for number, step in enumerate(steps, 1) for line in _list_lines(step, f"{number}.", "")]
    text = "\n".join([f"{title}:", *lines] if title else lines)
    return AdoptedStatement(text, () if not lead else headings, steps[0].start, _last(steps[-1]), "procedure")


def _list_lines(draft: _Draft, mark: str, indent: str) -> Iterator[str]:
    """The lines of an item and of what stands inside it, `mark` before the first."""
    yield f"{indent}{mark} {plain(draft.text)}"
    inside = indent + "   "
    for code in draft.code:
        yield from (f"{inside}{line}" for line in code.split("\n"))
    for each in draft.inner:
        yield from _list_lines(each, "-", inside)


def _last(draft: _Draft) -> int:
    return max([draft.end, *map(_last, draft.inner)])


def in_context(each: AdoptedStatement) -> str:
    """The statement, with the nearest one or two headings in front unless it stands alone."""
    first_line = each.text.partition("\n")[0]
    about = each.headings[-1] if each.headings else ""
    if not about or stands_alone(first_line, about) or first_line.startswith(about):
        return each.text
    return f"{' › '.join(each.headings[-2:])} › {each.text}"
