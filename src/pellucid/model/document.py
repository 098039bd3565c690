"""A document's header and sections in, what its vault file holds out: an artifact that can be searched and cited."""

from typing import Literal

from pydantic import Field

from pellucid.model.wire import Instant, Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

FormatName = Literal["markdown", "rst"]
"""What a vault file may name as its document's format; `documents.formats.suffixes` has the formats."""


class HeaderVersion(Wire):
    """What the header of a document said over `[validFrom, validUntil)`; itself a searchable section, number 0."""

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    """The memory that this version is."""
    valid_from: Instant
    valid_until: Instant | None = None
    """None: it says so still."""
    values: dict[str, str] = Field(default_factory=dict)
    """Header keys, lower-case, as written: `status`, `requires`, `superseded-by`. Lists are joined by `, `."""
    commit: str | None = None
    """The commit that made it so, where the history of a repository says."""


class Document(Wire):
    """The frontmatter of a document's vault file; its sections are blocks in the same file.

    Field order is the order of the keys in the file.
    """

    id: str = Field(pattern=r"^doc_[0-9a-f]{32}$")
    namespace: str = Field(pattern=NAMESPACE_PATTERN)
    created: Instant
    """When it was first indexed."""
    updated: Instant
    path: str = Field(min_length=1)
    """Relative to `root`, with slashes: what anchors such as `docs/a.md:10-24` name."""
    root: str
    """The folder that was indexed, absolute; files of it that are gone are followed."""
    format: FormatName
    digest: str
    """SHA-256 (hex) of the bytes that were read: an unchanged file is not read again."""
    title: str
    entity: str
    """What it defines, as it names itself: `SPEC-054`; the path where it has no id of its own."""
    entity_type: str = "Document"
    aliases: tuple[str, ...] = ()
    versions: tuple[HeaderVersion, ...] = ()
    """Oldest first, adjoining; the last is open unless the document is gone."""
    removed_at: Instant | None = None
    """When the file was found gone; its sections are then closed, and kept for questions about the past."""


class Section(Wire):
    """A part of a document under one heading: an anchored block of its vault file; old versions are kept, closed."""

    id: str = Field(pattern=r"^mem_[0-9a-f]{32}$")
    number: int = Field(ge=1)
    """Its place in the document, from 1."""
    heading: str = ""
    """Its own heading as plain text; empty for what stands before the first."""
    trail: tuple[str, ...] = ()
    """The headings above it, outermost first, without the document's title."""
    level: int = Field(default=0, ge=0, le=6)
    """1 for the outermost heading; 0 for what stands before the first."""
    lines: str
    """1-based and inclusive, `10-24`."""
    valid_from: Instant
    valid_until: Instant | None = None
    quarantined: bool = False
    content: str = ""
    """Its text without the heading."""
