"""A recall's doubt in its answer in, the same in plain words out."""

from collections.abc import Sequence

from pellucid.model.snapshot import AbstentionTrace
from pellucid.recall.context.abstain import ANSWERED, UNKNOWN_FROM, UNSURE_FROM, WEIGHTS, unsure
from pellucid.xray.words.numbers import listed

SURE_BELOW = 0.3
_BOUNDS = {
    ANSWERED: "the most it can be where edges, files or procedures that are asked for lead to the best memory",
    UNKNOWN_FROM: "the least it can be where a document that is named is not here, or was not known at that time",
}
"""What bounds a doubt that is not worked out of signs, by the bound."""
_DECIMALS = range(2, 7)


def sureness(doubt: float, threshold: float, *, abstained: bool) -> str:
    """Say how sure a recall is: `fairly sure that this answers it (doubt 0.34)`; if it `abstained`, `not known: …` with
    the threshold.

    An abstention with a doubt of 1 goes without the threshold: no memory was left to judge; the context says why.
    """
    number = _rounded_doubt(doubt, (SURE_BELOW, UNSURE_FROM, UNKNOWN_FROM, threshold))
    if abstained and doubt >= 1:
        return f"not known: nothing here could be an answer (doubt {number})"
    if abstained:
        return f"not known: nothing here is near enough to be an answer (doubt {number}, {_needed(threshold)})"
    sure = f"{'sure' if doubt < SURE_BELOW else 'fairly sure'} that this answers it"
    return f"{unsure(doubt) or sure} (doubt {number})"


def signs_in_words(trace: AbstentionTrace, results: Sequence[str] = ()) -> str:
    """Say what a doubt comes from: how near the best memories are, what the reranker gives them, which words they hold;
    of a bounded doubt, also what bounds it; and why an answer is shown in spite of it. Empty if nothing was judged, and
    for a doubt of an earlier version, whose signs do not make it up.

    `results` are the ids of the results in order: the memories that were judged are named by their numbers (`[1]`).
    """
    judged = {name: _numbers_of(ids, results) for name, ids in trace.measured.items()}
    signs = {
        "near": f"nearness in meaning (mean of the nearest: {judged.get('near', 'a few')})",
        "met": f"what the reranker gives (mean of its best: {judged.get('met', 'a few')})",
        "held": "share of the question's words that the first of the ranking hold together "
        f"({judged.get('held', 'three')}), rare ones counting more",
    }
    values = {name: value for name in signs if (value := getattr(trace, name)) is not None}
    bounded = next((f"{each:.2f}, {words}" for each, words in _BOUNDS.items() if each == trace.doubt), "")
    if trace.measured_doubt is not None and not bounded:
        return ""  # recorded by an earlier version, which measured otherwise
    shown_for = f"; shown all the same: {trace.shown_for}" if trace.shown_for else ""
    if not values:
        return f"{bounded}{shown_for}" if bounded else ""
    weight = sum(WEIGHTS[name] for name in values)
    parts = " + ".join(f"{WEIGHTS[name]} × {value:.4f} {signs[name]}" for name, value in values.items())
    limits = (SURE_BELOW, UNSURE_FROM, UNKNOWN_FROM, trace.threshold)
    number = _rounded_doubt(trace.doubt if trace.measured_doubt is None else trace.measured_doubt, limits)
    measured = f"{number} = 1 − ({parts}) / {weight}, of all that the filters let pass, shown or not"
    lead = (
        measured if trace.measured_doubt is None else f"{bounded}; by nearness and words alone it would be {measured}"
    )
    return f"{lead}{shown_for}"


def _numbers_of(ids: Sequence[str], results: Sequence[str]) -> str:
    """Return the numbers of these memories among the results, and how many more of them were left out: `[1], [3] and
    one left out`.
    """
    numbers = [f"[{results.index(each) + 1}]" for each in ids if each in results]
    left_out = len(ids) - len(numbers)
    return listed([*numbers, *([f"{'one' if left_out == 1 else left_out} left out"] if left_out else [])])


def degrees_in_words(trace: AbstentionTrace) -> str:
    """Say what each range of doubt is called, and from which doubt on an answer is refused, if from any."""
    limits = (
        f"sure below {SURE_BELOW:g}, fairly sure below {UNSURE_FROM:g}, not sure below {UNKNOWN_FROM:g}, "
        f"perhaps not known from {UNKNOWN_FROM:g} on"
    )
    return f"{limits}, refused from {trace.threshold:g} on" if trace.threshold < 1 else limits


def sureness_of_one(doubt: float, threshold: float) -> str:
    """Say how sure a recall that abstained is of one memory, which has this `doubt`: `too doubtful to be an answer (its
    own doubt 0.74, …)` from `threshold` on, below it `would do alone, but all together are too doubtful (…)`.
    """
    verdict = (
        "too doubtful to be an answer" if doubt >= threshold else "would do alone, but all together are too doubtful"
    )
    return f"{verdict} (its own doubt {_rounded_doubt(doubt, (threshold,))}, {_needed(threshold)})"


def _needed(threshold: float) -> str:
    """Say below which doubt something is an answer; the threshold in full, with two decimals at least."""
    return f"an answer needs less than {max(f'{threshold:.2f}', f'{threshold:g}', key=len)}"


def _rounded_doubt(doubt: float, limits: tuple[float, ...]) -> str:
    """Write a doubt with the fewest decimals, two to six, that keep it on its side of all `limits`; else in full."""
    spelled = (f"{doubt:.{decimals}f}" for decimals in _DECIMALS)
    return next((each for each in spelled if all((float(each) < at) == (doubt < at) for at in limits)), f"{doubt}")
