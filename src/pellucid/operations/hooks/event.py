"""What an agent's program tells of a session in, what it is to print out: a brief, a few memories, a question."""

import shlex
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pellucid.app import App
from pellucid.model.hooked import HookedSession
from pellucid.model.wire import Wire
from pellucid.operations.hooks.hosts import Event, HostName, event_of, spoken
from pellucid.operations.hooks.prompt import recalled
from pellucid.operations.hooks.transcripts import note_event
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.operations.recall.wording import numbered
from pellucid.operations.session.looking.briefing import BriefInput, BriefOutput, brief
from pellucid.operations.session.projects import located
from pellucid.recall.context.text import CHARACTERS_A_TOKEN, NOTICE, note
from pellucid.store.local.hooked import HookedSessions

ASKED = """\
Before this conversation is cut or ends: what of it would you want to know when you work here next month? Decisions with
their reasons, what the user prefers or corrected, how something here works, what is still open. Keep it with the tool
memory_observe, mode claims, sessionId {session}, or, without that tool, with `pellucid claim --session {session}`,
which reads a line of JSON for each: {{"statement": "…", "quote": "…"}}. A statement stands alone; its quote is the
words of the conversation that say it, copied exactly. At most ten; none is a good answer, too. Then go on as if this
had not been asked."""


_MOST_CHARACTERS = 9_500
"""Of a brief and what a prompt looks for together: programs cut what is much longer."""


class HookInput(Wire):
    """One event of one program, as that program tells it."""

    host: Annotated[HostName, Argument("Whose event: claude-code, codex or cursor.")]
    event: Annotated[dict[str, Any], Flag("The event, as the program gives it to its hooks.")]


class HookOutput(Wire):
    """What was done of an event: `print` is what the program's hook is to print, nothing where that is empty."""

    session_id: str
    moment: str
    namespace: str
    print: dict[str, Any] = Field(default_factory=dict)
    line: str = ""
    """What the user is told."""
    recall_id: str | None = None
    memory_ids: tuple[str, ...] = ()
    """The memories put before the agent."""
    asked: bool = False
    """Whether the agent is asked what to keep."""


class _ToSay(Wire):
    """What is to be said: to the agent, and to the user."""

    context: str = ""
    line: str = ""
    ask: str = ""
    recall_id: str | None = None
    shown: tuple[str, ...] = ()


def hooked(app: App, request: HookInput) -> HookOutput:
    """Note an event, so that its transcript is read later, and say what memory has to say to it.

    Raises:
        InputError: no such event is known.
        StoreError: it could not be written down.
    """
    event = event_of(request.host, request.event)
    if not app.settings.hooks.enabled:
        namespace = located(app, event.folder).settings.namespace
        return HookOutput(session_id=event.session_id, moment=event.moment, namespace=namespace)
    session = note_event(app, event)
    here = located(app, event.folder)
    said = _answer_to(here, event, session)
    briefed = session.briefed or event.moment in ("start", "prompt")
    if said.shown or said.ask or briefed != session.briefed:
        HookedSessions(app.settings.home).change(
            session.host,
            session.session_id,
            lambda now: (now or session).model_copy(
                update={
                    "shown": tuple(dict.fromkeys((*(now or session).shown, *said.shown))),
                    "asked": (now or session).asked or bool(said.ask),
                    "briefed": briefed,
                }
            ),
        )
    return HookOutput(
        session_id=event.session_id,
        moment=event.moment,
        namespace=here.settings.namespace,
        print=spoken(event, said.context, said.line, "" if said.context else said.ask),
        line=said.line,
        recall_id=said.recall_id,
        memory_ids=said.shown,
        asked=bool(said.ask),
    )


def _answer_to(app: App, event: Event, session: HookedSession) -> _ToSay:
    """What memory says to this event, by its moment; nothing for most."""
    match event.moment:
        case "start":
            return _at_the_start(app, event, session)
        case "prompt" if "prompt" in event.host.takes_context:
            return _at_a_prompt(app, event, session) if session.briefed else _at_the_first(app, event, session)
        case "stop" if _may_ask(app, session) and not event.again:
            enough = session.prompts >= app.settings.hooks.ask_after
            return _ToSay(ask=_question(app, session)) if enough else _ToSay()
        case _:
            return _ToSay()


def _question(app: App, session: HookedSession) -> str:
    return note(app.clock.new_id("note"), ASKED.format(session=session.session_id))


def _may_ask(app: App, session: HookedSession) -> bool:
    return app.settings.hooks.ask_agent and not session.asked


def _at_the_start(app: App, event: Event, session: HookedSession) -> _ToSay:
    """The brief of the project, without the session itself; after a compaction, the question instead, once."""
    tokens = app.settings.hooks.brief_tokens
    if event.source == "compact":
        if not _may_ask(app, session) or not session.prompts:
            return _ToSay()
        ask = _question(app, session)
        return _ToSay(context=ask, ask=ask)
    if not tokens or event.source == "resume":
        return _ToSay()
    return _brief(app, session, tokens)


def _brief(app: App, session: HookedSession, tokens: int) -> _ToSay:
    """The project's brief in at most so many tokens; nothing to say where there is none."""
    asked = BriefInput(namespace=app.settings.namespace, budget=max(tokens - 50, 50), but=session.session_id)
    found = brief(app, asked)
    if not found.text:
        return _ToSay()
    body = f"{NOTICE} The last sessions of this project; memory_history and memory_search tell more.\n\n{found.text}"
    return _ToSay(context=note(app.clock.new_id("note"), body), line=_brief_line(found), shown=_told(found))


def _brief_line(found: BriefOutput) -> str:
    count = len(found.sessions)
    return f"pellucid: a brief of the last {count} {'session' if count == 1 else 'sessions'} of {found.namespace}"


def _told(found: BriefOutput) -> tuple[str, ...]:
    """The memories that the brief tells whole enough not to be told again."""
    lines = (line for each in found.sessions for line in (*each.decided, *each.left_open))
    return tuple(dict.fromkeys(line.memory_id for line in lines))


def _at_the_first(app: App, event: Event, session: HookedSession) -> _ToSay:
    """The brief that no server was there for when the session began, and beside it what the prompt looks for."""
    hooks = app.settings.hooks
    tokens = min(hooks.brief_tokens, (_MOST_CHARACTERS - hooks.characters) // CHARACTERS_A_TOKEN)
    told = _brief(app, session, tokens) if hooks.brief_tokens else _ToSay()
    shown = (*session.shown, *told.shown)
    found = _at_a_prompt(app, event, session.model_copy(update={"shown": shown}))
    return _ToSay(
        context="\n".join(filter(None, (told.context, found.context))),
        line="\n".join(filter(None, (told.line, found.line))),
        recall_id=found.recall_id,
        shown=(*told.shown, *found.shown),
    )


def _at_a_prompt(app: App, event: Event, session: HookedSession) -> _ToSay:
    found = recalled(app, session, event.prompt)
    if found is None:
        return _ToSay()
    answers = [found, *found.also]
    ids = tuple(each.memory.id for answer in answers for each in answer.memories)
    count = "1 memory" if len(ids) == 1 else f"{len(ids)} memories"
    line = f"pellucid: {count}; why: {_at(app.settings.home)}pellucid xray {found.recall_id}"
    named = note(app.clock.new_id("note"), numbered(found))
    return _ToSay(context=f"{found.context}\n{named}", line=line, recall_id=found.recall_id, shown=ids)


def _at(home: Path) -> str:
    """What a command needs to find a home that is not where it looks by itself."""
    return "" if home == Path("~/.pellucid").expanduser() else f"PELLUCID_HOME={shlex.quote(str(home))} "


HOOK = Operation(
    "hook.event",
    """Take an event of an agent's program, and say what to print.

The program's hooks call it: a session begins, a prompt was typed, the agent stops, its context is cut, it ends.
""",
    HookInput,
    HookOutput,
    lambda call, asked: hooked(call.app, asked),
    "append",
    Surfaces("hooks event", http=("POST /v1/hooks/{host}",)),
)
