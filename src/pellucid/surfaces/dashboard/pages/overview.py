"""A caller in, the projects that it may look at out."""

from collections.abc import Mapping

from pellucid.operations.session.projects import PROJECTS
from pellucid.surfaces.dashboard.view import Page, View


def _projects(view: View) -> Mapping[str, object]:
    """Every project to whom everything was granted; to others what was granted to them, by its name."""
    rows = view.ask(PROJECTS).projects if view.may(PROJECTS) else ()
    granted = () if rows else [each.namespace for each in view.caller.grants if not each.namespace.endswith("*")]
    return {"title": "Projects", "projects": rows, "granted": granted}


OVERVIEW = (Page("/", "projects.html", _projects),)
