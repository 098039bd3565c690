"""A person's short reply to an agent in, what it decides out: `2` is the second of the options that were offered.

The words of a choice stand in the turn before. What is kept is what was chosen, with the reply as its evidence.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.observe.extract.durability import load_table
from pellucid.observe.extract.statements import ObservedStatement
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.work.parts import Spoken

SHORTEST_PROPOSAL = 0.4
"""The chance of being worth keeping that a proposal needs: agreeing to `Shall I commit?` decides nothing that lasts."""
_LONGEST_REPLY = 80
_PICK = re.compile(r"(?<![\w.])(?:[#(]?(?P<number>\d{1,2})|(?P<letter>[A-Ha-h]))(?=[).:,\s]|$)")
_ITEM_LETTER = re.compile(
    r"^\W{0,4}(?:[Oo]ption|[Vv]ariant|[Aa]pproach|Weg|Opción)?\s?\(?(?P<mark>[A-H]|\d{1,2})\b[).:\-–—\s]"
)
_ASSENT = re.compile(
    r"^\W*(?:y|ya|yes|yep|yeah|yup|ok|okay|sure|agreed?|sounds good|go ahead"
    r"|(?:let'?s )?do (?:it|that|this)|ja|genau|passt|gut|sí|si|vale|oui|d'accord|sim"
    r"|да|はい|好的?|是的?|对|可以|行|네|예)(?![\w'])",
    re.IGNORECASE,
)
_RECOMMENDED = re.compile(r"\brecommend|\bsuggest|\bpropos|\bempfehl|\brecomiend|おすすめ|推荐|建议", re.IGNORECASE)
_OFFERS_NOTHING = (":", "：", *QUESTION_MARKS)
_LONGEST = 420
_NEAR = 4
"""Sentences before the end of a turn in which a proposal stands."""


def replied(spoken: Spoken) -> ObservedStatement | None:
    """What a short reply chooses or agrees to; None where it does neither, or nothing that lasts was offered."""
    told = sentences(" ".join(spoken.hearing.turn.content.split()))
    if spoken.before is None or spoken.part != "person" or not told or len(told[0]) > _LONGEST_REPLY:
        return None
    reply, offered = told[0].rstrip(" .!,"), blocks(spoken.before.turn.content)
    picked = _picked_options(reply, offered)
    if not picked and _ASSENT.match(reply):
        picked = _proposal(offered)
    return ObservedStatement(f"{picked[:_LONGEST]} (chosen: “{reply}”)", "decision", 0.9, 0.0, 0) if picked else None


def _picked_options(reply: str, offered: Sequence[ProseBlock]) -> str:
    """The options that the reply names, where it names any of the last list of them."""
    marks = {(found["number"] or found["letter"]).upper() for found in _PICK.finditer(reply)}
    marks -= {"A"} if re.search(r"\ba [a-z]", reply) else set()
    options = _offered_options(offered)
    return "; ".join(options[mark] for mark in options if mark in marks)


def _offered_options(offered: Sequence[ProseBlock]) -> dict[str, str]:
    """The last list of options by its marks: numbered items, or lines that name themselves `Option B`."""
    last: dict[str, str] = {}
    named: dict[str, str] = {}
    for ordered, run in groupby(offered, key=lambda block: block.marker == "ordered"):
        lines = [block.text for block in run]
        if ordered and len(lines) > 1:
            last = {str(number): text for number, text in enumerate(lines, start=1)}
        for text in lines:
            if found := _ITEM_LETTER.match(text):
                named[found["mark"].upper()] = text
    return last | named if len(named) > 1 else last


def _proposal(offered: Sequence[ProseBlock]) -> str:
    """What was agreed to: the last sentence that recommends, or the one the closing question is about.

    A turn that neither recommends nor asks offers nothing: an `ok` to it only says that it was read.
    """
    spoken = [sentence for block in offered for sentence in sentences(block.text)]
    asks = bool(spoken) and closing_mark(spoken[-1]) in QUESTION_MARKS
    table, rated = load_table(), list[tuple[float, int, str]]()
    for at, sentence in enumerate(spoken[-_NEAR:]):
        recommends = bool(_RECOMMENDED.search(sentence))
        chance = table.read(sentence, by_user=False).durable
        if chance >= SHORTEST_PROPOSAL and (recommends or asks) and closing_mark(sentence) not in _OFFERS_NOTHING:
            rated.append((chance + recommends, at, sentence))
    return max(rated)[2].rstrip(" .") if rated else ""
