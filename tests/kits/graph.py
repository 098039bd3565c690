"""Small documents in, a home whose graph holds them out: written as vault files, without reading any corpus."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pellucid.app import App
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.store.records import FileWrite, content_digest
from pellucid.vault.documents import document_path, render_document

HERE = "local/default"
MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))
Header = tuple[datetime, Mapping[str, str]]


def document(
    app: App,
    entity: str,
    headers: Sequence[Header] = (),
    sections: Sequence[Section] = (),
    aliases: Sequence[str] = (),
    namespace: str = HERE,
) -> Document:
    """Put a document into the vault: its headers, each until the next, and its sections."""
    ends = [*(at for at, _ in headers[1:]), *([None] if headers else [])]
    versions = tuple(
        HeaderVersion(
            id=app.clock.new_id("mem"), valid_from=at, valid_until=end, values=dict(values), commit="c0ffee00"
        )
        for (at, values), end in zip(headers, ends, strict=True)
    )
    made = Document(
        id=app.clock.new_id("doc"),
        namespace=namespace,
        created=MARCH,
        updated=MARCH,
        path=f"specs/{entity}.md",
        root="/specs",
        format="markdown",
        digest="0" * 64,
        title=f"{entity} in words",
        entity=entity,
        entity_type="Specification",
        aliases=tuple(aliases),
        versions=versions,
    )
    app.unit_of_work.commit("import", [FileWrite(document_path(made), render_document(made, sections))])
    return made


def section(
    app: App, heading: str, content: str, since: datetime = MARCH, until: datetime | None = None, number: int = 1
) -> Section:
    """A section of level 2 that stands at lines `number`0 to `number`5."""
    return Section(
        id=app.clock.new_id("mem"),
        number=number,
        heading=heading,
        level=2,
        lines=f"{number}0-{number}5",
        valid_from=since,
        valid_until=until,
        content=content,
    )


def rewrite(app: App, made: Document, sections: Sequence[Section]) -> None:
    """Give a document other sections."""
    path = document_path(made)
    base = app.records.heads([path])[0].data
    assert base is not None
    app.unit_of_work.commit("import", [FileWrite(path, render_document(made, sections), content_digest(base))])
