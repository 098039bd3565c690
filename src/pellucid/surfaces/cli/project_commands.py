"""One function a command in, the commands that look at projects out."""

import typer

from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, emit, opened, settings

projects_app = typer.Typer(
    help="Look at the projects that sessions are filed under.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(projects_app, name="projects")


@projects_app.command("list")
def projects_list(home: Home = None, as_json: Json = False) -> None:
    """List the projects: namespace, folders, what each holds, its last session; then what is filed under none."""
    from pellucid.operations.projects import list_projects
    from pellucid.surfaces.cli import present_projects

    with opened(home, known=settings(home)) as opened_app:
        outcome = list_projects(opened_app)
    emit(outcome, lambda: present_projects.projects(outcome), as_json=as_json)
