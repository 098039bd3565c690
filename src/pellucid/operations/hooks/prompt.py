"""A prompt that somebody typed in, what memory has to say to it unasked out: a few memories, or nothing.

Whoever asks memory a question wants an answer; whoever types to an agent wants their work done. So less is shown here:
only what the person's own words look for, nothing that the session itself said, and nothing twice.
"""

from dataclasses import replace

from pellucid.app import App
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.noise import is_harness_text, plan_to_carry_out, request_alone, without_reminders
from pellucid.language.words import content_words
from pellucid.model.hooked import HookedSession
from pellucid.model.memory import CATEGORIES, Category
from pellucid.observe.prose import blocks, sentences
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL, RecallOutput
from pellucid.recall.query.gate import gate

_LEAST_WORDS = 2
"""Words that tell what is looked for: one alone fits too much."""
_LONGEST = 1_500
"""Characters of a prompt that are looked for: a person asks at its beginning, and pastes behind that."""
_TOLD = tuple(each for each in CATEGORIES if each != "moment")
"""What was extracted: a stretch of talk, word for word, is for whoever asks."""
_HOW: tuple[Category, ...] = ("rule", "preference", "principle", "procedure", "correction")
"""What a short command (`run the tests`) may want to know: how such things are done here, not that they were."""
_HOW_NEAR = 0.6
"""Cosine that such a memory has at least: of two or three words, one that is shared by chance weighs much."""


def looked_for(prompt: str) -> str:
    """What a prompt asks of memory, in the person's own words; nothing where it asks nothing."""
    own = without_own_output(request_alone(without_reminders(prompt)), CaptureReport())
    if is_harness_text(own) or own.lstrip().startswith("/"):
        return ""
    asked, length = list[str](), 0
    for sentence in (said for block in blocks(plan_to_carry_out(own) or own) for said in sentences(block.text)):
        length += len(sentence) + 1
        if length > _LONGEST:
            break
        asked.append(sentence)
    text = " ".join(asked)
    telling = {word for word in content_words(text) if not word.isdigit()}
    return text if len(telling) >= _LEAST_WORDS and gate(text).depth != "no_recall" else ""


def recalled(app: App, session: HookedSession, prompt: str) -> RecallOutput | None:
    """What memory says to a prompt; None where it is not asked, or does not know."""
    hooks, text = app.settings.hooks, looked_for(prompt)
    if not (text and hooks.items):
        return None
    is_command = gate(text).depth == "minimal"
    near = max(hooks.near, _HOW_NEAR) if is_command else hooks.near
    found = RECALL(
        Call.over(replace(app, surface="hook")),
        query=text,
        top_k=hooks.items,
        budget=hooks.characters,
        categories=_HOW if is_command else _TOLD,
        settings={"abstainAt": hooks.abstain_at, "minFactScore": near, "topKEpisodes": 0},
        not_in_session=session.session_id,
        not_memories=session.shown,
        session_id=session.session_id,
        agent=session.host,
    )
    unsure = found.doubt is not None and found.doubt >= hooks.abstain_at < 1  # a leg that is down abstains from nothing
    return found if found.memories and not unsure else None
