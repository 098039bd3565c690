"""Documents and edges that a question asks for in, an excerpt of each out: what it is, its status, which text says so.

A document is shown by its title, its status, the header line or sentence that states the edge, and its first paragraph.
An edge stated by a document that is not an answer itself is shown with the first answer that the edge leads to.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise, takewhile

import numpy as np

from pellucid.documents.relations import normal_key
from pellucid.language.sentences import sentence_starts, sentences
from pellucid.model.document import split_naming_line
from pellucid.model.entity import Edge, node_key
from pellucid.model.memory import Memory
from pellucid.recall.context.excerpt import Cutter, Excerpt, pieces
from pellucid.recall.context.text import body_of
from pellucid.recall.state import State, Way, World
from pellucid.store.index_port import Served

LEAST, MOST = 240, 1_500
"""Bounds of an answer, in characters; between them an answer has an equal share of the budget."""
PARAGRAPH = 120
"""Characters of a first paragraph, at least: a cut to fewer is not worth showing."""
OPENING = 4
"""How many sections at the beginning of a document its first paragraph is looked for in."""
SENTENCE = 300
"""Characters of a sentence that states an edge, at most."""
_LEADING = ("status", "description", "summary", "abstract")
"""Keys of header lines with the status of a document and what the document is about."""
_DATED = ("last-modified", "last-updated", "modified", "updated", "date", "created", "creation-date", "published")
"""Keys of header lines with a date, in the order in which they count."""
_DATE = re.compile(r"\d+-\w+-\d+")
_WORDS = 6
"""Words of a paragraph, at least: anything shorter is a value, or a heading."""
_MARKUP = ("#", "|", "```", "~~~", "<", "!", "..", ":", "+-", "--", "==", "- ", "* ", "+ ")
"""Beginnings of what is not prose: headings, tables, code, pictures, directives, fields, rules, lists."""
_FIELDS = re.compile(r"(?:[^\W\d_][\w -]{0,30}:[ \t].+(?:\n[ \t]+\S.*)*(?:\n|$)){2,}")
"""Matches a header written as text: a name and its value on each line."""

_BLOCK_END = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])")
"""Matches the end of a paragraph, or of an item of a list."""


@dataclass(slots=True)
class _EdgeAnswer:
    """A served section, the sentences of its own document that state edges (`own`), and those of other documents."""

    memory: Memory
    way: Way
    asked: bool
    """Whether the edges that the query asks for lead to it; if not, it is only near."""
    header: bool
    """Whether it is the header of its document."""
    path: str = ""
    """The edges that lead to it, in words."""
    own: dict[str, str] = field(default_factory=dict[str, str])
    """Maps each sentence to the id of the memory that it is taken from, as `others` does."""
    others: dict[str, str] = field(default_factory=dict[str, str])


def edge_answer_excerpts(state: State, world: World, served: Sequence[Served]) -> dict[str, Excerpt]:
    """Map memory ids to the excerpts to show of served sections by which the graph leg answers (`Pool.answering`: an
    asked edge leads there), and of other served headers of documents that this leg reached.

    `served` are the memories at the positions `state.kept`, in that order. Empty if the leg answers nothing
    (`plan.answers` is 0).
    """
    if not state.plan.answers:
        return {}
    positions = state.kept
    is_answer, ordinals = state.pool.answering(state.plan)[positions], state.pool.ordinal[positions].tolist()
    found = [
        _EdgeAnswer(each.memory, state.ways[each.memory.id], asked=asked, header=ordinal == 0)
        for each, asked, ordinal in zip(served, is_answer.tolist(), ordinals, strict=True)
        if each.memory.category == "section" and each.memory.id in state.ways and (asked or ordinal == 0)
    ]
    edges = _edges_of_ways(found, world)
    _collect_edge_sentences(found, edges, world)
    _tell_paths(found, edges, world)
    answers = sum(each.asked for each in found)
    size = min(max(state.request.settings.char_budget // (answers + 1), LEAST), MOST)
    openings = _first_paragraphs(state, world, [each for each in found if each.header])
    cutter = Cutter(state, world, state.plan.beside)
    return {each.memory.id: _excerpt_of_answer(each, openings.get(each.memory.id), cutter, size) for each in found}


def lines_near_asked(state: State) -> set[int]:
    """Return the ranks, from 0, of served memories that no asked edge leads to and that are no direct answer; empty
    unless the query asks for nothing but what edges lead to (`plan.only_edges`)."""
    pool, kept = state.pool, state.kept
    if not state.plan.only_edges:
        return set()
    answers = pool.answering(state.plan) | (pool.terms.get("direct", np.zeros(len(pool))) > 0)
    return {*np.flatnonzero(~answers[kept]).tolist()}


def days_of_documents(memories: Sequence[Memory], state: State, world: World) -> dict[str, str]:
    """Map the ids of the documents of these sections (which are the sections' session ids) to the ISO dates that their
    headers give.

    A date of the last change comes before one of the making. Documents without such a date, or an admitted header, are
    left out; memories other than sections do not count.
    """
    names = {each.entity_ref for each in memories if each.category == "section" and each.entity_ref}
    if not names:
        return {}
    nodes = np.array(sorted({each.number for each in world.reader.graph.find(sorted(names))}), dtype=np.int64)
    rows = np.unique(world.reader.graph.homes(nodes).rows)
    columns = world.reader.columns(rows, state.admission)
    headers = world.reader.memories(rows[columns.admitted & (columns.ordinal == 0)])
    days = {each.memory.session_id or "": _day_in_header(each.memory.content) for each in headers}
    return {document: day for document, day in days.items() if day}


def _day_in_header(header: str) -> str:
    """Return the ISO date of a header's last change, or else of its making; empty if it gives none.

    Of the keys in `_DATED`, in their order, the first counts whose value begins with a date such as `2026-01-31` or
    `31-Jan-2026`; what follows, such as a time, does not count.
    """
    # parsed though `header_text` wrote it: a memory is all that the index has of a header
    lines = (line.partition(":") for line in header.splitlines()[1:])
    values = {normal_key(key): value.strip() for key, _, value in lines}
    for found in filter(None, (_DATE.match(values.get(key, "")) for key in _DATED)):
        for form in ("%Y-%m-%d", "%d-%b-%Y"):
            with suppress(ValueError):
                return datetime.strptime(found[0], form).replace(tzinfo=UTC).date().isoformat()
    return ""


def _edges_of_ways(found: Sequence[_EdgeAnswer], world: World) -> dict[int, Edge]:
    """Map the numbers of the edges on the ways to these answers to the edges."""
    numbers = np.array(sorted({edge for each in found for _, edge, _ in each.way[1:]}), dtype=np.int64)
    return dict(zip(numbers.tolist(), world.reader.graph.edges(numbers), strict=True))


def _tell_paths(found: Sequence[_EdgeAnswer], edges: Mapping[int, Edge], world: World) -> None:
    """Set the `path` of each answer to the edges of its way (`edges` by number), in words: `A depends on B, which
    depends on C`; chains that do not join are separated by `; `."""
    nodes = np.array(sorted({node for each in found for node, _, _ in each.way}), dtype=np.int64)
    names = {each.number: each.name for each in world.reader.graph.nodes(nodes)}
    for each in found:
        runs = list[list[str]]()
        for (before, _, _), (node, edge, forward) in pairwise(each.way):
            source, target = (names[before], names[node]) if forward else (names[node], names[before])
            verb = edges[edge].type.replace("_", " ").lower()
            if runs and runs[-1][-1] == source:
                runs[-1] += [verb, target]
            elif runs and runs[-1][0] == target:
                runs[-1] = [source, verb, *runs[-1]]
            else:
                runs.append([source, verb, target])
        each.path = "; ".join(_path_in_words(run) for run in runs)


def _path_in_words(run: Sequence[str]) -> str:
    """Return a chain of edges in words, `A depends on B, which depends on C`; `run` has names and the verbs between
    them."""
    further = (f", which {verb} {name}" for verb, name in zip(run[3::2], run[4::2], strict=True))
    return " ".join(run[:3]) + "".join(further)


def _collect_edge_sentences(found: Sequence[_EdgeAnswer], edges: Mapping[int, Edge], world: World) -> None:
    """Add to the answers (`own`, `others`) the sentences that state the edges (by number) leading to them.

    A sentence of an answer's own document goes to that answer; a sentence of another document, with that document's
    name and ` › ` before it, to the first answer it leads to, unless its edge leads only to answers not asked for. A
    mere mention counts only for an answer asked for.
    """
    sayers = list(dict.fromkeys(edge.memory_id for edge in edges.values()))
    memories = {each.memory.id: each.memory for each in world.reader.memories(sayers)}
    by_document = {each.memory.session_id: each for each in reversed(found)}
    wanted = {edge for each in found if each.asked for _, edge, _ in each.way[1:]}
    added: set[str] = set()
    for answer in found:
        for _, number, _ in answer.way[1:]:
            edge = edges[number]
            if (sayer := memories.get(edge.memory_id)) is None or (edge.type == "MENTIONS" and not answer.asked):
                continue
            sentence = edge_sentence(sayer, edge)
            if answer_of_document := by_document.get(sayer.session_id):
                answer_of_document.own[sentence] = sayer.id
            elif number in wanted and sentence not in added:
                added.add(sentence)
                answer.others[f"{sayer.entity_ref or sayer.id} › {sentence}"] = sayer.id


def edge_sentence(memory: Memory, edge: Edge) -> str:
    """Return the words of a memory that state an edge, at most 300 characters: the header line of that name
    (`edge.section`), else the first sentence that names the edge's target, or else its source; nodes of the memory's
    own document do not count.

    A sentence comes after `edge.section`, a heading, and `: `, if there is one. If no sentence names either, it is the
    beginning of the text. The memory must have a text; if that is one line, it is that line.
    """
    first, *lines = memory.content.splitlines()
    if not lines:
        return first[:SENTENCE]
    key = f"{edge.section}: "
    if line := next((line for line in lines if edge.section and line.startswith(key)), ""):
        return line[:SENTENCE]
    own = node_key(memory.entity_ref or "")
    names = [_name_pattern(each) for each in (edge.target, edge.source) if each != own]
    blocks = (" ".join(block.split()) for block in _BLOCK_END.split("\n".join(lines)))
    parts = [part for block in blocks for part in sentences(block)]
    found = next((part for name in names for part in parts if name.search(part)), " ".join(parts) or first)
    return shorten_text(f"{edge.section}: {found}" if edge.section else found, SENTENCE)


def _name_pattern(key: str) -> re.Pattern[str]:
    """Return a pattern for a node's name in any case and any spelling of its parts: the key `spec-54` matches `SPEC
    054` and :spec:`54`. `key` is the node's key."""
    parts = [f"0*{part}" if part.isdigit() else re.escape(part) for part in re.split(r"[\s_/#-]+", key) if part]
    return re.compile(r"(?<!\w)" + r"[\s_/#:`.-]*".join(parts) + r"(?!\w)", re.IGNORECASE)


def _first_paragraphs(state: State, world: World, answers: Sequence[_EdgeAnswer]) -> Mapping[str, tuple[str, str]]:
    """Map the id of each answer's memory to its document's first paragraph of prose and the id of the section that it
    is taken from; answers without such a paragraph are left out.

    `answers` are headers of documents. Only the first four sections after a header are looked at, a summary first.
    """
    graph = world.reader.graph
    ends = {each.way[-1][0]: each.memory.id for each in answers}
    homes = graph.homes(np.array(sorted(ends), dtype=np.int64))
    columns = world.reader.columns(homes.rows, state.admission)
    out: dict[str, tuple[str, str]] = {}
    for node, header in ends.items():
        sections_of_node = np.flatnonzero((homes.nodes == node) & columns.admitted & (columns.ordinal > 0))
        first = sections_of_node[np.argsort(columns.ordinal[sections_of_node], kind="stable")][:OPENING]
        sections = [each.memory for each in world.reader.memories(homes.rows[first])]
        sections.sort(key=lambda section: not _is_summary(section.content))
        if found := next(((line, each.id) for each in sections for line in paragraphs(each.content)), None):
            out[header] = found
    return out


def _is_summary(section: str) -> bool:
    """Whether the heading of a section is one of `_LEADING` (`Summary`, `Abstract` and the like), in any case."""
    return split_naming_line(section)[1].casefold() in _LEADING


def paragraphs(content: str) -> Iterator[str]:
    """Yield the paragraphs of prose in a section, each on one line, without the line that names the section."""
    for part in re.split(r"\n\s*\n", content.partition("\n")[2]):
        line = " ".join(part.split())
        if _is_prose(line) and not _FIELDS.fullmatch(part.strip()):
            yield line


def _is_prose(paragraph: str) -> bool:
    """Whether a paragraph has at least six words and does not begin with markup."""
    return not paragraph.startswith((" ", *_MARKUP)) and len(re.findall(r"[^\W\d_]+", paragraph)) >= _WORDS


def _excerpt_of_answer(answer: _EdgeAnswer, opening: tuple[str, str] | None, cutter: Cutter, size: int) -> Excerpt:
    """Return an answer in about `size` characters: its title, the path to it, of a header also its status and the like,
    and the sentences that state its edges, whatever their length; then in the room left, of a header the `opening`, cut
    (to no fewer than 120 characters, else it is left out), of a section all or its best passages, with room for at
    least 120.

    `opening` is the first paragraph of the header's document, and the id of the section that it is taken from.
    """
    title, *rest = answer.memory.content.splitlines()
    sources = {*answer.own.values(), *answer.others.values()} - {answer.memory.id}
    head = [title, answer.path] if answer.path else [title]
    if answer.header:
        leading = [line for line in rest if line.partition(":")[0] in _LEADING]
        lines = [*head, *dict.fromkeys((*leading, *answer.own, *answer.others))]
        left = size - sum(len(line) + 1 for line in lines)
        if opening and left >= min(PARAGRAPH, len(opening[0])):
            lines.append(shorten_text(opening[0], left))
            sources.add(opening[1])
        return Excerpt(body_of("\n".join(lines)), 1, 1, frozenset(sources))
    lines = [*head, *dict.fromkeys((*answer.own, *answer.others))]
    left = max(size - sum(len(line) + 1 for line in lines), PARAGRAPH)
    body = "\n".join(rest).strip()
    passages = cutter.cut(body, left) if len(body) > left else Excerpt(body, 1, 1)
    if passages is None:
        return Excerpt(body_of("\n".join(lines)), 0, len(list(pieces(body))), frozenset(sources))
    return replace(passages, body=body_of("\n".join((*lines, passages.body))), sources=frozenset(sources))


def shorten_text(text: str, longest: int) -> str:
    """Return the text cut to `longest` characters after the last sentence that fits; a cut text ends in ` …`.

    If less than half of `longest` would be left so, the text is cut after a word.
    """
    if len(text) <= longest:
        return text
    ends = (len(text[:start].rstrip()) for start in sentence_starts(text))
    whole = text[: max(takewhile(lambda end: end + 2 <= longest, ends), default=0)]
    if len(whole) >= longest // 2:
        return f"{whole} …"
    return f"{text[: longest - 2].rpartition(' ')[0] or text[: longest - 2]} …"
