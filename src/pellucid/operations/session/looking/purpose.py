"""A session's passages in, the request that the session was for out: that of the longest-lived topic."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from pellucid.language.inflection import base_form
from pellucid.language.quoting.voices import foreign_and_own
from pellucid.language.substance import FEWEST_WORDS
from pellucid.language.words import content_words
from pellucid.model.memory import Memory
from pellucid.operations.session.looking.sessions import last_turn

ASKING = ("user_input", "pasted")
"""The sources of passages in which a user speaks."""
_SHARED = 2
"""The number of content words from which two requests are about one topic."""
_SHARE = 5
"""A request is passed over if less than one part of so many of the longest topic's turns is about it."""


def main_request(turns: Sequence[Memory]) -> tuple[Memory, str] | None:
    """Return the passage of the request that a session was for, and the user's own words in it; None if no user spoke.

    `turns` are all passages of the session in order. Each request with at least `FEWEST_WORDS` (3) content words begins
    a stretch of turns, those of tools too, that ends before the next such request. The stretches of requests about one
    topic (`_is_one_topic`) count together; meant is the first request whose topic has at least a fifth of the turns
    that the longest topic has. A shorter request, `yes` or `fix it`, belongs to the stretch before; if all are short,
    the first is meant.
    """
    spoken = [(each, words) for each in turns if each.source_class in ASKING and (words := own_words(each))]
    requests = [list(passages) for _, passages in groupby(spoken, key=lambda each: last_turn(each[0]))]
    topics = [_topic(words for _, words in passages) for passages in requests]
    wordy = [at for at, topic in enumerate(topics) if len(topic) >= FEWEST_WORDS]
    if not wordy:
        return spoken[0] if spoken else None
    starts = [*(last_turn(requests[at][0][0]) for at in wordy), last_turn(turns[-1]) + 1]
    work = {at: following - start for at, (start, following) in zip(wordy, pairwise(starts), strict=True)}
    lives = {at: sum(work[other] for other in wordy if _is_one_topic(topics[at], topics[other])) for at in wordy}
    longest = max(lives.values())
    return requests[next(at for at in wordy if lives[at] * _SHARE >= longest)][0]


def own_words(turn: Memory) -> str:
    """Return a user's own words in a passage, "" if there are none; only their first paragraph if the passage's source
    is `pasted`."""
    own = foreign_and_own(turn.content)[1].strip()
    return own.partition("\n\n")[0] if turn.source_class == "pasted" else own


def _topic(passages: Iterable[str]) -> frozenset[str]:
    """Return the base forms of the content words of a request's passages."""
    return frozenset(base_form(word) for words in passages for word in content_words(words))


def _is_one_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two requests, given by their topics, are the same request or share at least two words."""
    return one is other or len(one & other) >= _SHARED
