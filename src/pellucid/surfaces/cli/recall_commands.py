"""One function a command in, the commands that ask memory and explain the answer out."""

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.surfaces.cli.flags import flagged
from pellucid.surfaces.cli.instant_flags import AsKnownAt, AsOf, instants
from pellucid.surfaces.cli.root import app
from pellucid.surfaces.cli.session import Agent, Home, Json, Namespace, Scopes, Session, astray, deliver, emit, opened

if TYPE_CHECKING:
    from pellucid.app import App
    from pellucid.operations.asking import RecallInput

Query = Annotated[list[str] | None, typer.Argument(help="The question, in words.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Also show what goes without saying: idle legs, zero terms, every rung.")
]
Many = list[str] | None


@dataclass(frozen=True)
class RecallFlags:
    """What may differ from the settings for one recall."""

    budget: Annotated[str | None, typer.Option("--budget", help="Characters of context for this call.")] = None
    top_k: Annotated[int | None, typer.Option("--top-k", help="Memories returned at most.")] = None
    tag: Annotated[Many, typer.Option("--tag", help="Only memories with this tag; may be repeated.")] = None
    category: Annotated[Many, typer.Option("--category", help="Only this category, or one of these.")] = None
    by_agent: Annotated[str | None, typer.Option("--by-agent", help="Only what this agent wrote.")] = None
    in_session: Annotated[str | None, typer.Option("--in-session", help="Only what came of this session.")] = None
    since: Annotated[datetime | None, typer.Option("--since", help="Only what was made from then on (UTC).")] = None
    until: Annotated[datetime | None, typer.Option("--until", help="Only what was made before then (UTC).")] = None
    as_of: AsOf = None
    as_known_at: AsKnownAt = None
    review: Annotated[
        str | None,
        typer.Option(
            "--review", help="A file with a diff or a list of files (- reads standard input), or a file itself."
        ),
    ] = None
    changes: Annotated[
        Many, typer.Option("--set", help="A recall setting for this call: name=value; may be repeated.")
    ] = None
    without: Annotated[Many, typer.Option("--without", help="Leave out a leg, stage or term; may be repeated.")] = None
    scope: Scopes = None
    home: Home = None
    namespace: Namespace = None
    session: Session = None
    agent: Agent = None

    def request(self, app: "App", query: str, budget: int | None) -> "RecallInput":
        """The question that these flags ask.

        Raises:
            InputError: a value cannot be, or the file for `--review` cannot be read.
        """
        from pellucid.operations.asking import RecallInput
        from pellucid.surfaces.cli.validate import aware, checked, setting

        return checked(
            RecallInput, query=query, namespace=app.settings.namespace, budget=budget, top_k=self.top_k,
            session_id=self.session, agent=self.agent, scopes=tuple(self.scope or ()),
            without=tuple(self.without or ()),
            tags=tuple(self.tag or ()), categories=tuple(self.category or ()), by_agent=self.by_agent,
            in_session=self.in_session, since=aware(self.since), until=aware(self.until),
            **instants(app, self.as_of, self.as_known_at),
            review=_reviewed(self.review) if self.review else None, settings=dict(map(setting, self.changes or ())),
        )  # fmt: skip


def _reviewed(path: str) -> str:
    """The diff or the list of files that a file holds, or, where it holds neither, that file."""
    from pellucid.recall.review import names_files

    text = _read(path)
    return text if path == "-" or names_files(text) else path


def _read(path: str) -> str:
    from pellucid.errors import InputError

    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
    except OSError as error:
        raise InputError(f"--review: {path} cannot be read: {error.strerror}", next_step="name a file") from error
    return raw.decode("utf-8", "replace")


@app.command()
@flagged(RecallFlags)
def recall(
    flags: RecallFlags,
    query: Query = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Also name what was not verified for long.")] = False,
    as_json: Json = False,
) -> None:
    """Answer a question from memory, inside a budget. Prints the context and the recall id of its explanation."""
    from pellucid.operations.recalling import recall as ask
    from pellucid.recall.plan import clean
    from pellucid.surfaces.cli import present_recall
    from pellucid.xray.options import parse_budget

    question, characters = clean(" ".join(query or ())), parse_budget(flags.budget)
    with opened(flags.home, flags.namespace) as opened_app:
        request = flags.request(opened_app, question, characters).model_copy(update={"also": opened_app.also})
        outcome = ask(opened_app, request)
        elsewhere = astray(opened_app)
    emit(outcome, lambda: present_recall.recalled(outcome, verbose=verbose, elsewhere=elsewhere), as_json=as_json)


@app.command()
@flagged(RecallFlags)
def xray(
    flags: RecallFlags,
    query: Query = None,
    recall_id: Annotated[
        str | None, typer.Option("--id", help="Explain this earlier recall (rec_…) instead of asking.")
    ] = None,
    output: Annotated[str, typer.Option("--format", help="text, markdown, json or html.")] = "text",
    out: Annotated[str | None, typer.Option("--out", help="Write it to this file; - is standard output.")] = None,
    align: Annotated[bool, typer.Option("--align", help="Also show which words met which.")] = False,
    verbose: Verbose = False,
    as_json: Json = False,
) -> None:
    """Explain why a recall gave these memories, and not others. It says what each stage cost, too."""
    from pellucid.operations.recalling import xray as explain
    from pellucid.operations.recalling import xray_of
    from pellucid.xray.options import parse, recall_named
    from pellucid.xray.render import render

    asked = "json" if as_json else output
    recall_id = recall_id or recall_named(query or ())
    question = recall_id or " ".join(query or ())
    options = parse(question, format=asked, budget=flags.budget, namespace=flags.namespace, out=out)
    with opened(flags.home, options.namespace) as opened_app:
        here = opened_app.settings.namespace
        if recall_id:
            snapshot = xray_of(opened_app, here, recall_id, align=align)
        else:
            snapshot = explain(opened_app, flags.request(opened_app, options.query, options.budget), align=align)
        deliver(render(snapshot, options.format, verbose=verbose), options.out, opened_app.settings.home)
