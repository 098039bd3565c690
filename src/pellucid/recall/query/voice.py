"""A query in, whether it asks for what the asker said out: `where did I park`, not `what did you recommend to me`."""

import re
from itertools import pairwise

from pellucid.language import lexicon
from pellucid.language.contractions import CLITIC
from pellucid.language.words import function_words
from pellucid.recall.query.tasks import starts_task

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.?!;:]")
_SELVES = ("i", "ich", "yo", "je")
_CLITIC = re.compile(f"{CLITIC}$")
_OBJECTS = frozenset(("me", "mir", "mich", "moi"))
_IF = frozenset(("if", "unless", "whenever", "wenn", "falls", "si"))
_ASKING = frozenset(("you", "please", "and", "to", "du", "bitte"))
"""What stands before a verb that asks: `can you tell me`, `please tell me`."""
_YOU = frozenset(("you", "you'd", "you've"))
_DONE = frozenset(("did", "have", "had", "were", "was"))
_OTHERS_WORDS = """
    your yours assistant agent bot chatbot conversation conversations chat chats dein deine deinen hast gespräch
    asistente tu dijiste conversación assistent as-tu
"""
_OTHERS = frozenset(_OTHERS_WORDS.split())
"""Words of the other side, or of a talk, which is of both."""
_EAST, _EAST_OTHER = re.compile("[我私僕俺]"), re.compile("你|您|あなた|助手|アシスタント")


def asks_own(text: str) -> bool:
    """Whether a question is about the one who asks, and not about what the other side said or did, nor for a way.

    `If I …` supposes; who says `tell me …` or `how do I …` wants help, and may ask for anything.
    """
    if starts_task(text):
        return False
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    lowered = [word.lower() for word in words]
    if _EAST_OTHER.search(text) or not _OTHERS.isdisjoint(lowered) or _tells_of_you(lowered):
        return False
    return bool(_EAST.search(text)) or any(_is_self(words, lowered, at) for at in range(len(words)))


def _tells_of_you(words: list[str]) -> bool:
    """Whether `you` did something: before it stands `did`, or behind it a verb in the past."""
    past = lexicon.words("past")
    plain = [word for word in words if not word.endswith("ly")]
    return any(
        (word in _YOU and (after in _DONE or after in past or after.endswith("ed")))
        or (word in _DONE and after in _YOU)
        for word, after in pairwise(plain)
    )


def _is_self(words: list[str], lowered: list[str], at: int) -> bool:
    """Whether a word means the asker: it is no numeral (`Phase I`), supposes nothing, and is not whom to tell."""
    word, before = lowered[at], lowered[at - 1] if at else ""
    if word == "i":
        numeral = words[at] == "I" and before and words[at - 1][0].isupper() and before not in function_words()
        return not numeral and before not in _IF
    if word in _OBJECTS:
        return at > 1 and lowered[at - 2].isalpha() and lowered[at - 2] not in _ASKING
    return _CLITIC.sub("", word) in lexicon.persons(*_SELVES)
