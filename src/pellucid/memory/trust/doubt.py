"""The turns of a segment in, those that begin in quarantine out, each with the reason.

A person's own words are the person's, and an assistant's the assistant's; what counts is another voice in them: words
that give orders over the user's head, in a pasted or quoted part, cut in two, or repeated from a page that gives them.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from pellucid.language.hidden import undisguised
from pellucid.language.quoting.voices import foreign_and_own, quoted
from pellucid.memory.trust.concepts import addresses_in
from pellucid.memory.trust.injection import looks_injected, split_injections
from pellucid.model.turn import Role, Turn

_SPOKEN: tuple[Role, ...] = ("user", "assistant", "system")


def injected_turn(text: str) -> tuple[str, ...]:
    """The codes of the signs of injection in a turn's text, also in what it pastes or quotes; empty if it is plain."""
    parts = [foreign_and_own(text)[0], *quoted(text)]
    codes = [*looks_injected(text), *(code for part in parts if part for code in looks_injected(part, foreign=True))]
    return tuple(dict.fromkeys(codes))


def doubted_turns(turns: Sequence[Turn], asked: Collection[int] | None = None) -> dict[int, str]:
    """The turns of a segment that begin in quarantine, by index, each with the reason.

    With `asked` (indices), only these are examined, and others as far as these depend on them: most turns are said in
    passing, and where memories alone are kept nobody reads them again.
    """
    if asked is None or len(asked) == len(turns) or _repeat_an_address(turns, asked):
        out = _injected_turns(turns, range(len(turns)))
        return _turns_repeating_address(turns, out) | out
    return _injected_turns(turns, asked)


def _injected_turns(turns: Sequence[Turn], asked: Collection[int]) -> dict[int, str]:
    """The turns (by index) that read as an instruction to an assistant, alone or with a neighbour of the same role.

    With the reason of each; of those `asked`, and of their neighbours.
    """
    spoken = [number for number, turn in enumerate(turns) if turn.role in _SPOKEN]
    judged = ((number, injected_turn(turns[number].content)) for number in spoken if number in asked)
    out = {number: injection_reason(codes) for number, codes in judged if codes}
    for role in _SPOKEN:
        of_role = [number for number in spoken if turns[number].role == role]
        places = {at for at, number in enumerate(of_role) if number in asked}
        split = split_injections([turns[number].content for number in of_role], places)
        out |= {of_role[at]: "injection: it reads as an instruction together with the turn beside it" for at in split}
    return out


def _repeat_an_address(turns: Sequence[Turn], asked: Collection[int]) -> bool:
    """Whether an assistant's turn among those asked names an address that an earlier turn names, too."""
    for number in asked:
        named = addresses_in(undisguised(turns[number].content)) if turns[number].role == "assistant" else set[str]()
        if named and any(named & addresses_in(undisguised(turn.content)) for turn in turns[:number]):
            return True
    return False


def _turns_repeating_address(turns: Sequence[Turn], doubted: Mapping[int, str]) -> dict[int, str]:
    """The assistant's turns (by index) that name an address which only injected orders had named, with the reason.

    What tools printed is most of a session: it is looked at only for an address that a later turn repeats. `doubted`
    turns are left out, and what the user named is nobody's order.
    """

    @cache
    def named(number: int) -> set[str]:
        """The addresses in a turn."""
        return addresses_in(undisguised(turns[number].content))

    @cache
    def orders(number: int) -> bool:
        """Whether a turn gives injected orders."""
        return number in doubted or (turns[number].role == "tool" and bool(looks_injected(turns[number].content)))

    known = set[str]()
    out: dict[int, str] = {}
    for number, turn in enumerate(turns):
        if number in doubted or turn.role not in ("user", "assistant"):
            continue
        if turn.role == "user":
            known |= named(number)
        elif (fresh := named(number) - known) and any(
            (turns[before].role == "tool" or before in doubted) and fresh & named(before) and orders(before)
            for before in range(number)
        ):
            out[number] = "injection: it repeats an address from an injected instruction"
    return out


def injection_reason(codes: Sequence[str]) -> str:
    """The reason for quarantine that names these codes."""
    return f"injection: it reads as an instruction to an assistant ({', '.join(codes)})"
