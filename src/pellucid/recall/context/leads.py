"""What the edges that a question asks for lead to in, an excerpt of each out: what it is, its status, who says so.

A document is shown by its title, its status, the header line or sentence that states the edge, and its first paragraph.
An edge stated by a document that is no answer itself is shown with the first answer it leads to.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np

from pellucid.language.sentences import sentence_starts, sentences
from pellucid.model.entity import Edge, node_key
from pellucid.model.memory import Memory
from pellucid.recall.context.excerpt import Cutter, Excerpt, pieces
from pellucid.recall.context.text import body_of
from pellucid.recall.state import State, Way, World
from pellucid.store.index_port import Served

LEAST, MOST = 240, 1_500
"""Characters of one answer: an equal share of the budget, within these."""
PARAGRAPH = 120
"""Characters of a first paragraph, at least: a shorter cut of one is not worth showing."""
OPENING = 4
"""Sections at the beginning of a document in which its first paragraph is looked for."""
SENTENCE = 300
"""Characters of a sentence that says an edge, at most."""
_LEADING = ("status", "description", "summary", "abstract")
"""Keys of a header that say how a document stands and what it is about."""
_WORDS = 6
"""Words of a paragraph, at least: a shorter one is a value, or a heading."""
_MARKUP = ("#", "|", "```", "~~~", "<", "!", "..", ":", "+-", "--", "==", "- ", "* ", "+ ")
"""Begins what is no prose: headings, tables, code, pictures, directives, fields, rules, lists."""
_FIELDS = re.compile(r"(?:[^\W\d_][\w -]{0,30}:[ \t].+(?:\n[ \t]+\S.*)*(?:\n|$)){2,}")
"""A header that stands in the text: a name and its value a line."""

_BLOCK_END = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])")
"""Ends a paragraph, or an item of a list."""


@dataclass(slots=True)
class _EdgeAnswer:
    """A served section, the edge sentences of its own document (`own`), and those of other documents."""

    memory: Memory
    way: Way
    asked: bool
    """The edges that are asked for lead to it; else it is only near."""
    header: bool
    """It is the header of its document."""
    own: dict[str, None] = field(default_factory=dict[str, None])
    others: dict[str, None] = field(default_factory=dict[str, None])


def edge_answer_excerpts(state: State, world: World, served: Sequence[Served]) -> dict[str, Excerpt]:
    """By memory id, the excerpt the context shows of a served section an asked edge leads to, or of a header near one.

    Empty where the question asks for no edges.
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
    _collect_edge_sentences(found, world)
    answers = sum(each.asked for each in found)
    size = min(max(state.request.settings.char_budget // (answers + 1), LEAST), MOST)
    openings = _first_paragraphs(state, world, [each for each in found if each.header])
    cutter = Cutter(state, world, state.plan.beside)
    return {each.memory.id: _lines_of_answer(each, openings.get(each.memory.id, ""), cutter, size) for each in found}


def _collect_edge_sentences(found: Sequence[_EdgeAnswer], world: World) -> None:
    """Add to the answers the sentences that state the edges leading to them.

    A sentence of an answer's own document goes to that answer; one of another document to the first answer it leads to.
    """
    numbers = np.array(sorted({edge for each in found for _, edge, _ in each.way[1:]}), dtype=np.int64)
    edges = dict(zip(numbers.tolist(), world.reader.graph.edges(numbers), strict=True))
    sayers = list(dict.fromkeys(edge.memory_id for edge in edges.values()))
    memories = {each.memory.id: each.memory for each in world.reader.memories(sayers)}
    by_document = {each.memory.session_id: each for each in reversed(found)}
    wanted = {edge for each in found if each.asked for _, edge, _ in each.way[1:]}
    heard: set[str] = set()
    for answer in found:
        for _, number, _ in answer.way[1:]:
            edge = edges[number]
            if (sayer := memories.get(edge.memory_id)) is None or (edge.type == "MENTIONS" and not answer.asked):
                continue
            said = edge_sentence(sayer, edge)
            if teller := by_document.get(sayer.session_id):
                teller.own[said] = None
            elif number in wanted and said not in heard:
                heard.add(said)
                answer.others[f"{sayer.entity_ref or sayer.id} › {said}"] = None


def edge_sentence(memory: Memory, edge: Edge) -> str:
    """The header line of a memory, or the sentence with its heading, that states an edge."""
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
    """A pattern for a node's name, however its series and its number are written: `SPEC 054`, :spec:`54`."""
    parts = [f"0*{part}" if part.isdigit() else re.escape(part) for part in re.split(r"[\s_/#-]+", key) if part]
    return re.compile(r"(?<!\w)" + r"[\s_/#:`.-]*".join(parts) + r"(?!\w)", re.IGNORECASE)


def _first_paragraphs(state: State, world: World, answers: Sequence[_EdgeAnswer]) -> Mapping[str, str]:
    """By the id of a document's header, the document's first paragraph of prose; empty where it has none to show."""
    graph = world.reader.graph
    ends = {each.way[-1][0]: each.memory.id for each in answers}
    homes = graph.homes(np.array(sorted(ends), dtype=np.int64))
    columns = world.reader.columns(homes.rows, state.admission)
    out: dict[str, str] = {}
    for node, header in ends.items():
        own = np.flatnonzero((homes.nodes == node) & columns.admitted & (columns.ordinal > 0))
        first = own[np.argsort(columns.ordinal[own], kind="stable")][:OPENING]
        sections = [each.memory.content for each in world.reader.memories(homes.rows[first])]
        sections.sort(key=lambda section: not _is_summary(section))
        out[header] = next((said for each in sections for said in paragraphs(each)), "")
    return out


def _is_summary(section: str) -> bool:
    """Whether a section's heading is `Summary`, `Abstract` or the like."""
    return section.partition("\n")[0].rpartition(" › ")[2].casefold() in _LEADING


def paragraphs(content: str) -> Iterator[str]:
    """The paragraphs of prose in a section, each on one line, without the line that names the section."""
    for part in re.split(r"\n\s*\n", content.partition("\n")[2]):
        line = " ".join(part.split())
        if _is_prose(line) and not _FIELDS.fullmatch(part.strip()):
            yield line


def _is_prose(paragraph: str) -> bool:
    """Whether a paragraph has at least six words and begins with no markup."""
    return not paragraph.startswith((" ", *_MARKUP)) and len(re.findall(r"[^\W\d_]+", paragraph)) >= _WORDS


def _lines_of_answer(answer: _EdgeAnswer, opening: str, cutter: Cutter, size: int) -> Excerpt:
    """An answer in about `size` characters: of a header its leading lines, of a section all or its best passages."""
    title, *rest = answer.memory.content.splitlines()
    if answer.header:
        said = [line for line in rest if line.partition(":")[0] in _LEADING]
        lines = [title, *dict.fromkeys((*said, *answer.own, *answer.others))]
        left = size - sum(len(line) + 1 for line in lines)
        if opening and left >= min(PARAGRAPH, len(opening)):
            lines.append(shorten_text(opening, left))
        return Excerpt(body_of("\n".join(lines)), 1, 1)
    lines = [title, *dict.fromkeys((*answer.own, *answer.others))]
    left = max(size - sum(len(line) + 1 for line in lines), PARAGRAPH)
    body = "\n".join(rest).strip()
    told = cutter.cut(body, left) if len(body) > left else Excerpt(body, 1, 1)
    if told is None:
        return Excerpt(body_of("\n".join(lines)), 0, len(list(pieces(body))))
    return replace(told, body=body_of("\n".join((*lines, told.body))))


def shorten_text(text: str, longest: int) -> str:
    """The text cut to `longest` characters after the last sentence that fits, else after a word; a cut ends in ` …`."""
    if len(text) <= longest:
        return text
    fitting = takewhile(lambda start: start + 1 <= longest, sentence_starts(text))
    whole = text[: max(fitting, default=0)].rstrip()
    if len(whole) >= longest // 2:
        return f"{whole} …"
    return f"{text[: longest - 2].rpartition(' ')[0] or text[: longest - 2]} …"
