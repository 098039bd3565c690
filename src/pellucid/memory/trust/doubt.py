"""The turns of a segment in, those with words that begin in quarantine out, each with which.

A person's or assistant's own words are trusted; doubt comes from another voice in them: words that give orders over the
user's head, in a pasted or quoted part, cut in two, or repeated from a page that gives such orders.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from pellucid.language.hidden import undisguised
from pellucid.memory.trust.concepts import addresses_in
from pellucid.memory.trust.injection import looks_injected, split_injections
from pellucid.memory.trust.scope import Doubt, doubt_of, injected_turn
from pellucid.model.turn import Role, Turn

_SPOKEN: tuple[Role, ...] = ("user", "assistant", "system")


def doubted_turns(turns: Sequence[Turn], examined: Collection[int] | None = None) -> dict[int, Doubt]:
    """Map the index of each turn of a segment whose words, all or some, begin in quarantine to its doubt: which words.

    With `examined` (indices), only these turns and their neighbours are checked, unless an assistant's among them
    repeats an address of an earlier turn: then all are. Where only memories are kept, most turns are not read again.
    """
    if examined is None or len(examined) == len(turns) or _repeat_an_address(turns, examined):
        out = _injected_turns(turns, range(len(turns)))
        return _turns_repeating_address(turns, out) | out
    return _injected_turns(turns, examined)


def _injected_turns(turns: Sequence[Turn], examined: Collection[int]) -> dict[int, Doubt]:
    """Return the spoken turns that read as an instruction to an assistant, alone (doubted as `doubt_of` says) or only
    together with neighbours of the same role, all of which are then doubted as a whole.

    Maps their indices to the doubt. Only the `examined` turns and their neighbours are checked.
    """
    spoken = [number for number, turn in enumerate(turns) if turn.role in _SPOKEN]
    out: dict[int, Doubt] = {}
    for number in (each for each in spoken if each in examined):
        if injected_turn(turns[number].content, of_agent=turns[number].role == "assistant"):
            out[number] = doubt_of(turns[number])
    for role in _SPOKEN:
        of_role = [number for number in spoken if turns[number].role == role]
        places = {at for at, number in enumerate(of_role) if number in examined}
        split = split_injections([turns[number].content for number in of_role], places)
        out |= {of_role[at]: Doubt() for at in split}
    return out


def _repeat_an_address(turns: Sequence[Turn], examined: Collection[int]) -> bool:
    """Whether an assistant's turn among those examined names an address that an earlier turn names, too."""
    for number in examined:
        named = addresses_in(undisguised(turns[number].content)) if turns[number].role == "assistant" else set[str]()
        if named and any(named & addresses_in(undisguised(turn.content)) for turn in turns[:number]):
            return True
    return False


def _turns_repeating_address(turns: Sequence[Turn], doubted: Mapping[int, Doubt]) -> dict[int, Doubt]:
    """Map the index of each assistant's turn that names an address which injected orders named before, and which the
    user did not name before outside of doubted words, to its doubt, which is of the whole turn.

    Tool outputs, most of a session, are checked for orders only if a later turn repeats an address in them. Turns that
    `doubted` (index to doubt) has as doubted as a whole are left out.
    """

    @cache
    def named(number: int) -> set[str]:
        """Return the addresses in a turn."""
        return addresses_in(undisguised(turns[number].content))

    @cache
    def named_in_orders(number: int) -> set[str]:
        """Return the addresses in the doubted words of a turn; in all of it if all of it, or nothing, is doubted."""
        doubt = doubted.get(number)
        return named(number) if doubt is None or doubt.is_whole else addresses_in(undisguised(doubt.words))

    @cache
    def orders(number: int) -> bool:
        """Whether the turn at this index of `turns` gives injected orders: it is doubted, or a tool's output that reads
        so."""
        return number in doubted or (turns[number].role == "tool" and bool(looks_injected(turns[number].content)))

    trusted_addresses = set[str]()
    out: dict[int, Doubt] = {}
    for number, turn in enumerate(turns):
        if turn.role not in ("user", "assistant") or (number in doubted and doubted[number].is_whole):
            continue
        if turn.role == "user":
            trusted_addresses |= named(number) - (named_in_orders(number) if number in doubted else set())
        elif (new_addresses := named(number) - trusted_addresses) and any(
            (turns[before].role == "tool" or before in doubted)
            and new_addresses & named_in_orders(before)
            and orders(before)
            for before in range(number)
        ):
            out[number] = Doubt()
    return out
