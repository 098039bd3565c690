"""A recall's doubt in its answer in, the same in plain words out."""

from pellucid.recall.context.abstain import UNKNOWN_FROM, UNSURE_FROM, unsure

SURE_BELOW = 0.3
_DECIMALS = range(2, 7)


def sureness(doubt: float, threshold: float, *, abstained: bool) -> str:
    """Say how sure a recall is: `fairly sure (doubt 0.34)`; if it `abstained`, `not known: …` with the threshold.

    A doubt of 1 says that no memory was left to judge; the context says why.
    """
    number = _rounded_doubt(doubt, (SURE_BELOW, UNSURE_FROM, UNKNOWN_FROM, threshold))
    if abstained and doubt >= 1:
        return f"not known: nothing here could be an answer (doubt {number})"
    if abstained:
        return f"not known: nothing here is near enough to be an answer (doubt {number}, {_needed(threshold)})"
    return f"{unsure(doubt) or ('sure' if doubt < SURE_BELOW else 'fairly sure')} (doubt {number})"


def sureness_of_one(doubt: float, threshold: float) -> str:
    """Say how sure a recall that abstained is of one memory: `too doubtful to be an answer (doubt 0.74, …)`."""
    verdict = (
        "too doubtful to be an answer" if doubt >= threshold else "would do alone, but all together are too doubtful"
    )
    return f"{verdict} (doubt {_rounded_doubt(doubt, (threshold,))}, {_needed(threshold)})"


def _needed(threshold: float) -> str:
    """Say below which doubt something is an answer; the threshold in full, with two decimals at least."""
    return f"an answer needs less than {max(f'{threshold:.2f}', f'{threshold:g}', key=len)}"


def _rounded_doubt(doubt: float, limits: tuple[float, ...]) -> str:
    """Write a doubt with the fewest decimals, two to six, that keep it on its side of all `limits`; else in full."""
    spelled = (f"{doubt:.{decimals}f}" for decimals in _DECIMALS)
    return next((each for each in spelled if all((float(each) < at) == (doubt < at) for at in limits)), f"{doubt}")
