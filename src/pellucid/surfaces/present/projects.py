"""Projects in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.commands import quoted
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pellucid.operations.session.projects import ProjectRow, ProjectsOutput


def projects(outcome: ProjectsOutput) -> str:
    """A few lines a project."""
    found = [line for each in outcome.projects for line in _lines(each)]
    none = f"no projects yet: {quoted('import')} files sessions under the project of their folder"
    return "\n".join(found) or none


def project(each: ProjectRow) -> str:
    """The few lines of one."""
    return "\n".join(_lines(each))


def _lines(each: ProjectRow) -> Iterator[str]:
    held = [counted(each.memories, "memory", "memories"), counted(each.sessions, "session", "sessions")]
    held += [counted(each.passages, "passage", "passages")] if each.passages else []
    last = f", the last on {each.last_session[:10]}" if each.last_session else ""
    yield f"{each.namespace}  {', '.join(held)}{last}"
    for number, root in enumerate(each.roots):
        said = " (too)" if number else " (not there any more)" if each.gone else ""
        yield f"  {visible(root)}{said}"
    if not each.roots:
        yield "  (in no project)"
    if each.earlier_elsewhere:
        yield "  earlier sessions of it are in local/default, which a recall in it asks, too"
