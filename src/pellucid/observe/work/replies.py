"""A person's short reply to an agent in, the choice it makes out: `2` is the second of the offered options.

The words of a choice are in the turn before. The statement has the chosen words, and the reply as its evidence. What a
reply qualifies (`yes, but 2 …`) is told as answered, not as chosen, with all that was held against it.
"""

import re
from collections.abc import Sequence

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.model.memory import Category
from pellucid.observe.extract.classify import classify
from pellucid.observe.extract.durability import load_table
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.referents import solid_words
from pellucid.observe.extract.statements import ObservedStatement, is_unresolved
from pellucid.observe.language import Language
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.work.answering import Answer, read_answer, shortened
from pellucid.observe.work.parts import WorkTurn
from pellucid.observe.work.records import SETTLES

MIN_PROPOSAL = 0.4
"""The durability from which a sentence before a bare `Shall I?` counts as what was proposed."""
CHOSEN = "(chosen: "
ANSWERED = "(answered: "
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
_LAST = 2
"""Sentences at the end of a turn that are searched for its last question."""
_NEAR = 3
"""Sentences before that question, or at the end of a turn without one, that are searched for a proposal."""
_LONGEST_REST = 3
"""Words after a `yes` that can make it hold always: `yes, from now on`."""
_TELLING = ("fact", "finding")


def choice_in_reply(turn: WorkTurn) -> ObservedStatement | None:
    """Return the option that a short reply picks, or the proposal it agrees to, as a decision; None if neither.

    `turn` is the reply; the agent's turn before it has the words. `yes always` makes a preference.
    """
    answer = read_answer(turn.context.turn.content) if turn.before and turn.part == "person" else None
    if turn.before is None or answer is None:
        return None
    offered = blocks(turn.before.turn.content)
    picked = _named_options(answer.undenied(), offered) or _named_options(answer.against, offered)
    return _told(picked, answer) if picked else _agreement(answer, offered, turn.context.language)


def _named_options(reply: str, offered: Sequence[ProseBlock]) -> str:
    """Return the texts of the options that a reply names by number or letter, joined by `; `; empty if none.

    `offered` are the blocks of the turn before.
    """
    marks = {(found["number"] or found["letter"]).upper() for found in _PICK.finditer(reply)}
    # `a` is also an article
    marks -= {"A"} if re.search(r"\ba [a-z]", reply) else set()
    return "; ".join(_option_text(offered, place) for mark, place in _options(offered).items() if mark in marks)


def without_offers(agent_blocks: Sequence[ProseBlock]) -> Sequence[ProseBlock]:
    """Return an agent's blocks without the named options (`Option A`) it asks about, which hold only if chosen.

    All blocks if it asks nothing at the end, or if the options are not named so.
    """
    asks = bool(agent_blocks) and closing_mark(agent_blocks[-1].text) in QUESTION_MARKS
    offers = {at for place in _options(agent_blocks).values() for at in place} if asks else set[int]()
    named = any((found := _ITEM_LETTER.match(agent_blocks[at].text)) and found["named"] for at in offers)
    return [block for at, block in enumerate(agent_blocks) if at not in offers] if named else agent_blocks


def is_in_choice(statement: str, choice: ObservedStatement, turn: WorkTurn) -> bool:
    """Whether a statement of the turn before is one of the options of the choice, or part of the chosen text."""
    offered = blocks(turn.before.turn.content) if turn.before else ()
    options = [_option_text(offered, place) for place in _options(offered).values()]
    chosen = CHOSEN in choice.text and any(option in choice.text for option in options)
    return statement in choice.text or (chosen and any(option.rstrip(".;") in statement for option in options))


def _options(offered: Sequence[ProseBlock]) -> dict[str, range]:
    """Return the last list of options: maps the mark of each (`A`, `2`) to its blocks' positions; `{}` if none."""
    named = {found["mark"].upper(): at for at, block in enumerate(offered) if (found := _ITEM_LETTER.match(block.text))}
    starts = named if len(named) > 1 else _numbered_options(offered)
    ends = sorted(starts.values())
    return {
        mark: range(at, next((end for end in ends if end > at), _end_of_option(offered, at)))
        for mark, at in starts.items()
    }


def _numbered_options(offered: Sequence[ProseBlock]) -> dict[str, int]:
    """Return the items of the last numbered list: maps the number of each to the position where it begins.

    Other text can stand between items; items without distinct numbers are counted from 1.
    """
    run, last = list[int](), list[int]()
    for at, block in enumerate(offered):
        if block.marker == "ordered":
            before = offered[run[-1]].number if run else None
            goes_on = run and (run[-1] == at - 1 or (before is not None and block.number == before + 1))
            run = [*run, at] if goes_on else [at]
            last = run if len(run) > 1 else last
    numbers = [offered[at].number for at in last]
    # Markdown allows `1.` before every item
    if None in numbers or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(last) + 1))
    return {str(number): at for number, at in zip(numbers, last, strict=True)}


def _end_of_option(offered: Sequence[ProseBlock], at: int) -> int:
    """Return the position after the last option, with the lists below it (`Pros:`) and the line it announces.

    `at` is the position of the option's first block.
    """
    end = at + 1 + (offered[at].text.endswith(_ANNOUNCES) and at + 1 < len(offered))
    while end < len(offered) and (offered[end].marker == "bullet" or _LABEL.match(offered[end].text)):
        end += 1
    return end


def _option_text(offered: Sequence[ProseBlock], place: range) -> str:
    """Return the text of an option's first block and, if that ends in a colon, of the others, joined by `; `.

    `place` are the positions of its blocks.
    """
    first, *others = (offered[at].text for at in place)
    return f"{first} {'; '.join(others)}" if first.endswith(_ANNOUNCES) and others else first


def _agreement(answer: Answer, offered: Sequence[ProseBlock], language: Language) -> ObservedStatement | None:
    """Return what a reply agrees to, as a statement; None if it agrees to nothing that lasts.

    That is what the turn before (`offered`) asks last, said as a statement; if that names nothing (`Shall I?`), the
    proposal before the question. With `yes always` it is a preference even if it is an order of the moment. A list
    that asks in its last item is a menu, from which a yes picks nothing.
    """
    assent = _ASSENT.match(answer.assent)
    if not assent or not offered or (offered[-1].marker != "none" and _is_offer(offered[-1].text, language)):
        return None
    spoken = [sentence for block in offered for sentence in sentences(block.text)]
    asked = next((each for each in reversed(spoken[-_LAST:]) if _is_offer(each, language)), "")
    offer = polish(language.noise.offer.sub("", asked).rstrip("".join((" ", *QUESTION_MARKS))), language)
    rest = answer.assent[assent.end() :].strip(" ,.!")
    standing = f"{rest} {offer[:1].lower()}{offer[1:]}"
    if offer and rest and len(rest.split()) <= _LONGEST_REST and classify(standing, language):
        return _told(polish(standing, language), answer, "preference")
    names = solid_words(offer, language) > 1
    if names and not is_unresolved(offer, language):
        return _told(offer, answer) if _settles(asked, offer) else None
    before = spoken[: spoken.index(asked)] if asked else spoken
    proposal = _proposal(before[-_NEAR:], asks=bool(asked) and not names)
    return _told(proposal, answer) if proposal else None


def _told(text: str, answer: Answer, category: Category = "decision") -> ObservedStatement:
    """Return the statement that an answer made of a text: chosen, or only answered if the answer qualifies it."""
    mark = ANSWERED if answer.is_qualified else CHOSEN
    return ObservedStatement(f"{shortened(text, _LONGEST)} {mark}“{answer.quote}”)", category, 0.9)


def _is_offer(sentence: str, language: Language) -> bool:
    """Whether a sentence of an agent asks, or offers something without asking: `Tell me if you want me to …`."""
    return closing_mark(sentence) in QUESTION_MARKS or bool(language.noise.offer.match(sentence))


def _settles(question: str, offer: str) -> bool:
    """Whether a yes to a question settles how something shall be, and not the next step alone.

    `offer` is the question as a statement. One of the two heads has to read it so.
    """
    return (
        load_table().read(offer, by_user=True).durable >= SETTLES
        or load_table("questions").read(question, by_user=False).durable >= SETTLES
    )


def _proposal(spoken: Sequence[str], *, asks: bool) -> str:
    """Return the last of an agent's sentences that recommends, else the last that says how something shall be.

    Empty if there is none. What is more likely than not a fact or a finding proposes nothing. An agent that neither
    recommends nor asks (`asks`) proposes nothing either: an `ok` to it only says that it was read.
    """
    table, rated = load_table(), list[tuple[bool, int, str]]()
    for at, sentence in enumerate(spoken):
        recommends, reading = bool(_RECOMMENDED.search(sentence)), table.read(sentence, by_user=False)
        tells = reading.kind in _TELLING and reading.of_kind >= SETTLES
        if reading.durable < MIN_PROPOSAL or closing_mark(sentence) in _OFFERS_NOTHING:
            continue
        if recommends or (asks and not tells):
            rated.append((recommends, at, sentence))
    return max(rated)[2].rstrip(" .") if rated else ""
