"""One function a command in, the commands that tell a story out: history, episodes, the ledger."""

from typing import Annotated

import typer

from pellucid.surfaces.cli.instant_flags import AsKnownAt, AsOf, instants
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Home, Json, Namespace, Session, astray, emit, note, opened, write

Limit = Annotated[int, typer.Option("--limit", help="How many to show.")]


@app.command()
def history(
    name: Annotated[str, typer.Argument(help="A memory (id, its last ten digits, path), a thing, or a document.")],
    as_of: AsOf = None,
    as_known_at: AsKnownAt = None,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Tell the story of a memory or of a thing.

    Of a memory: its versions, what changed it and why, its evidence; of a thing: its states.
    """
    from pellucid.operations.storytelling import HistoryOutput, story_of
    from pellucid.surfaces.cli import present_changes, present_graph

    with opened(home, namespace) as opened_app:
        past = instants(opened_app, as_of, as_known_at)
        outcome = story_of(opened_app, opened_app.settings.namespace, name, **past)
        if isinstance(outcome, HistoryOutput):
            told = outcome
            emit(told, lambda: present_changes.history(told), as_json=as_json, beside=opened_app)
        else:
            states = outcome
            emit(states, lambda: present_graph.states(states), as_json=as_json, beside=opened_app)


@app.command()
def brief(
    sessions: Annotated[int, typer.Option("--sessions", help="How many of the last sessions.")] = 5,
    budget: Annotated[int, typer.Option("--budget", help="Tokens at most, of about four characters.")] = 1500,
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Say what the last sessions asked, did and left open. What they decided, too."""
    from pellucid.operations.briefing import BriefInput
    from pellucid.operations.briefing import brief as told
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(BriefInput, namespace=opened_app.settings.namespace, sessions=sessions, budget=budget)
        outcome, elsewhere = told(opened_app, request), astray(opened_app)
    nothing = f"no session was kept in {outcome.namespace}: `pellucid import` brings some in"
    emit(outcome, lambda: "\n".join([outcome.text.rstrip() or nothing, *elsewhere]), as_json=as_json)


episodes_app = typer.Typer(
    help="Look at the stretches of sessions that memories came of.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(episodes_app, name="episodes")


@episodes_app.command("list")
def episodes_list(
    query: Annotated[list[str] | None, typer.Argument(help="Words they are about.")] = None,
    limit: Limit = 20,
    home: Home = None,
    namespace: Namespace = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """List episodes, newest first. With words, those that hold them, best first."""
    from pellucid.operations.storytelling import EpisodesInput, episodes
    from pellucid.surfaces.cli import present_changes
    from pellucid.surfaces.cli.validate import checked

    with opened(home, namespace) as opened_app:
        request = checked(
            EpisodesInput, namespace=opened_app.settings.namespace, query=" ".join(query or ()), session_id=session,
            limit=limit,
        )  # fmt: skip
        outcome = episodes(opened_app, request)
    emit(outcome, lambda: present_changes.episodes(outcome), as_json=as_json)


@episodes_app.command("show")
def episodes_show(
    episode_id: Annotated[str, typer.Argument(help="An episode's id, its last ten digits, or its path.")],
    home: Home = None,
    namespace: Namespace = None,
    as_json: Json = False,
) -> None:
    """Tell what one episode was about, and what came of it.

    When it was, what it made, and what was kept of it.
    """
    from pellucid.operations.storytelling import show_episode
    from pellucid.surfaces.cli import present_changes

    with opened(home, namespace) as opened_app:
        outcome = show_episode(opened_app, opened_app.settings.namespace, episode_id)
    emit(outcome, lambda: present_changes.episode(outcome), as_json=as_json)


ledger_app = typer.Typer(
    help="Read the record of what happened to memories.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(ledger_app, name="ledger")


@ledger_app.command("export")
def ledger_export(
    kind: Annotated[
        str,
        typer.Option("--kind", help="lifecycle, verdict, flush, fold, pass, tombstone, erasure, loss; observations."),
    ],
    out: Annotated[str | None, typer.Option("--out", help="Write to this file; - is standard output.")] = None,
    everywhere: Annotated[bool, typer.Option("--all-namespaces", help="Rows of every namespace.")] = False,
    home: Home = None,
    namespace: Namespace = None,
) -> None:
    """Print the rows of one kind as JSON lines. `observations` are verdicts in the reference's form."""
    from pellucid.operations.storytelling import export_ledger, ledger_kind
    from pellucid.xray.options import parse_out, write_out

    chosen, target = ledger_kind(kind), parse_out(out)
    with opened(home, namespace) as opened_app:
        here = None if everywhere else opened_app.settings.namespace
        lines = list(export_ledger(opened_app, chosen, here))
        if target is not None:
            write_out(target, "".join(f"{line}\n" for line in lines), opened_app.settings.home)
            note(f"wrote {len(lines)} rows to {target}")
        elif lines:
            write("\n".join(lines))
