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
    """Return the option that a person's short reply picks, else the proposal that it agrees to, as a decision.

    `turn` is the reply; the words are those of the agent's turn before it, with the reply quoted behind. `yes, always`
    makes a preference (`_agreement`). None if it does neither, is not a person's or not short (no answer to
    `read_answer`), or if there is no turn before.
    """
    answer = read_answer(turn.context.turn.content) if turn.before and turn.part == "person" else None
    if turn.before is None or answer is None:
        return None
    offered = blocks(turn.before.turn.content)
    picked = _named_options(answer.undenied(), offered) or _named_options(answer.against, offered)
    return _told(picked, answer) if picked else _agreement(answer, offered, turn.context.language)


def _named_options(reply: str, offered: Sequence[ProseBlock]) -> str:
    """Return the texts of the options that a reply names by number or letter, in the order in which they were offered,
    joined by `; `; "" if none.

    `offered` are the blocks of the turn before, in which the options are found (`_options`).
    """
    marks = {(found["number"] or found["letter"]).upper() for found in _PICK.finditer(reply)}
    # `a` is also an article
    marks -= {"A"} if re.search(r"\ba [a-z]", reply) else set()
    return "; ".join(_option_text(offered, place) for mark, place in _options(offered).items() if mark in marks)


def without_offers(agent_blocks: Sequence[ProseBlock]) -> Sequence[ProseBlock]:
    """Return an agent's blocks without the options that it asks about (`Option A: …`), which hold only if chosen.

    All blocks if the last one does not end in a question mark, or if no option is called `Option`, `Variant` or the
    like.
    """
    asks = bool(agent_blocks) and closing_mark(agent_blocks[-1].text) in QUESTION_MARKS
    offers = {at for place in _options(agent_blocks).values() for at in place} if asks else set[int]()
    named = any((found := _ITEM_LETTER.match(agent_blocks[at].text)) and found["named"] for at in offers)
    return [block for at, block in enumerate(agent_blocks) if at not in offers] if named else agent_blocks


def is_in_choice(statement: str, choice: ObservedStatement, turn: WorkTurn) -> bool:
    """Whether a choice contains a statement of the agent's turn before `turn`, or decides about it.

    It decides about a statement in which there is an option of that turn, if the choice is marked as chosen (not as
    answered) and contains one of the options.
    """
    offered = blocks(turn.before.turn.content) if turn.before else ()
    options = [_option_text(offered, place) for place in _options(offered).values()]
    chosen = CHOSEN in choice.text and any(option in choice.text for option in options)
    return statement in choice.text or (chosen and any(option.rstrip(".;") in statement for option in options))


def _options(offered: Sequence[ProseBlock]) -> dict[str, range]:
    """Return a dict from the marks (`A`, `2`) of the options offered to the ranges of their blocks' positions; `{}` if
    none.

    Options are the blocks that begin with a mark (`Option A`, `B)`) if they have two different marks or more; if
    several have the same mark, the last of them counts. Otherwise they are the items of the last numbered list.
    """
    named = {found["mark"].upper(): at for at, block in enumerate(offered) if (found := _ITEM_LETTER.match(block.text))}
    starts = named if len(named) > 1 else _numbered_options(offered)
    ends = sorted(starts.values())
    return {
        mark: range(at, next((end for end in ends if end > at), _end_of_option(offered, at)))
        for mark, at in starts.items()
    }


def _numbered_options(offered: Sequence[ProseBlock]) -> dict[str, int]:
    """Return a dict from the number, as text, of each item of the last numbered list to the position of its block in
    `offered`; `{}` if no numbered list has two items.

    Other text can stand between items whose numbers follow each other. If the items do not all have distinct numbers,
    they are counted from 1.
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
    """Return the position after the last block of an option that no other option follows; `at` is that of its first
    block.

    To it belong the block that it announces by a colon, and the bullets and labels (`Pros:`) that follow.
    """
    end = at + 1 + (offered[at].text.endswith(_ANNOUNCES) and at + 1 < len(offered))
    while end < len(offered) and (offered[end].marker == "bullet" or _LABEL.match(offered[end].text)):
        end += 1
    return end


def _option_text(offered: Sequence[ProseBlock], place: range) -> str:
    """Return the text of an option: its first block and, if that ends in a colon, the others behind it, joined by `; `.

    `place` are the positions of its blocks.
    """
    first, *others = (offered[at].text for at in place)
    return f"{first} {'; '.join(others)}" if first.endswith(_ANNOUNCES) and others else first


def _agreement(answer: Answer, offered: Sequence[ProseBlock], language: Language) -> ObservedStatement | None:
    """Return what a reply agrees to, as a statement; None if it does not begin with a yes, or agrees to nothing that
    lasts.

    That is what the last two sentences of the turn before (`offered`) ask, said as a statement; None if it is only the
    next step (`_settles`). If they ask nothing, name nothing (`Shall I?`) or have a pronoun that points elsewhere, it
    is the proposal in the three sentences before. With up to three words that make it last (`yes, always`), what is
    asked is a preference, even a step. None, too, if a list item asks last: a yes picks nothing from a menu.
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
    """Return the statement that an answer makes of a text: `text (chosen: “answer”)`, the text cut after 420
    characters.

    `(answered: …)` instead if the answer restricts what it agrees to (`is_qualified`).
    """
    mark = ANSWERED if answer.is_qualified else CHOSEN
    return ObservedStatement(f"{shortened(text, _LONGEST)} {mark}“{answer.quote}”)", category, 0.9)


def _is_offer(sentence: str, language: Language) -> bool:
    """Whether a sentence of an agent asks, or offers something without asking: `Tell me if you want me to …`."""
    return closing_mark(sentence) in QUESTION_MARKS or bool(language.noise.offer.match(sentence))


def _settles(question: str, offer: str) -> bool:
    """Whether a yes to a question settles how something shall be, and not only the agent's next step.

    `offer` is the question as a statement. Either must have a durability (the probability of being worth keeping, each
    by its own table) of at least 0.5 (`SETTLES`).
    """
    return (
        load_table().read(offer, by_user=True).durable >= SETTLES
        or load_table("questions").read(question, by_user=False).durable >= SETTLES
    )


def _proposal(spoken: Sequence[str], *, asks: bool) -> str:
    """Return the last of an agent's sentences that recommends something, else the last that says how something shall
    be.

    Empty if there is none. Sentences with a durability (the probability of being worth keeping) under 0.4, and those
    that end in a colon or question mark, do not count. If none recommends, `asks` must be set, since an `ok` to an
    agent that asked nothing only says that it was read; and what is rather a fact or a finding proposes nothing.
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
