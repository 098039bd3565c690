"""The `adopt` command's flags in, its answer out: other tools' memories, previewed or kept."""

from pathlib import Path
from typing import Annotated

import typer

from pellucid.surfaces.cli import present_adopt
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, emit, opened


@app.command()
def adopt(
    paths: Annotated[list[Path], typer.Argument(help="Memory files of other tools, or folders of them.")],
    memory_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="claude-md, agents-md, memory-md, basic-memory, remnic, mem0 or chatgpt; else detected.",
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would be kept (the default).")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Keep the memories.")] = False,
    samples: Annotated[int, typer.Option("--samples", help="How many of the new memories to show.")] = 5,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Bring memories along from other tools and agents' files.

    Known: CLAUDE.md, AGENTS.md, MEMORY.md, basic-memory, Remnic, mem0 and ChatGPT.
    """
    from pellucid.errors import InputError
    from pellucid.operations.adopting import AdoptInput
    from pellucid.operations.adopting import adopt as keep
    from pellucid.operations.adopting import preview as look
    from pellucid.surfaces.cli.validate import checked

    if preview and yes:
        raise InputError("--preview and --yes exclude each other", next_step="leave one of them out")
    known = _format(memory_format)
    with opened(home, namespace) as opened_app:
        request = checked(
            AdoptInput, paths=tuple(paths), namespace=opened_app.settings.namespace, memory_format=known,
            samples=samples,
        )  # fmt: skip
        outcome = keep(opened_app, request) if yes else look(opened_app, request)
    emit(outcome, lambda: present_adopt.adopted(outcome), as_json=as_json)


def _format(given: str | None) -> str | None:
    """A known format's name.

    Raises:
        InputError: there is no such format.
    """
    from pellucid.capture.memories.adopted import MEMORY_FORMATS
    from pellucid.errors import InputError

    if given is None or given in MEMORY_FORMATS:
        return given
    raise InputError(
        f'--format expects one of {", ".join(MEMORY_FORMATS)}; got "{given}"',
        code="invalid_format",
        next_step="leave it out to have the format detected",
    )
