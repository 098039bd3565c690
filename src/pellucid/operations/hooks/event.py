"""An event of an agent's program in, the text for its hook to print out: a brief, a few memories, a question.

Somebody who types to an agent wants work done, not an answer from memory. So less is shown for a prompt than for a
question: only memories that the person's own words look for, none from the session itself, and none twice.
"""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pellucid.app import App
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.noise import accepted_plan, is_harness_text, without_open_files, without_reminders
from pellucid.language.words import content_words
from pellucid.model.hooked import HookedSession
from pellucid.model.memory import CATEGORIES, Category
from pellucid.model.wire import Wire
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.hooks.claiming import CLAIM, ClaimInput
from pellucid.operations.hooks.hosts import Event, HostName, hook_reply, parse_event
from pellucid.operations.hooks.transcripts import record_event
from pellucid.operations.operation import Argument, Call, Flag, Operation, Surfaces, Text, flag_name, in_home
from pellucid.operations.recall.recalling import RECALL, XRAY, RecallOutput
from pellucid.operations.recall.wording import result_ids
from pellucid.operations.session.looking.briefing import BriefInput, brief
from pellucid.operations.session.projects import app_in_project
from pellucid.recall.context.text import CHARACTERS_A_TOKEN, NOTICE, note
from pellucid.recall.query.gate import gate
from pellucid.store.local.hooked import HookedSessions

_QUESTION = """\
Before this conversation is cut or ends: what of it would you want to know when you work here next month? Decisions with
their reasons, what the user prefers or corrected, how something here works, what is still open. Keep it with the tool
memory_observe, mode claims, sessionId {session}, or, without that tool, with `pellucid {claim} {session}`,
which reads a line of JSON for each: {{"statement": "…", "quote": "…"}}. A statement stands alone; its quote is the
words of the conversation that say it, copied exactly. At most ten; none is a good answer, too. Then go on as if this
had not been asked."""

_CLAIM = f"{CLAIM.on.cli} {flag_name(ClaimInput, 'session_id')}"
"""The command of a claim up to its session: programs that run hooks have a shell, whichever surface took the event."""

_MOST_CHARACTERS = 9_500
"""The maximum length of a brief and the memories of a prompt together: programs cut longer texts."""
_LEAST_WORDS = 2
"""The minimum number of content words in a query: a single word fits too many memories."""
_LONGEST = 1_500
"""The characters at the beginning of a prompt that are used as a query: people ask first, and paste after that."""
_EXTRACTED = tuple(each for each in CATEGORIES if each != "moment")
"""All categories but passages, which only answer questions."""
_INSTRUCTIVE: tuple[Category, ...] = ("rule", "preference", "principle", "procedure", "correction")
"""The categories for a short command (`run the tests`): how such things are done here, not that they were."""
_COMMAND_NEAR = 0.6
"""The minimum cosine of a memory to a command: in two or three words, a word shared by chance weighs much."""


class HookInput(Wire):
    """One event of an agent's program, as the program gives it to its hooks."""

    host: Annotated[HostName, Argument("Whose event: claude-code, codex or cursor.")]
    event: Annotated[dict[str, Any], Flag("The event, as the program gives it to its hooks.")]


class HookOutput(Wire):
    """The answer to an event: `print` is the JSON for the program's hook to print; if it is empty, nothing is
    printed."""

    session_id: str
    moment: str
    namespace: str
    print: dict[str, Any] = Field(default_factory=dict)
    line: str = ""
    """The message to the user."""
    recall_id: str | None = None
    memory_ids: tuple[str, ...] = ()
    """The ids of the memories shown to the agent."""
    asked: bool = False
    """Whether the agent is asked which facts to keep."""


class _Answer(Wire):
    """The answer to an event: `context` for the agent, a `line` for the user, and `ask`, the question to the agent
    which facts to keep; each can be empty."""

    context: str = ""
    line: str = ""
    ask: str = ""
    recall_id: str | None = None
    shown: tuple[str, ...] = ()


def handle_event(app: App, request: HookInput) -> HookOutput:
    """Record an event, so that the session's transcript will be read, and answer it with a brief, memories, a question
    or nothing. What was shown or asked is stored, so that it is not shown or asked twice. If the settings switch hooks
    off, nothing is recorded or answered.

    Raises:
        InputError: the program or the event is unknown, or the session's id is not valid (`parse_event`).
        StoreError: the event could not be recorded.
    """
    event = parse_event(request.host, request.event)
    if not app.settings.hooks.enabled:
        namespace = app_in_project(app, event.folder).settings.namespace
        return HookOutput(session_id=event.session_id, moment=event.moment, namespace=namespace)
    session = record_event(app, event)
    project_app = app_in_project(app, event.folder)
    answer = _answer_event(project_app, event, session)
    briefed = session.briefed or event.moment in ("start", "prompt")

    def with_answer(stored: HookedSession | None) -> HookedSession:
        """Return a copy of the stored record of the session (if None, of the record before the answer), with the
        memories that the answer shows, whether it asks, and whether a start or a prompt has come (`briefed`)."""
        stored = stored or session
        shown = tuple(dict.fromkeys((*stored.shown, *answer.shown)))
        asked = stored.asked or bool(answer.ask)
        return stored.model_copy(update={"shown": shown, "asked": asked, "briefed": briefed})

    if answer.shown or answer.ask or briefed != session.briefed:
        HookedSessions(app.settings.home).change(session.host, session.session_id, with_answer)
    return HookOutput(
        session_id=event.session_id,
        moment=event.moment,
        namespace=project_app.settings.namespace,
        print=hook_reply(event, answer.context, answer.line, "" if answer.context else answer.ask),
        line=answer.line,
        recall_id=answer.recall_id,
        memory_ids=answer.shown,
        asked=bool(answer.ask),
    )


def _answer_event(app: App, event: Event, session: HookedSession) -> _Answer:
    """Return the answer to an event; an empty one for any case that is not named here.

    A start gets a brief (after a compaction the question which facts to keep, after a resumption nothing:
    `_answer_start`). A prompt gets memories, with the brief before them unless the agent had it (`session.briefed`);
    nothing if the program does not show the agent context at a prompt. A stop gets that question, once a session, after
    at least `hooks.askAfter` prompts, if the settings permit it and no hook has kept the agent from this stop before
    (`event.again`)."""
    match event.moment:
        case "start":
            return _answer_start(app, event, session)
        case "prompt" if "prompt" in event.host.takes_context:
            return _answer_prompt(app, event, session) if session.briefed else _answer_first_prompt(app, event, session)
        case "stop" if _may_ask(app, session) and not event.again:
            enough = session.prompts >= app.settings.hooks.ask_after
            return _Answer(ask=_question(app, session)) if enough else _Answer()
        case _:
            return _Answer()


def _question(app: App, session: HookedSession) -> str:
    """Return the question which facts of the session to keep, as a note to the agent."""
    return note(app.clock.new_id("note"), _QUESTION.format(session=session.session_id, claim=_CLAIM))


def _may_ask(app: App, session: HookedSession) -> bool:
    """Whether the agent is allowed to be asked which facts to keep: the settings permit it, and the agent was not asked
    in this session before."""
    return app.settings.hooks.ask_agent and not session.asked


def _answer_start(app: App, event: Event, session: HookedSession) -> _Answer:
    """Return the project's brief, without this session. After a compaction, return instead the question which facts to
    keep, once a session, if the settings permit it and there was a prompt. Empty after a resumption, or if
    `hooks.briefTokens` is 0."""
    tokens = app.settings.hooks.brief_tokens
    if event.source == "compact":
        if not _may_ask(app, session) or not session.prompts:
            return _Answer()
        ask = _question(app, session)
        return _Answer(context=ask, ask=ask)
    if not tokens or event.source == "resume":
        return _Answer()
    return _brief_answer(app, session, tokens)


def _brief_answer(app: App, session: HookedSession, tokens: int) -> _Answer:
    """Return the project's brief (a page on its last sessions) of about `tokens` tokens, without this session; empty if
    no session has anything to tell."""
    request = BriefInput(namespace=app.settings.namespace, budget=max(tokens - 50, 50), but=session.session_id)
    found = brief(app, request)
    if not found.text:
        return _Answer()
    count = len(found.sessions)
    body = f"{NOTICE} The last sessions of this project; memory_history and memory_search tell more.\n\n{found.text}"
    whole = (line.memory_id for each in found.sessions for line in (*each.decided, *each.left_open))
    return _Answer(
        context=note(app.clock.new_id("note"), body),
        line=f"pellucid: a brief of the last {count} {'session' if count == 1 else 'sessions'} of {found.namespace}",
        shown=tuple(dict.fromkeys(whole)),  # so that no prompt shows these again
    )


def _answer_first_prompt(app: App, event: Event, session: HookedSession) -> _Answer:
    """Return the brief (unless `hooks.briefTokens` is 0), then the memories that the prompt recalls, without those in
    the brief; an empty answer if there is neither. It is for a session that has had no brief yet, as when no server was
    running at its start: the caller looks at that."""
    hooks = app.settings.hooks
    tokens = min(hooks.brief_tokens, (_MOST_CHARACTERS - hooks.characters) // CHARACTERS_A_TOKEN)
    start = _brief_answer(app, session, tokens) if hooks.brief_tokens else _Answer()
    shown = (*session.shown, *start.shown)
    found = _answer_prompt(app, event, session.model_copy(update={"shown": shown}))
    return _Answer(
        context="\n".join(filter(None, (start.context, found.context))),
        line="\n".join(filter(None, (start.line, found.line))),
        recall_id=found.recall_id,
        shown=(*start.shown, *found.shown),
    )


def _answer_prompt(app: App, event: Event, session: HookedSession) -> _Answer:
    """Return the memories that a prompt recalls, with a line for the user on how to have them explained; empty if the
    prompt recalls nothing."""
    found = recall_for_prompt(app, session, event.prompt)
    if found is None:
        return _Answer()
    answers = [found, *found.also]
    ids = tuple(each.memory.id for answer in answers for each in answer.memories)
    count = "1 memory" if len(ids) == 1 else f"{len(ids)} memories"
    line = f"pellucid: {count}; why: {_home_variable(app.settings.home)}pellucid {XRAY.on.cli} {found.recall_id}"
    ids_note = note(app.clock.new_id("note"), result_ids(found))
    return _Answer(context=f"{found.context}\n{ids_note}", line=line, recall_id=found.recall_id, shown=ids)


def _home_variable(home: Path) -> str:
    """Return `PELLUCID_HOME=… ` to put before a command line; "" for the default home."""
    return "" if home == Path("~/.pellucid").expanduser() else f"PELLUCID_HOME={shlex.quote(str(home))} "


def query_of_prompt(prompt: str) -> str:
    """Return the query for a prompt: the whole sentences at its beginning in the user's own words (of an accepted plan,
    its text), up to 1,500 characters. Return "" for a slash command, a text of a program, fewer than two content words
    that are not digits, or words that need no memory, such as thanks."""
    own = without_own_output(without_open_files(without_reminders(prompt)), CaptureReport())
    if is_harness_text(own) or own.lstrip().startswith("/"):
        return ""
    query, length = list[str](), 0
    for sentence in (each for block in blocks(accepted_plan(own) or own) for each in sentences(block.text)):
        length += len(sentence) + 1
        if length > _LONGEST:
            break
        query.append(sentence)
    text = " ".join(query)
    terms = {word for word in content_words(text) if not word.isdigit()}
    return text if len(terms) >= _LEAST_WORDS and gate(text).depth != "no_recall" else ""


def recall_for_prompt(app: App, session: HookedSession, prompt: str) -> RecallOutput | None:
    """Run and record a recall for a prompt, without memories of the session or shown to it before.

    Only memories with a cosine of at least `hooks.near` count, and no passages; for a short command only rules,
    preferences, principles, procedures and corrections, with at least 0.6. None if the prompt has no query,
    `hooks.items` is 0, nothing is found, or the answer's doubt is at least `hooks.abstainAt` (if below 1).
    """
    hooks, query = app.settings.hooks, query_of_prompt(prompt)
    if not (query and hooks.items):
        return None
    is_command = gate(query).depth == "minimal"
    near = max(hooks.near, _COMMAND_NEAR) if is_command else hooks.near
    found = RECALL(
        Call.over(replace(app, surface="hook")),
        query=query,
        top_k=hooks.items,
        budget=hooks.characters,
        categories=_INSTRUCTIVE if is_command else _EXTRACTED,
        settings={"abstainAt": hooks.abstain_at, "minFactScore": near, "topKEpisodes": 0},
        not_in_session=session.session_id,
        not_memories=session.shown,
        session_id=session.session_id,
        agent=session.host,
    )
    # a recall with a leg that is down does not abstain by itself
    is_unsure = found.doubt is not None and found.doubt >= hooks.abstain_at < 1
    return found if found.memories and not is_unsure else None


HOOK = Operation(
    "hook.event",
    """Take an event of an agent's program, and say what to print.

The program's hooks call it: a session begins, a prompt was typed, the agent stops, its context is cut, it ends.
""",
    HookInput,
    HookOutput,
    in_home(handle_event),
    "append",
    Surfaces("hooks event", http=("POST /v1/hooks/{host}",)),
    text=Text("hooks.hook_output_text"),
)
