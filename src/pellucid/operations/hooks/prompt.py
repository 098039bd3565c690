"""A prompt that somebody typed in, what memory has to say to it unasked out: a few memories, or nothing.

Whoever asks memory a question wants an answer; whoever types to an agent wants their work done. So less is shown here:
only what the person's own words look for, nothing that the session itself said, and nothing twice.
"""

from dataclasses import replace

from pellucid.app import App
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.noise import accepted_plan, is_harness_text, without_open_files, without_reminders
from pellucid.language.words import content_words
from pellucid.model.hooked import HookedSession
from pellucid.model.memory import CATEGORIES, Category
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL, RecallOutput
from pellucid.recall.query.gate import gate

_LEAST_WORDS = 2
"""Content words that a query needs: one alone fits too much."""
_LONGEST = 1_500
"""Characters of a prompt that are looked for: a person asks at its beginning, and pastes behind that."""
_EXTRACTED = tuple(each for each in CATEGORIES if each != "moment")
"""All categories but passages: a stretch of talk, word for word, is for whoever asks."""
_INSTRUCTIVE: tuple[Category, ...] = ("rule", "preference", "principle", "procedure", "correction")
"""What a short command (`run the tests`) may want to know: how such things are done here, not that they were."""
_COMMAND_NEAR = 0.6
"""Least cosine of a memory to a command: of two or three words, one that is shared by chance weighs much."""


def query_of_prompt(prompt: str) -> str:
    """Return the part of a prompt to recall by: whole sentences of the user's own from its start, up to a length; ""
    where it asks memory nothing, as commands, a program's own texts and a few words do."""
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
    """Recall what fits a prompt; None where it asks memory nothing, no items are wanted, nothing is found, or the
    answer is in doubt."""
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
    unsure = found.doubt is not None and found.doubt >= hooks.abstain_at < 1  # a leg that is down abstains from nothing
    return found if found.memories and not unsure else None
