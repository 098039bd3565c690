"""A number in, how many there are of something or its place in a row out, in words."""


def counted(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `8,000 memories`; `many` is `one` with an s, unless it is said."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `13th`."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
