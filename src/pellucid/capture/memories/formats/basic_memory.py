"""A note of a basic-memory vault in, its memories out: observations, relations and the prose between them."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.blocks import MarkdownBlock, markdown_blocks, without_comments
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.formats.header import first_text, parse_header, text_values
from pellucid.capture.memories.guess import category_of_label, category_of_words
from pellucid.capture.memories.phrases import empty_reason, plain_words, stands_alone
from pellucid.capture.memories.statements import AdoptedStatement, statements, text_with_headings
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.language.words import reading_length

MOST_PROSE = 200  # statements taken from the prose of one note

_ENOUGH = 12
"""Words from which an observation is assumed to name its subject; shorter ones mostly leave that to the title."""
_OBSERVATION = re.compile(r"\[([^\[\]()]{1,100})\][ \t]+(\S.*)")
_CLOCK = re.compile(r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?: +- +\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?)?")
_RELATION = re.compile(
    r"(?:\"([^\"\[\]]{1,100})\"|'([^'\[\]]{1,100})'|([^\s\[\]\"']{1,100}))?[ \t]*"
    r"\[\[([^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\](?:[ \t]*\((.{1,1000})\))?"
)
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,100})")


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """Yield the memories of one note: its list items that are observations or relations, then statements of its prose.

    Each has the note's title (else the file's stem) as its entity, the tags of the note's header, and the date in the
    header (else the time of the file's last change). Comments are left out, and counted in `document.report`; a fault
    in the header is added to the document's problems.
    """
    parts = parse_header(document.text())
    if parts.problem:
        document.add_problem(1, parts.problem)
    values = parts.values
    title = first_text(values, "title") or document.path.stem
    created = as_instant(first_text(values, "created", "date")) or document.modified
    note = AdoptedMemory(
        "basic-memory",
        "",
        document.shown_path,
        1,
        1,
        tags=text_values(values.get("tags")),
        entity_ref=title,
        created=created,
        updated=as_instant(first_text(values, "modified", "updated")) or created,
        valid_at=created,
        foreign_id=first_text(values, "permalink"),
    )
    body, comments = without_comments(parts.body)
    document.report.drop("comment", comments)
    prose: list[MarkdownBlock] = []
    for block in markdown_blocks(body, parts.first_line):
        if memory := _memory_of_block(block, note, title):
            yield memory
        else:
            prose.append(block)
    yield from _memories_of_prose(prose, note, title, document)


def _memory_of_block(block: MarkdownBlock, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """Return the memory of a list item that is an observation or a relation: a copy of `note` with its text (after the
    note's `title` where needed), category, tags and lines. None for any other block, and for an observation that states
    nothing.
    """
    if block.kind != "item":
        return None
    memory = _memory_of_observation(block.text, note, title) or _memory_of_relation(block.text, note, title)
    return replace(memory, start=block.start, end=block.end) if memory else None


def _memory_of_observation(text: str, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """Return a copy of `note` as the memory of an observation, `[decision] Use Postgres #db`; None for another form,
    for a task's mark or a time in place of the label, and for one that states nothing.

    The label gives the category (the words do if it names none), and becomes a tag, as do the words after `#`. The
    note's `title` may stand in front (`_labelled_observation`).
    """
    found = _OBSERVATION.fullmatch(text)
    if found is None:
        return None
    label, observation = found.group(1).strip(), found.group(2)
    if not label or _is_mark(label):
        return None
    tags = tuple(_TAG.findall(observation))
    only_tags = not observation.split("#", 1)[0].strip()
    words = plain_words(observation if only_tags else _TAG.sub(" ", observation))
    if not words or empty_reason(words):
        return None
    return replace(
        note,
        content=_labelled_observation(title, label, words),
        category=category_of_label(label) or category_of_words(words, ()),
        tags=tuple(dict.fromkeys((*note.tags, *tags, label))),
    )


def _is_mark(label: str) -> bool:
    """Whether the text in brackets is a task's mark (`x`, or one character that is no letter or digit) or a time of
    day, and so not a category.
    """
    return _CLOCK.fullmatch(label) is not None or label in {"x", "X"} or (len(label) == 1 and not label.isalnum())


def _labelled_observation(title: str, label: str, words: str) -> str:
    """Return an observation's text, after the note's title unless it is clear without (`stands_alone` with twelve
    words).

    At most three words that are not clear without the title also get the label: `title › label: words`.
    """
    if reading_length(words) <= 3 and not stands_alone(words, title):
        return f"{title} › {label}: {words}"
    return words if stands_alone(words, title, _ENOUGH) else f"{title} › {words}"


def _memory_of_relation(text: str, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """Return a copy of `note` as the memory of a relation, `depends_on [[Postgres]]`: a sentence that begins with the
    title. None for any other form, such as several words before the link without quotation marks.

    The category is `relationship`; underscores become spaces, a text in brackets behind the link stays, and a link
    alone reads `<title> links to <target>`.
    """
    found = _RELATION.fullmatch(text)
    if found is None:
        return None
    quoted, single, bare, target, context = found.groups()
    relation = (quoted or single or bare or "links to").replace("_", " ").strip()
    words = f"{title} {relation} {target.strip()}" + (f" ({plain_words(context)})" if context else "")
    return replace(note, content=words, category="relationship")


def _memories_of_prose(
    found: list[MarkdownBlock], note: AdoptedMemory, title: str, document: SourceFile
) -> Iterator[AdoptedMemory]:
    """Yield a memory for each statement of `found`, the note's blocks that are neither observation nor relation, at
    most 200; further ones are counted in `document.report`. Each is a copy of `note` with the statement's text,
    category and lines, and with its `#` words as further tags. `title`, the note's, is put in front where
    `_text_with_heading` does so.
    """
    for number, each in enumerate(statements(iter(found), document.report)):
        if number >= MOST_PROSE:
            document.report.drop("prose-beyond-200")
            continue
        words = _text_with_heading(each, title)
        tags = tuple(dict.fromkeys((*note.tags, *_TAG.findall(each.text))))
        yield replace(note, content=words, category=each.category, tags=tags, start=each.start, end=each.end)


def _text_with_heading(each: AdoptedStatement, title: str) -> str:
    """Return a statement's text after its headings (`text_with_headings`). If it has none or needs none, the text is
    put after the note's `title`, unless the text is clear without that (`stands_alone`) or begins with it.
    """
    words = text_with_headings(each)
    if words != each.text or stands_alone(words.partition("\n")[0], title) or words.startswith(title):
        return words
    return f"{title} › {words}"
