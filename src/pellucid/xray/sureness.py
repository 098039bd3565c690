"""How much a recall doubts its answer in, the same in plain words out."""

UNSURE_FROM = 0.5
"""Doubt from which a recall says that it is not sure; docs/context.md has what was measured."""
SURE_BELOW = 0.3


def sureness(doubt: float, threshold: float) -> str:
    """`fairly sure (doubt 0.34)`; from `threshold` (`recall.abstainAt`) on a recall answers that it does not know."""
    if doubt >= threshold:
        return (
            f"not known: nothing here is near enough to be an answer (doubt {doubt:.2f}, the line is {threshold:.2f})"
        )
    if doubt >= UNSURE_FROM:
        return f"not sure: this may not be known here (doubt {doubt:.2f})"
    return f"{'sure' if doubt < SURE_BELOW else 'fairly sure'} (doubt {doubt:.2f})"
