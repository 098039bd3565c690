"""Memories and episodes in, the exact bytes of their files out, and back."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from pellucid.errors import InputError
from pellucid.model.document import Document, Section
from pellucid.model.memory import FOLDERS, LAST_TURN, SOURCE_CLASS_OF, Episode, Memory, Moment
from pellucid.vault import frontmatter
from pellucid.vault.blocks import change_marker, escaped, parse_block, slug, unescaped, without_blocks
from pellucid.vault.documents import memories_of, parse_document

_MEMORY_KEYS = {to_camel(name): name for name in Memory.model_fields if name not in ("content", "retired")}
_EPISODE_KEYS = {to_camel(name): name for name in Episode.model_fields}
_MARKER = re.compile(r"^<!-- pellucid:moment (\{.*\}) -->[ \t\r]*$", re.MULTILINE)
_PLAIN_STATE = (("status", "active"), ("pinned", False))  # what a moment's marker need not say


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a vault file holds: memories with their ordinals (turn or section, 0 for none), its episode or document."""

    memories: tuple[tuple[Memory, int], ...]
    episode: Episode | None = None
    document: Document | None = None
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Defaults for what a file does not say: its namespace, the key from which ids are derived, its time."""

    namespace: str
    key: bytes
    at: datetime


def render_memory(memory: Memory) -> bytes:
    """Render the file of a memory: frontmatter in the order of the model, a blank line, the content.

    None and empty lists and mappings are left out; `confidenceTier` and `importanceLevel` are added for people, and not
    read back.
    """
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
    """Return the numbers (from 1) of the first and the last line of the content in the bytes of a memory's file.

    Raises InputError if a fence of the frontmatter is missing.
    """
    text = data.decode("utf-8").replace("\r\n", "\n")
    body = frontmatter.split(text)[1]
    blank = len(body) - len(body.lstrip())
    first = text.count("\n", 0, len(text) - len(body) + blank) + 1
    return first, first + body.strip().count("\n")


def edit_memory(data: bytes, changes: Mapping[str, object]) -> bytes:
    """Return the bytes of a memory's file with these frontmatter keys (camelCase) set, or removed for None; all else
    stays, comments too. A file without frontmatter gets one.

    Raises InputError if the frontmatter is not YAML, or cannot be edited line by line.
    """
    return frontmatter.replace(data.decode("utf-8"), changes).encode()


def render_episode(episode: Episode, moments: Sequence[Moment]) -> bytes:
    """Render the file of an episode: frontmatter without None and empty lists, the topic as heading, one block for each
    moment (a passage, that is what was said in one turn).
    """
    dumped = episode.model_dump(mode="json", by_alias=True, exclude_none=True)
    values = {key: value for key, value in dumped.items() if value != []} | {"category": "moment"}
    return f"---\n{frontmatter.render(values)}---\n\n# {episode.topic}\n{''.join(map(_moment_block, moments))}".encode()


def edit_moment(data: bytes, memory_id: str, changes: Mapping[str, object]) -> bytes:
    """Return the bytes of an episode's file with these keys (camelCase) set in the marker of the moment (a passage)
    with the id `memory_id`; all else is unchanged.

    Raises ConflictError if the moment is not there, InputError if a marker is damaged.
    """
    return change_marker(data, _MARKER, memory_id, lambda old: _marker_comment({**old, **changes}), "episode")


def without_moments(data: bytes, ids: Collection[str]) -> bytes:
    """Return the bytes of an episode's file without the moments (passages) with these ids; unknown ids change nothing.

    Raises InputError if a marker is damaged.
    """
    return without_blocks(data.decode("utf-8"), _MARKER, ids).encode()


def retitle_episode(data: bytes, old: str, new: str) -> bytes:
    """Return the bytes of an episode's file with `new` as the topic in the frontmatter; if a heading `# old` (with the
    topic so far) follows, the first such becomes `# new`.

    Raises InputError if the frontmatter cannot be edited line by line.
    """
    text = frontmatter.replace(data.decode("utf-8"), {"topic": new})
    return text.replace(f"\n# {old}\n", f"\n# {new}\n", 1).encode()


def _moment_block(moment: Moment) -> str:
    """Render a moment: its marker, without the status `active` and `pinned` false, and its escaped content."""
    marker = moment.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"content"})
    marker = {key: value for key, value in marker.items() if (key, value) not in _PLAIN_STATE}
    return f"\n{_marker_comment(marker)}\n{escaped(moment.content.strip())}\n"


def _marker_comment(marker: Mapping[str, object]) -> str:
    """Render a moment's marker as an HTML comment."""
    return f"<!-- pellucid:moment {json.dumps(marker, separators=(',', ':'))} -->"


def parse(path: str, data: bytes, identity: FileIdentity) -> Parsed:
    """Parse a vault file: by its id an episode (`ep_…`) or a document (`doc_…`), else a memory.

    `identity` supplies what the file does not say. Raises InputError, naming the path, if it is not valid.
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
    """Make a memory of the frontmatter `values` and the `body` of the file at `path`; raise ValidationError if a value
    is wrong.

    Without an id it gets one derived from `path` and `identity.key`; without other values it is a manual fact that the
    user asserted, of `identity.namespace`, created at `identity.at`, and `updated` as it was created.
    """
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
    """Make an episode and the memories of its moments, with their turns as ordinals, of the frontmatter `values` and
    the `body` of its file. If the values name no namespace, that of `identity` counts.

    Raises InputError if a marker is damaged, ValidationError if a value is wrong.
    """
    known = {name: values[key] for key, name in _EPISODE_KEYS.items() if key in values}
    episode = Episode.model_validate({"namespace": identity.namespace} | known)
    pieces = _MARKER.split(body)
    blocks = zip(pieces[1::2], pieces[2::2], strict=True)
    moments = [parse_block(Moment, "moment", marker, unescaped(text.strip())) for marker, text in blocks]
    return Parsed(tuple((_memory_of_moment(moment, episode), moment.turn) for moment in moments), episode)


def _memory_of_moment(moment: Moment, episode: Episode) -> Memory:
    """Make the memory of a moment (a passage) of an episode, created when it was said or else when the episode began.

    What a tool said is quarantined unless the moment has a trust zone; a source class that the moment lacks follows
    from its role.
    """
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
        source_class=moment.source_class or SOURCE_CLASS_OF.get(moment.role),
        trust_zone=moment.trust_zone or ("quarantine" if moment.role == "tool" else "working"),
    )


def _first_turn(values: Mapping[str, object]) -> int:
    """Return the number of the first turn in the first entry of `evidence` in a memory's frontmatter `values`: 3 for
    `session:3-4`.

    0 if it names none; a greater number than `LAST_TURN` becomes `LAST_TURN`.
    """
    evidence = values.get("evidence")
    first = str(evidence[0]) if isinstance(evidence, list) and evidence else ""  # pyright: ignore[reportUnknownArgumentType]
    found = re.search(r":(\d+)-\d+$", first)
    return min(int(found.group(1)), LAST_TURN) if found else 0


def memory_path(memory: Memory) -> str:
    """Return the path for a memory's file: `<folder>/YYYY-MM/<slug>-<last 10 characters of id>.md`.

    Folder and month are those of its category and its creation; the slug is only for people.
    """
    return f"{FOLDERS[memory.category]}/{memory.created:%Y-%m}/{slug(memory.content)}-{memory.id[-10:]}.md"


def episode_path(episode: Episode) -> str:
    """Return the path for an episode's file: `episodes/YYYY-MM/<slug of its topic>-<last 10 characters of its id>.md`.

    The month is that in which it started or, if that is not known, was created.
    """
    at = episode.started or episode.created
    return f"episodes/{at.astimezone(UTC):%Y-%m}/{slug(episode.topic)}-{episode.id[-10:]}.md"
