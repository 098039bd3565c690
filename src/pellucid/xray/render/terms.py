"""The scores of a snapshot's results in, their terms in words and numbers out: what each is, pays, and sets apart."""

from pydantic.alias_generators import to_camel

from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate, ScoreDecomposition, XrayResult
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.score.equation import TERMS
from pellucid.xray.words.sentence import legend, term_key

SCORE_KEYS = ("final", *(name for name in ScoreDecomposition.model_fields if name != "final"))
"""The order in which the terms of a score are shown: the sum, then its terms as the model has them."""
SUBTRACTED = frozenset({"mmr_penalty"})
_OF_PLACES = frozenset({*(leg.key for leg in LEGS.values()), "rerank", "rerank_passage"})
"""The terms of a score that a place in a ranking pays."""
_TOLD = 0.00005
"""The least difference of two scores that four decimals show."""


def score_terms(scores: ScoreDecomposition) -> tuple[tuple[str, float], ...]:
    """Return `final`, then the terms that are not None, as (name, value) in the model's order. Terms in `SUBTRACTED`
    are positive amounts that reduce the score.
    """
    values = scores.model_dump(exclude_none=True)
    return (("final", values.pop("final")), *values.items())


def score_line(scores: ScoreDecomposition, *, zeros: bool = True) -> str:
    """Return a score and its terms, to four decimals: `final=0.8912 vector=0.5812 …`. Without `zeros`, terms that are 0
    are left out, but not `final`.
    """
    return " ".join(
        f"{term_name(key)}={decimals(value)}" for key, value in score_terms(scores) if zeros or key == "final" or value
    )


def term_name(term: str) -> str:
    """Return the name by which `--without` and `--set` know a term of a score, such as `lexical` for `bm25`; of any
    other term its name in camelCase.
    """
    return next((name for name in (*LEGS, *TERMS) if term_key(name) == term), to_camel(term))


def decimals(value: float) -> str:
    """Write a number with four decimals, never `-0.0000`."""
    return f"{value:z.4f}"


def legend_of(snapshot: RecallXraySnapshot) -> tuple[tuple[str, str], ...]:
    """Return the terms that are not 0 in a result's score, or in which a listed candidate that top-k cut differs most
    from the last one kept (`behind`), as (name, meaning), in the order shown; empty without results.

    The names are those of a score's fields (`bm25`): `term_name` gives the ones to show.
    """
    apart = (ScoreDecomposition(final=0.0, **each.behind) for each in snapshot.rejected)
    scores = [*(each.score_decomposition for each in snapshot.results), *(apart if snapshot.results else ())]
    meanings = legend(scores)
    ordered = dict.fromkeys(name for each in scores for name, _ in score_terms(each))
    return tuple((name, meanings[name]) for name in ordered if name in meanings)


def lead_in_words(result: XrayResult, snapshot: RecallXraySnapshot) -> str:
    """Say by how much a result's score is above that of the next one: the two terms that make most of it, the one in
    which it is most behind, and what the other terms make: `of [2] by 0.1704: rerank +0.1042, vector +0.0833; behind in
    passage -0.0417; the rest +0.0246`. Empty for the last result, and for one that does not score above the next.
    """
    at = snapshot.results.index(result) + 1
    if at == len(snapshot.results):
        return ""
    own, other = (dict(score_terms(each.score_decomposition)) for each in (result, snapshot.results[at]))
    lead = own["final"] - other["final"]
    signs = {name: -1 if name in SUBTRACTED else 1 for name in own | other if name != "final"}
    ranked = sorted((sign * (own.get(name, 0.0) - other.get(name, 0.0)), name) for name, sign in signs.items())
    gains = [each for each in ranked[:-3:-1] if each[0] >= _TOLD]
    behind = [each for each in ranked[:1] if each[0] <= -_TOLD]
    rest = lead - sum(value for value, _ in gains + behind)
    told = ", ".join(f"{term_name(name)} +{decimals(value)}" for value, name in gains)
    told += "".join(f"; behind in {term_name(name)} {decimals(value)}" for value, name in behind)
    told += f"; the rest {'+' * (rest > 0)}{decimals(rest)}" if abs(rest) >= _TOLD else ""
    return f"of [{at + 1}] by {decimals(lead)}: {told}" if lead >= _TOLD else ""


def shortfall_in_words(candidate: RejectedCandidate) -> str:
    """Say in which terms a candidate that top-k cut is behind the last one kept, in which it is ahead, and what the
    other terms make: `rerank -0.5392, vector -0.2245; ahead in expansion +0.7600; the rest -0.0034`. Empty for one that
    another rung rejected.
    """
    if not candidate.behind or candidate.margin is None:
        return ""
    told = [f"{term_name(name)} {decimals(value)}" for name, value in candidate.behind.items() if value < 0]
    ahead = [f"ahead in {term_name(name)} +{decimals(value)}" for name, value in candidate.behind.items() if value > 0]
    rest = -candidate.margin - sum(candidate.behind.values())
    others = [f"the rest {'+' * (rest > 0)}{decimals(rest)}"] if abs(rest) >= _TOLD else []
    return "; ".join([*([", ".join(told)] if told else []), *ahead, *others])


def weights_note(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return as one note what a first place pays, for the terms of the results' scores that come from places; empty if
    there are none. Weights are those of the query: `graph` weighs more where edges are asked for.
    """
    shown = dict.fromkeys(name for name, _ in legend_of(snapshot))
    weights = {term_name(term): snapshot.weights.get(term_name(term)) for term in shown if term in _OF_PLACES}
    company = snapshot.weights.get("graphCompany") or 0.0
    beside = {"graph": f" ({company:g} for what is only near)"} if company not in (0.0, weights.get("graph")) else {}
    paid = [f"{name} {weight:g}{beside.get(name, '')}" for name, weight in weights.items() if weight]
    return (f"a first place pays, a later one less (rrfK sets by how much): {', '.join(paid)}",) if paid else ()
