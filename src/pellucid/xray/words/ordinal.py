"""A number in, its place in words out."""


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `13th`."""
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
