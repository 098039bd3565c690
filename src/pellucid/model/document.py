"""A document's header and sections in, the contents of its vault file out: an artifact to be searched and cited."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from pellucid.model.wire import Instant, Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

_STEP = " › "
FormatName = Literal["markdown", "rst"]
"""The formats that a vault file can name; `documents.formats.suffixes` lists the file endings of each."""


class HeaderVersion(Wire):
    """What the header of a document said over `[validFrom, validUntil)`; itself a searchable memory with ordinal 0."""

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    """The id of the memory that this version is."""
    valid_from: Instant
    valid_until: Instant | None = None
    """None while the header still says so."""
    values: dict[str, str] = Field(default_factory=dict)
    """Values as written, by lower-case header key: `status`, `requires`, `superseded-by`. Lists are joined by `, `."""
    commit: str | None = None
    """The commit that gave the header these values, if the history of a repository tells."""


class Document(Wire):
    """The frontmatter of a document's vault file; its sections are blocks in the same file.

    Field order is the order of the keys in the file.
    """

    id: str = Field(pattern=r"^doc_[0-9a-f]{32}$")
    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    created: Instant
    """When the document was first indexed."""
    updated: Instant
    path: str = Field(min_length=1)
    """Relative to `root`, with slashes, as anchors such as `docs/a.md:10-24` name the file."""
    root: str
    """The absolute path of the folder that was indexed; a file that has gone from this folder is noticed."""
    format: FormatName
    digest: str
    """SHA-256 (hex) of the bytes that were read: an unchanged file is not read again."""
    title: str
    entity: str
    """The entity that the document defines, by its own name: `SPEC-054`; the path if the document has no id."""
    entity_type: str = "Document"
    aliases: tuple[str, ...] = ()
    versions: tuple[HeaderVersion, ...] = ()
    """Oldest first, without gaps; the last has no end unless the document is gone."""
    removed_at: Instant | None = None
    """When the file was found missing; its sections were then closed, and stay for questions about the past."""

    def title_at(self, at: datetime) -> str:
        """Return the title in the newest header version that has one and begins at or before the instant `at`; the
        document's own `title` if there is none.
        """
        held = [each.values["title"] for each in self.versions if each.valid_from <= at and "title" in each.values]
        return held[-1] if held else self.title


class Section(Wire):
    """A part of a document under one heading: an anchored block of its vault file, where old versions stay, closed."""

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    number: int = Field(ge=1)
    """The section's place in the document, from 1."""
    heading: str = ""
    """The section's own heading as plain text; empty for the text before the first heading."""
    trail: tuple[str, ...] = ()
    """The headings above it, outermost first, without the document's title."""
    level: int = Field(default=0, ge=0, le=6)
    """1 for the outermost heading; 0 for the text before the first heading."""
    lines: str
    """The section's lines in the document, 1-based and inclusive: `10-24`."""
    valid_from: Instant
    valid_until: Instant | None = None
    quarantined: bool = False
    content: str = ""
    """The section's text without its heading."""


def naming_line(title: str, section: Section) -> str:
    """Return the first line of the content of a section's memory: the document's `title`, the headings above the
    section and its own heading, joined by ` › `; empty parts are left out.
    """
    return _STEP.join(filter(None, (title, *section.trail, section.heading)))


def split_naming_line(content: str) -> tuple[str, str]:
    """Return the first line of a section's content, whose parts are joined by ` › `, as (what stands before its last
    part, that part).

    The last part is the section's heading or, if nothing stands before it, the title. Index and recall read the heading
    here, since all that they have of a section is a memory, and a memory has no headings.
    """
    before, _, last = content.partition("\n")[0].rpartition(_STEP)
    return before, last
