"""A person's short reply to an agent in, the choice it makes out: `2` is the second of the options that were offered.

The words of a choice are in the turn before. What is kept is what was chosen, with the reply as its evidence.
"""

import re
from collections.abc import Sequence

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.observe.extract.durability import load_table
from pellucid.observe.extract.statements import ObservedStatement
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.work.parts import WorkTurn

LEAST_PROPOSAL = 0.4
"""The durability that a proposal needs: agreeing to `Shall I commit?` decides nothing that lasts."""
_LONGEST_REPLY = 80
_PICK = re.compile(r"(?<![\w.])(?:[#(]?(?P<number>\d{1,2})|(?P<letter>[A-Ha-h]))(?=[).:,\s]|$)")
_ITEM_LETTER = re.compile(
    r"^\W{0,4}(?P<named>[Oo]ption|[Vv]ariant|[Aa]pproach|Weg|Opción)?\s?\(?(?P<mark>[A-H]|\d{1,2})\b[).:\-–—\s]"
)
_ASSENT = re.compile(
    r"^\W*(?:y|ya|yes|yep|yeah|yup|ok|okay|sure|agreed?|sounds good|go ahead"
    r"|(?:let'?s )?do (?:it|that|this)|ja|genau|passt|gut|sí|si|vale|oui|d'accord|sim"
    r"|да|はい|好的?|是的?|对|可以|行|네|예)(?![\w'])",
    re.IGNORECASE,
)
_RECOMMENDED = re.compile(r"\brecommend|\bsuggest|\bpropos|\bempfehl|\brecomiend|おすすめ|推荐|建议", re.IGNORECASE)
_ANNOUNCES = (":", "：")
_OFFERS_NOTHING = (*_ANNOUNCES, *QUESTION_MARKS)
_LABEL = re.compile(r"[^\s:：]{2,20}[:：]$")
_LONGEST = 420
_NEAR = 4
"""Sentences before the end of a turn in which a proposal stands."""


def choice_in_reply(turn: WorkTurn) -> ObservedStatement | None:
    """The option that a short reply picks, or the proposal it agrees to; None if neither, or nothing will last."""
    spoken = sentences(" ".join(turn.context.turn.content.split()))
    if turn.before is None or turn.part != "person" or not spoken or len(spoken[0]) > _LONGEST_REPLY:
        return None
    reply, offered = spoken[0].rstrip(" .!,"), blocks(turn.before.turn.content)
    picked = _picked_options(reply, offered)
    if not picked and _ASSENT.match(reply):
        picked = _proposal(offered)
    return ObservedStatement(f"{picked[:_LONGEST]} (chosen: “{reply}”)", "decision", 0.9, 0.0, 0) if picked else None


def _picked_options(reply: str, offered: Sequence[ProseBlock]) -> str:
    """The texts of the options that a reply names by number or letter, joined by `; `; empty if it names none."""
    marks = {(found["number"] or found["letter"]).upper() for found in _PICK.finditer(reply)}
    marks -= {"A"} if re.search(r"\ba [a-z]", reply) else set()
    return "; ".join(_option_text(offered, place) for mark, place in _options(offered).items() if mark in marks)


def without_offers(spoken: Sequence[ProseBlock]) -> Sequence[ProseBlock]:
    """An agent's blocks without the named options (`Option A`) it asks about: none of them holds before one is chosen.

    All blocks if it asks nothing at the end, or the options are not named so.
    """
    asks = bool(spoken) and closing_mark(spoken[-1].text) in QUESTION_MARKS
    offers = {at for place in _options(spoken).values() for at in place} if asks else set[int]()
    named = any((found := _ITEM_LETTER.match(spoken[at].text)) and found["named"] for at in offers)
    return [block for at, block in enumerate(spoken) if at not in offers] if named else spoken


def is_in_choice(statement: str, choice: ObservedStatement, turn: WorkTurn) -> bool:
    """Whether a statement of the turn before is one of the options of the choice, or a part of what was chosen."""
    offered = blocks(turn.before.turn.content) if turn.before else ()
    options = [_option_text(offered, place) for place in _options(offered).values()]
    chosen = any(option in choice.text for option in options)
    return statement in choice.text or (chosen and any(option.rstrip(".;") in statement for option in options))


def _options(offered: Sequence[ProseBlock]) -> dict[str, range]:
    """The last list of options: by mark (`A`, `2`) the positions of the blocks that make up each; `{}` for none."""
    named = {found["mark"].upper(): at for at, block in enumerate(offered) if (found := _ITEM_LETTER.match(block.text))}
    starts = named if len(named) > 1 else _numbered_options(offered)
    ends = sorted(starts.values())
    return {
        mark: range(at, next((end for end in ends if end > at), _end_of_option(offered, at)))
        for mark, at in starts.items()
    }


def _numbered_options(offered: Sequence[ProseBlock]) -> dict[str, int]:
    """The positions where the items of the last numbered list begin, by number; text may stand between items."""
    run, last = list[int](), list[int]()
    for at, block in enumerate(offered):
        if block.marker == "ordered":
            before = offered[run[-1]].number if run else None
            goes_on = run and (run[-1] == at - 1 or (before is not None and block.number == before + 1))
            run = [*run, at] if goes_on else [at]
            last = run if len(run) > 1 else last
    numbers = [offered[at].number for at in last]
    if None in numbers or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(last) + 1))
    return {str(number): at for number, at in zip(numbers, last, strict=True)}


def _end_of_option(offered: Sequence[ProseBlock], at: int) -> int:
    """The position behind an option that no other follows, with the lists below it (`Pros:`) and the line it
    announces."""
    end = at + 1 + (offered[at].text.endswith(_ANNOUNCES) and at + 1 < len(offered))
    while end < len(offered) and (offered[end].marker == "bullet" or _LABEL.match(offered[end].text)):
        end += 1
    return end


def _option_text(offered: Sequence[ProseBlock], place: range) -> str:
    """The text of an option's blocks at `place`: the first, and if it ends in a colon the others, joined by `; `."""
    first, *others = (offered[at].text for at in place)
    return f"{first} {'; '.join(others)}" if first.endswith(_ANNOUNCES) and others else first


def _proposal(offered: Sequence[ProseBlock]) -> str:
    """What was agreed to: the last sentence that recommends, else the last before the closing question; or empty.

    A turn that neither recommends nor asks proposes nothing: an `ok` to it only says that it was read.
    """
    spoken = [sentence for block in offered for sentence in sentences(block.text)]
    asks = bool(spoken) and closing_mark(spoken[-1]) in QUESTION_MARKS
    table, rated = load_table(), list[tuple[bool, int, str]]()
    for at, sentence in enumerate(spoken[-_NEAR:]):
        recommends = bool(_RECOMMENDED.search(sentence))
        chance = table.read(sentence, by_user=False).durable
        if chance >= LEAST_PROPOSAL and (recommends or asks) and closing_mark(sentence) not in _OFFERS_NOTHING:
            rated.append((recommends, at, sentence))
    return max(rated)[2].rstrip(" .") if rated else ""
