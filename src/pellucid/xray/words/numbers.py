"""Numbers and lists in, words out: a count with its noun, an ordinal such as `2nd`, parts joined by `and`."""

from collections.abc import Sequence


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: `1 memory`, `8,000 memories`; `plural` defaults to `singular` with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def ordinal(number: int) -> str:
    """Return a number as `1st`, `2nd`, `13th`."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def listed(parts: Sequence[str]) -> str:
    """Join the parts with commas and a last `and`: `a, b and c`; empty if there are no parts."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
