"""A query that starts a task in, the few procedures, skills and rules that fit it best out."""

from math import log1p

import numpy as np

from pellucid.recall.legs.leg import NO_HITS, LegAnswer, empty_report, report
from pellucid.recall.query.tasks import starts_task
from pellucid.recall.score.equation import Floats, Mask
from pellucid.recall.state import Plan, State, World
from pellucid.store.index_port import Columns, Features, Filters, LegHits, Rows

CATEGORIES = ("procedure", "skill", "rule")
MOST = 5
"""Places of each arm: a task has few procedures, and a list of them would push other memories out."""
FLOOR = 0.35
"""The score below which a procedure does not fit the task."""


def procedural(state: State, plan: Plan, world: World) -> LegAnswer:
    """Return the procedures, skills and rules that fit a task best; the report is `off` if the query does not start a
    task.

    The score, from 0 to 2, is the cosine (not below 0, and 0 without an encoder) plus the share of the query's content
    words that a procedure contains, weighted by IDF (BM25 with k1 = 0). It does not depend on other memories. At most
    five are returned, and apart from them at most five that are inadmissible, none with a score below 0.35.
    """
    if not starts_task(plan.text):
        return empty_report("procedural", "off", "the query starts no task"), NO_HITS
    rows = world.reader.select(Filters(categories=CATEGORIES))
    if not len(rows):
        return empty_report("procedural", "empty", "no procedure, skill or rule is kept here"), NO_HITS
    columns = world.reader.columns(rows, state.admission)
    features = world.reader.features(rows, plan.encoding and plan.encoding.vector, plan.stems)
    scores = _scores(features, plan, state.corpus.rows)
    admitted, fits = columns.admitted, scores >= FLOOR
    inside, outside = (
        _ranked_positions(columns, scores, admitted & fits),
        _ranked_positions(columns, scores, ~admitted & fits),
    )
    inside, outside = inside[:MOST], outside[: min(MOST, state.request.settings.open_pool)]
    raw = scores.astype(np.float32)
    hits = LegHits(rows[inside], raw[inside], rows[outside], raw[outside])
    note = "no procedure fits the task" if not len(inside) else "by words alone" if plan.encoding is None else ""
    return report("procedural", hits, note=note), hits


def _scores(features: Features, plan: Plan, rows: int) -> Floats:
    """Return the score of each candidate: its cosine, not below 0, plus the share, weighted by IDF, of the query's
    content words that it contains.

    `rows` is the number of memories in the corpus.
    """
    idf = {i: log1p((rows - plan.frequencies[i] + 0.5) / (plan.frequencies[i] + 0.5)) for i in plan.telling}
    contained = np.zeros(len(features.matched))
    for i, worth in idf.items():
        contained += worth * (features.matched >> np.uint64(i) & np.uint64(1))
    return np.maximum(features.cosine.astype(np.float64), 0.0) + contained / max(sum(idf.values()), 1e-9)


def _ranked_positions(columns: Columns, scores: Floats, among: Mask) -> Rows:
    """Return the positions at which the mask `among` is true, by score, best first; of equals the newer first, then by
    id."""
    positions = np.flatnonzero(among)
    return positions[np.lexsort((columns.ids[positions], -columns.created[positions], -scores[positions]))]
