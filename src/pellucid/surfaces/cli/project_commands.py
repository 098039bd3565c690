"""One function a command in, the commands that look at projects out."""

from pathlib import Path
from typing import Annotated

import typer

from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, emit, opened, settings

projects_app = typer.Typer(
    help="Look at the projects that sessions are filed under.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(projects_app, name="projects")


@projects_app.command("list")
def projects_list(home: Home = None, as_json: Json = False) -> None:
    """List the projects, and what is filed under none."""
    from pellucid.operations.projects import list_projects
    from pellucid.surfaces.cli import present_projects

    with opened(home, known=settings(home)) as opened_app:
        outcome = list_projects(opened_app)
    emit(outcome, lambda: present_projects.projects(outcome), as_json=as_json)


@projects_app.command("move")
def projects_move(
    namespace: Annotated[str, typer.Argument(help="The project's namespace, as `projects list` says it.")],
    folder: Annotated[Path, typer.Argument(help="Where its repository stands now.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Let a project answer in the folder it was moved to."""
    from pellucid.operations.projects import move_project
    from pellucid.surfaces.cli import present_projects

    with opened(home, known=settings(home)) as opened_app:
        outcome = move_project(opened_app, namespace, folder)
    emit(outcome, lambda: present_projects.project(outcome), as_json=as_json)
