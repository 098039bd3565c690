"""A number in, how many there are of something or an ordinal (`2nd`) out, in words; several words as a list."""

from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 memory`, `8,000 memories`; `many` is the plural, if not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def ordinal(number: int) -> str:
    """A number as `1st`, `2nd`, `13th`."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def listed(parts: Sequence[str]) -> str:
    """The parts joined by commas and a last `and`; empty for none."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
