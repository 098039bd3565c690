"""How much a recall doubts its answer in, the same in plain words out."""

from pellucid.recall.context.abstain import UNKNOWN_FROM, UNSURE_FROM, unsure

SURE_BELOW = 0.3
_DECIMALS = range(2, 7)


def sureness(doubt: float, threshold: float, *, abstained: bool) -> str:
    """How sure a recall is, in words: `fairly sure (doubt 0.34)`.

    If it `abstained`, `not known: …` with the threshold.
    """
    number = _rounded_doubt(doubt, (SURE_BELOW, UNSURE_FROM, UNKNOWN_FROM, threshold))
    if abstained:
        return f"not known: nothing here is near enough to be an answer (doubt {number}, {_needed(threshold)})"
    return f"{unsure(doubt) or ('sure' if doubt < SURE_BELOW else 'fairly sure')} (doubt {number})"


def sureness_of_one(doubt: float, threshold: float) -> tuple[str, str]:
    """How sure a recall that abstained is of one memory by itself: in words, and the numbers behind them."""
    said = (
        "too doubtful to be an answer"
        if doubt >= threshold
        else "would do by itself, but all together are too doubtful"
    )
    return said, f"doubt {_rounded_doubt(doubt, (threshold,))} by itself, {_needed(threshold)}"


def _needed(threshold: float) -> str:
    """Below which doubt something is an answer, in words; the threshold in full, with two decimals at least."""
    return f"an answer needs less than {max(f'{threshold:.2f}', f'{threshold:g}', key=len)}"


def _rounded_doubt(doubt: float, lines: tuple[float, ...]) -> str:
    """A doubt with two to six decimals, as few as keep it on its side of each of the `lines`; else in full."""
    spelled = (f"{doubt:.{decimals}f}" for decimals in _DECIMALS)
    return next((each for each in spelled if all((float(each) < line) == (doubt < line) for line in lines)), f"{doubt}")
