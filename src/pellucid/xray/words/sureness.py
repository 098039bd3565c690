"""How much a recall doubts its answer in, the same in plain words out."""

from pellucid.recall.context.abstain import unsure

SURE_BELOW = 0.3


def sureness(doubt: float, threshold: float, *, abstained: bool) -> str:
    """`fairly sure (doubt 0.34)`; `abstained`: that it is not known, and from which doubt on (`recall.abstainAt`)."""
    if abstained:
        return (
            f"not known: nothing here is near enough to be an answer (doubt {doubt:.2f}, the line is {threshold:.2f})"
        )
    return f"{unsure(doubt) or ('sure' if doubt < SURE_BELOW else 'fairly sure')} (doubt {doubt:.2f})"
