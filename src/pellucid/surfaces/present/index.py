"""Indexed documents in, text for a person out: changes, documents left out and why, and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.errors import field_name, step
from pellucid.surfaces.columns import count_of, largest_first
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:  # `pellucid --help` must not wait for what only the answers' types need
    from collections.abc import Iterator, Sequence

    from pellucid.documents.files import DocumentProblem
    from pellucid.model.document import HeaderVersion
    from pellucid.operations.document.indexing import IndexDocsOutput
    from pellucid.operations.document.listing import DocumentOutput, DocumentsOutput, RemovedOutput, SectionRow
    from pellucid.operations.document.rows import HistoryRowsOutput

_SHOWN_PROBLEMS = 10


def indexing_text(outcome: IndexDocsOutput) -> str:
    """Render the outcome of indexing documents, or of a dry run, after which nothing is written: documents by what
    changed, sections opened and closed, new header versions, remarks, redactions, notes, files left out, why vectors
    are missing, and the header history that was loaded. What is zero or empty is left out.
    """
    action = "indexed" if outcome.written else "would index"
    states = (("new", outcome.new), ("changed", outcome.changed), ("unchanged", outcome.unchanged))
    result = ", ".join(f"{count} {name}" for name, count in states if count) or "nothing new"
    lines = [f"{action} {count_of(outcome.files, 'document')} of {visible(outcome.namespace)}: {result}"]
    parts = (("opened", outcome.sections_opened), ("closed", outcome.sections_closed))
    sections = ", ".join(f"{count} {name}" for name, count in parts if count)
    lines += [f"sections: {sections}"] if sections else []
    if outcome.header_versions:
        lines.append(f"header versions: {outcome.header_versions} new")
    lines += _remark_lines(outcome)
    if outcome.redactions:
        lines.append(f"redacted: {largest_first(outcome.redactions)}")
    lines += [visible(note) for note in outcome.notes]
    lines += _problem_lines(outcome.problems)
    if outcome.encoder_problem:
        lines.append(f"kept, but without vectors: {visible(outcome.encoder_problem)}")
    if outcome.loaded:
        lines.append(header_history_text(outcome.loaded))
    if not outcome.written:
        lines.append("nothing was written")
    return "\n".join(lines)


def _remark_lines(outcome: IndexDocsOutput) -> Iterator[str]:
    """Yield how many documents or sections were closed, moved, returned, excluded, quarantined, left out as off the
    record, or withheld since they say what was forgotten: a line for each count above 0.
    """
    for count, remark in (
        (outcome.removed, "closed: the file is gone, or defines something else"),
        (outcome.renamed, "moved to another path"),
        (outcome.returned, "back again"),
        (outcome.excluded, "excluded by capture.excludePaths"),
        (outcome.quarantined, "in quarantine or left out: it reads as an instruction to an assistant"),
        (outcome.off_the_record, "left out: off the record"),
        (outcome.withheld, "withheld: it says what was forgotten here"),
    ):
        if count:
            yield f"{count} {remark}"


def header_history_text(outcome: HistoryRowsOutput) -> str:
    """Render the outcome of loading rows of header history: counts, rows left out and why, and problems."""
    action = "loaded" if outcome.written else "would load"
    changed = f"{count_of(outcome.documents, 'document')} changed, {outcome.unchanged} unchanged"
    rows = count_of(outcome.rows, "row")
    lines = [f"{action} {rows} of history: {changed}, {outcome.header_versions} header versions new"]
    if outcome.unknown_rows:
        named = ", ".join(map(visible, outcome.unknown))
        lines.append(f"{count_of(outcome.unknown_rows, 'row')} of documents that are not indexed here: {named}")
    if outcome.ahead:
        lines.append(f"{count_of(outcome.ahead, 'row')} left out: dated after now")
    if outcome.withheld:
        lines.append(f"{outcome.withheld} withheld: it says what was forgotten here")
    return "\n".join([*lines, *_problem_lines(outcome.problems)])


def documents_text(outcome: DocumentsOutput) -> str:
    """Render the indexed documents, two lines for each, then how many there are; one sentence if there are none."""
    if not outcome.documents:
        return f"no documents; {step('document.index', paths=('PATH',))} takes some in"
    width = min(max(len(visible(row.entity)) for row in outcome.documents), 32)
    lines = [
        f"{visible(row.entity):<{width}}  {visible(row.title)}{' (gone)' if row.removed_at else ''}\n"
        f"{'':<{width}}  {visible(row.path)} · {count_of(row.sections, 'section')} · {count_of(row.edges, 'edge')}"
        for row in outcome.documents
    ]
    return "\n".join([*lines, count_of(len(outcome.documents), "document")])


def document_text(outcome: DocumentOutput) -> str:
    """Render one document: its paths, header versions, edges, and sections, present and closed."""
    row = outcome.document
    lines = [
        f"{visible(row.entity)}: {visible(row.title)}",
        f"{visible(row.entity_type)} · {visible(row.path)} below {visible(row.root)}",
        f"id {row.id} · vault file {visible(row.vault_path)}",
    ]
    if row.removed_at:
        lines.append(f"gone since {row.removed_at:%Y-%m-%d %H:%M}")
    if outcome.aliases:
        lines.append(f"also called: {', '.join(map(visible, outcome.aliases))}")
    lines += _titled("header", [_version_line(each) for each in outcome.versions])
    lines += _titled("edges", [visible(each) for each in outcome.edges])
    lines += _titled("sections", [_section_line(each) for each in outcome.sections])
    lines += _titled("before", [_section_line(each) for each in outcome.closed])
    return "\n".join(lines)


def removal_text(outcome: RemovedOutput) -> str:
    """Render the documents that were closed, and how to forget them; one sentence if all were closed before."""
    if not outcome.removed:
        return "nothing to close: it was closed before"
    lines = [f"closed {visible(row.entity)}  {visible(row.path)}" for row in outcome.removed]
    return "\n".join(
        [*lines, f"questions about the past still see them; {step('memory.forget')} takes them away for good"]
    )


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    """Return the lines, indented, below a blank line and a title; empty if there are none."""
    return ["", f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _version_line(version: HeaderVersion) -> str:
    """Render a header version as `2026-01-01 to now  status: open; …`, its values without the title."""
    until = f"{version.valid_until:%Y-%m-%d}" if version.valid_until else "now"
    values = "; ".join(f"{visible(key)}: {visible(value)}" for key, value in version.values.items() if key != "title")
    return f"{version.valid_from:%Y-%m-%d} to {until}  {values}".rstrip()


def _section_line(row: SectionRow) -> str:
    """Render a section: anchor, heading (or the start of its text), until when it held (if it ended), whether it is in
    quarantine, and the last ten characters of its id.
    """
    ends = f" until {row.valid_until:%Y-%m-%d %H:%M}" if row.valid_until else ""
    mark = " (in quarantine)" if row.quarantined else ""
    return f"{visible(row.anchor)}  {visible(row.heading or row.excerpt)}{ends}{mark}  {row.id[-10:]}"


def _problem_lines(problems: Sequence[DocumentProblem]) -> Iterator[str]:
    """Yield a line for each of the first ten files that were left out, with why and what to do; then how many more
    there are. Nothing if there are no problems.
    """
    for each in problems[:_SHOWN_PROBLEMS]:
        more = f" ({visible(each.next_step)})" if each.next_step else ""
        yield f"left out {visible(each.path)}: {visible(each.why)}{more}"
    if len(problems) > _SHOWN_PROBLEMS:
        yield f"… and {len(problems) - _SHOWN_PROBLEMS} more ({field_name('as_json')} names them)"
