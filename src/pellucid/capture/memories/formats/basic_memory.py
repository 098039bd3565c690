"""A note of a basic-memory vault in, its memories out: observations, relations and the prose between them."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.blocks import MarkdownBlock, blocks, without_comments
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.formats.header import header, text_of, texts
from pellucid.capture.memories.guess import by_form, by_label
from pellucid.capture.memories.phrases import nothing_said, plain, stands_alone
from pellucid.capture.memories.statements import AdoptedStatement, in_context, statements
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.language.words import reading_length

MOST_PROSE = 200
"""Statements taken from the prose of one note."""

_ENOUGH = 12
"""Words from which an observation is taken to name what it is about; most leave that to their note."""
_OBSERVATION = re.compile(r"\[([^\[\]()]{1,100})\][ \t]+(\S.*)")
_CLOCK = re.compile(r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?: +- +\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?)?")
_RELATION = re.compile(
    r"(?:\"([^\"\[\]]{1,100})\"|'([^'\[\]]{1,100})'|([^\s\[\]\"']{1,100}))?[ \t]*"
    r"\[\[([^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\](?:[ \t]*\((.{1,1000})\))?"
)
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,100})")


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """The memories of one note, all about its title; dated by the note, else by the file's last change."""
    parts = header(document.text())
    if parts.problem:
        document.problem(1, parts.problem)
    values = parts.values
    title = text_of(values, "title") or document.path.stem
    created = as_instant(text_of(values, "created", "date")) or document.modified
    note = AdoptedMemory(
        "basic-memory",
        "",
        document.shown,
        1,
        1,
        tags=texts(values.get("tags")),
        entity_ref=title,
        created=created,
        updated=as_instant(text_of(values, "modified", "updated")) or created,
        valid_at=created,
        foreign_id=text_of(values, "permalink"),
    )
    body, comments = without_comments(parts.body)
    document.report.dropped.update({"comment": comments} if comments else {})
    prose: list[MarkdownBlock] = []
    for block in blocks(body, parts.first_line):
        if memory := _memory_of_block(block, note, title):
            yield memory
        else:
            prose.append(block)
    yield from _memories_of_prose(prose, note, title, document)


def _memory_of_block(block: MarkdownBlock, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """The memory of an observation or a relation; None for any other block."""
    if block.kind != "item":
        return None
    told = _memory_of_observation(block.text, note, title) or _memory_of_relation(block.text, note, title)
    return replace(told, start=block.start, end=block.end) if told else None


def _memory_of_observation(text: str, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """The memory of an observation, `[decision] Use Postgres #db`; None where it has not that form or says nothing."""
    found = _OBSERVATION.fullmatch(text)
    if found is None:
        return None
    label, said = found.group(1).strip(), found.group(2)
    if not label or _is_mark(label):
        return None
    tags = tuple(_TAG.findall(said))
    words = plain(_TAG.sub(" ", said) if said.split("#", 1)[0].strip() else said)
    if not words or nothing_said(words):
        return None
    return replace(
        note,
        content=_labelled_observation(title, label, words),
        category=by_label(label) or by_form(words, ()),
        tags=tuple(dict.fromkeys((*note.tags, *tags, label))),
    )


def _is_mark(label: str) -> bool:
    """Whether brackets hold a task's mark or a clock's time, and so name no category."""
    return _CLOCK.fullmatch(label) is not None or label in {"x", "X"} or (len(label) == 1 and not label.isalnum())


def _labelled_observation(title: str, label: str, words: str) -> str:
    """An observation with the name of what it is about, and with its label where it is a bare value."""
    if reading_length(words) <= 3 and not stands_alone(words, title):
        return f"{title} › {label}: {words}"
    return words if stands_alone(words, title, _ENOUGH) else f"{title} › {words}"


def _memory_of_relation(text: str, note: AdoptedMemory, title: str) -> AdoptedMemory | None:
    """The memory of a relation, `depends on [[Postgres]]`, in words; None where it has not that form."""
    found = _RELATION.fullmatch(text)
    if found is None:
        return None
    quoted, single, bare, target, context = found.groups()
    relation = (quoted or single or bare or "links to").replace("_", " ").strip()
    words = f"{title} {relation} {target.strip()}" + (f" ({plain(context)})" if context else "")
    return replace(note, content=words, category="relationship")


def _memories_of_prose(
    found: list[MarkdownBlock], note: AdoptedMemory, title: str, document: SourceFile
) -> Iterator[AdoptedMemory]:
    """A memory for each statement in a note's ordinary text, up to a limit; those beyond are counted."""
    taken = 0
    for each in statements(iter(found), document.report):
        if taken == MOST_PROSE:
            document.report.drop("prose-beyond-200")
            continue
        taken += 1
        words = _text_with_heading(each, title)
        tags = tuple(dict.fromkeys((*note.tags, *_TAG.findall(each.text))))
        yield replace(note, content=words, category=each.category, tags=tags, start=each.start, end=each.end)


def _text_with_heading(each: AdoptedStatement, title: str) -> str:
    """A statement under its heading, or under the note's title where no heading says what it is about."""
    words = in_context(each)
    if words != each.text or stands_alone(words.partition("\n")[0], title) or words.startswith(title):
        return words
    return f"{title} › {words}"
