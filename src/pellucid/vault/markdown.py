"""Memories and episodes in, the exact bytes of their files out, and back."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from pellucid.errors import ConflictError, InputError
from pellucid.model.document import Document, Section
from pellucid.model.memory import FOLDERS, LAST_TURN, Episode, Memory, Moment, SourceClass
from pellucid.vault import frontmatter
from pellucid.vault.blocks import escaped, marker_of, slug, unescaped
from pellucid.vault.documents import memories_of, parse_document

_MEMORY_KEYS = {to_camel(name): name for name in Memory.model_fields if name not in ("content", "retired")}
_EPISODE_KEYS = {to_camel(name): name for name in Episode.model_fields}
_MARKER = re.compile(r"^<!-- pellucid:moment (\{.*\}) -->[ \t\r]*$", re.MULTILINE)
_VOICES: dict[str, SourceClass] = {
    "user": "user_input",
    "assistant": "assistant_output",
    "system": "system_memory",
    "tool": "tool_output",
}
_PLAIN_STATE = (("status", "active"), ("pinned", False))
"""What a moment's marker need not say."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file holds: memories with their ordinals (turn or section, 0 for none), its episode or document."""

    memories: tuple[tuple[Memory, int], ...]
    episode: Episode | None = None
    document: Document | None = None
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What a file does not say of itself: the namespace it falls to, the key of ids made from its path, its time."""

    namespace: str
    key: bytes
    at: datetime


def render_memory(memory: Memory) -> bytes:
    """The file of a memory: frontmatter in the order of the model, a blank line, the content."""
    values = memory.model_dump(mode="json", by_alias=True, exclude={"content"}, exclude_none=True)
    ordered: dict[str, object] = {}
    for key, value in values.items():
        ordered[key] = value
        if key == "confidence":
            ordered["confidenceTier"] = memory.confidence_tier
        if key == "importanceScore":
            ordered["importanceLevel"] = memory.importance_level
    kept = {key: value for key, value in ordered.items() if value not in ([], {})}
    return f"---\n{frontmatter.render(kept)}---\n\n{memory.content.strip()}\n".encode()


def content_lines(data: bytes) -> tuple[int, int]:
    """The first and the last line, from 1, in which the file of a memory says what it says.

    Raises:
        InputError: its frontmatter is damaged.
    """
    text = data.decode("utf-8").replace("\r\n", "\n")
    body = frontmatter.split(text)[1]
    blank = len(body) - len(body.lstrip())
    first = text.count("\n", 0, len(text) - len(body) + blank) + 1
    return first, first + body.strip().count("\n")


def edit_memory(data: bytes, changes: Mapping[str, object], content: str | None = None) -> bytes:
    """The same file with these frontmatter keys (camelCase) changed; comments and unknown keys stay."""
    text = frontmatter.replace(data.decode("utf-8"), changes)
    if content is not None:
        body = frontmatter.split(text)[1]
        text = f"{text.removesuffix(body)}\n{content.strip()}\n"
    return text.encode()


def render_episode(episode: Episode, moments: Sequence[Moment]) -> bytes:
    """The file of an episode: frontmatter, the topic as heading, one anchored block a moment."""
    dumped = episode.model_dump(mode="json", by_alias=True, exclude_none=True)
    values = {key: value for key, value in dumped.items() if value != []} | {"category": "moment"}
    return f"---\n{frontmatter.render(values)}---\n\n# {episode.topic}\n{render_moments(moments)}".encode()


def edit_moment(data: bytes, memory_id: str, changes: Mapping[str, object]) -> bytes:
    """The same episode file with these keys (camelCase) of one moment's marker changed; nothing else moves.

    Raises:
        ConflictError: the file holds no such moment.
    """

    def marked(found: re.Match[str]) -> str:
        nonlocal seen
        marker = marker_of(found.group(1))
        if marker.get("id") != memory_id:
            return found.group()
        seen = True
        return f"<!-- pellucid:moment {json.dumps(marker | dict(changes), separators=(',', ':'))} -->"

    seen = False
    edited = _MARKER.sub(marked, data.decode("utf-8"))
    if not seen:
        raise ConflictError(f"{memory_id} does not stand in its episode any more", next_step="repeat the command")
    return edited.encode()


def without_moments(data: bytes, ids: Collection[str]) -> bytes:
    """The same episode file without the blocks of these moments."""
    text = data.decode("utf-8")
    starts = [found.start() for found in _MARKER.finditer(text)]
    ends = [*starts[1:], len(text)]
    kept = text[: starts[0]] if starts else text
    for start, end in zip(starts, ends, strict=False):
        found = _MARKER.match(text, start)
        if found is None or marker_of(found.group(1)).get("id") not in ids:
            kept += text[start:end]
    return kept.encode()


def retitled(data: bytes, old: str, new: str) -> bytes:
    """The same episode file under another topic, in its frontmatter and its heading."""
    text = frontmatter.replace(data.decode("utf-8"), {"topic": new})
    return text.replace(f"\n# {old}\n", f"\n# {new}\n", 1).encode()


def render_moments(moments: Sequence[Moment]) -> str:
    """The blocks of these moments, as they stand in an episode file."""
    return "".join(_moment_block(moment) for moment in moments)


def _moment_block(moment: Moment) -> str:
    marker = moment.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"content"})
    marker = {key: value for key, value in marker.items() if (key, value) not in _PLAIN_STATE}
    content = escaped(moment.content.strip())
    return f"\n<!-- pellucid:moment {json.dumps(marker, separators=(',', ':'))} -->\n{content}\n"


def parse(path: str, data: bytes, identity: FileIdentity) -> Parsed:
    """What a vault file holds.

    Raises:
        InputError: it is not UTF-8, its frontmatter is not readable, or a value in it is not allowed.
    """
    try:
        head, body = frontmatter.split(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text", next_step="save it as UTF-8") from error
    try:
        values = frontmatter.parse(head) if head is not None else {}
        if str(values.get("id", "")).startswith("ep_"):
            return _parse_episode(values, body, identity)
        if str(values.get("id", "")).startswith("doc_"):
            document, sections = parse_document(values, body, identity.namespace)
            return Parsed(memories_of(document, sections), document=document, sections=sections)
        return Parsed(((_parse_memory(path, values, body, identity), _first_turn(values)),))
    except InputError as error:
        raise InputError(f"{path}: {error.message}", next_step=error.next_step) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}", next_step="correct that line") from error


def _parse_memory(path: str, values: Mapping[str, object], body: str, identity: FileIdentity) -> Memory:
    known = {name: values[key] for key, name in _MEMORY_KEYS.items() if key in values}
    made = hashlib.blake2b(path.encode(), key=identity.key, digest_size=16).hexdigest()
    fallback = {
        "id": f"mem_{made}",
        "category": "fact",
        "namespace": identity.namespace,
        "source": "manual",
        "asserted_by": "user",
        "created": identity.at,
    }
    filled = fallback | known
    filled.setdefault("updated", filled["created"])
    return Memory.model_validate(filled | {"content": body.strip()})


def _parse_episode(values: Mapping[str, object], body: str, identity: FileIdentity) -> Parsed:
    known = {name: values[key] for key, name in _EPISODE_KEYS.items() if key in values}
    episode = Episode.model_validate({"namespace": identity.namespace} | known)
    pieces = _MARKER.split(body)
    blocks = zip(pieces[1::2], pieces[2::2], strict=True)
    moments = [_parsed_moment(marker, unescaped(text.strip())) for marker, text in blocks]
    return Parsed(tuple((_memory_of_moment(moment, episode), moment.turn) for moment in moments), episode)


def _parsed_moment(marker: str, content: str) -> Moment:
    try:
        return Moment.model_validate({**json.loads(marker), "content": content})
    except (json.JSONDecodeError, TypeError, RecursionError) as error:
        raise InputError(f"a moment's marker is not JSON: {marker[:80]}", next_step="restore that line") from error


def _memory_of_moment(moment: Moment, episode: Episode) -> Memory:
    at = moment.at or episode.started or episode.created
    return Memory(
        id=moment.id,
        category="moment",
        namespace=episode.namespace,
        created=at,
        updated=episode.updated,
        source=episode.source,
        session_id=episode.session_id,
        agent=episode.agent,
        confidence=1.0,
        evidence=(f"{episode.session_id}:{moment.turn}-{moment.turn}",),
        episode_id=episode.id,
        content=moment.content,
        status=moment.status,
        pinned=moment.pinned,
        source_class=moment.source_class or _VOICES.get(moment.role),
        trust_zone=moment.trust_zone or ("quarantine" if moment.role == "tool" else "working"),
    )


def _first_turn(values: Mapping[str, object]) -> int:
    """The number of the first turn that an episode's evidence names; 0 where it names none."""
    evidence = values.get("evidence")
    first = str(evidence[0]) if isinstance(evidence, list) and evidence else ""  # pyright: ignore[reportUnknownArgumentType]
    found = re.search(r":(\d+)-\d+$", first)
    return min(int(found.group(1)), LAST_TURN) if found else 0


def memory_path(memory: Memory) -> str:
    """Where a memory's file stands: `<folder>/YYYY-MM/<slug>-<short id>.md`; the slug is for people, the id for us."""
    return f"{FOLDERS[memory.category]}/{memory.created:%Y-%m}/{slug(memory.content)}-{memory.id[-10:]}.md"


def episode_path(episode: Episode) -> str:
    """Where an episode's file stands."""
    at = episode.started or episode.created
    return f"episodes/{at.astimezone(UTC):%Y-%m}/{slug(episode.topic)}-{episode.id[-10:]}.md"
