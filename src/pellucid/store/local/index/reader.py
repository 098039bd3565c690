"""One read transaction in, ranked rows and their features out: `IndexReader` over SQLite and warm columns."""

import json
import re
from collections.abc import Mapping, Sequence
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Vector
from pellucid.language.spelling import entity_key, tag_key
from pellucid.store.episode_port import EpisodeReader
from pellucid.store.graph_port import GraphReader
from pellucid.store.index_port import (
    Admission,
    Codes,
    Columns,
    Corpus,
    Features,
    Filters,
    Float32s,
    LegHits,
    Mask,
    MemoryStanding,
    Rows,
    Served,
    Term,
    TextSurvey,
)
from pellucid.store.local.index.analysis import Analyzer, term
from pellucid.store.local.index.columns import View
from pellucid.store.local.index.lookup import served
from pellucid.store.local.index.mentions import file_name, plain_path
from pellucid.store.local.index.past_view import RowsInView, is_past

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
_NO_SCORES: Float32s = np.zeros(0, dtype=np.float32)
_SLACK = 1e-4
"""More than BLAS can be off by between two layouts of the same unit vectors (384 float32 products: about 1e-6)."""
K1, B = 1.2, 0.75
_NAME_WORDS = 4  # words a name that a query says may have
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*['\u2019]?")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_MILLIS_A_DAY = 86_400_000


class LocalIndexReader:
    """See `IndexReader`; lives inside the read transaction that made it."""

    def __init__(self, in_view: RowsInView, episodes: EpisodeReader, graph: GraphReader, applied_seq: int) -> None:
        self.episodes = episodes
        self.graph = graph
        self._ns = in_view.ns
        self._run = in_view.queries.run
        self._analyzer = Analyzer(in_view.queries.connection())
        self._in_view = in_view
        self._view = in_view.view
        self._applied_seq = applied_seq
        self._spans: dict[str, NDArray[np.int64]] = {}

    def survey(self, text: str, *, names: bool = True) -> TextSurvey:
        """Return a namespace's counts, the words of a text with how many rows contain each, and the names in the text.

        The counts (`Corpus`) are those of all rows, of active ones and of ones with a vector, and the last operation
        indexed. Words come in the text's order, repeated ones repeatedly. Names map the number of whom memories are
        `about` to the name as the text has it (`_names_in_text`); empty with `names=False`.
        """
        view, places = self._view, self._analyzer.places(text)
        corpus = Corpus(
            len(view), int(view.light["active"].sum()), int(view.light["has_vector"].sum()), self._applied_seq
        )
        found = self._find_postings([stem for stem, _, _ in places])
        known = {stem: int((spans[:, 1] - spans[:, 0]).sum()) for stem, spans in found.items()}
        terms = tuple(Term(stem, start, end, known[stem]) for stem, start, end in places)
        return TextSurvey(corpus, terms, _names_in_text(view, text) if names else {})

    def _find_postings(self, stems: Sequence[str]) -> dict[str, NDArray[np.int64]]:
        """Return by stem the half-open ranges of its postings in each block of rows, an array (blocks, 2).

        A posting is a row that contains the stem (see `View.spans`). Each stem is looked up once, then cached.
        """
        missing = list(dict.fromkeys(stem for stem in stems if stem not in self._spans))
        if missing:
            spans = self._view.spans([term(stem) for stem in missing])
            self._spans.update(zip(missing, spans, strict=True))
        return {stem: self._spans[stem] for stem in stems}

    def vector(self, query: Vector, admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Return the rows nearest by exact cosine, nearest first: `pool` admissible and `open_pool` others at most.

        Admissible are active, valid, trusted rows that fit the caller's scopes and filters, at the admission's instant.
        Rows without a vector are left out; for an admission of the past, so are rows recorded after its `known`.
        """
        coarse = self._view.cosine(query)
        admitted = self._in_view.admissible(admission)
        others = self._in_view.others(admission, admitted)
        has_vector = self._view.light["has_vector"]
        rows, scores = self._nearest_rows(coarse, admitted & has_vector, query, pool)
        open_rows, open_scores = self._nearest_rows(coarse, others & has_vector, query, open_pool)
        return LegHits(rows, scores, open_rows, open_scores)

    def _nearest_rows(self, coarse: Float32s, mask: Mask, query: Vector, count: int) -> tuple[Rows, Float32s]:
        """Return the `count` rows of the mask nearest to the query by exact cosine, nearest first, and these cosines.

        `coarse` has an approximate cosine of every row (`View.cosine`): exact ones are computed only for the rows of
        the mask that are at most 1e-4 (`_SLACK`) below the `count`-th by it. Empty if `count` is 0 or the mask has no
        row.
        """
        near = np.flatnonzero(mask)
        if count == 0 or len(near) == 0:
            return _NO_ROWS, _NO_SCORES
        if len(near) > count:  # BLAS preselects, with slack for its rounding; exact cosines decide
            floor = np.partition(coarse[near], -count)[-count] - _SLACK
            near = near[coarse[near] >= floor]
        return self._best_rows(near, exact_cosine(self._view.vectors(near), query), count)

    def _best_rows(self, positions: NDArray[np.int64], scores: Float32s, count: int) -> tuple[Rows, Float32s]:
        """Return the numbers of the `count` rows with the highest scores, best first, and their scores.

        `positions` are those of the rows in the view, `scores` is aligned with them. Of rows with equal scores the
        newer comes first, then the one with the lower id.
        """
        light = self._view.light
        if len(positions) > 4 * count > 0:  # only what can be among the first, ties included
            likely = scores >= np.partition(scores, -count)[-count]
            positions, scores = positions[likely], scores[likely]
        order = np.lexsort((light["id"][positions], -light["created"][positions], -scores))[:count]
        return light["row"][positions[order]], scores[order]

    def lexical(
        self, stems: Sequence[str], admission: Admission, pool: int, open_pool: int, *, passages: bool = False
    ) -> LegHits:
        """Return the best rows by BM25: at most `pool` admissible ones and `open_pool` others, best first.

        Admissible are active, valid, trusted rows that fit the caller's scopes and filters, at the admission's instant.
        Without `passages`, only rows that contain a stem are found. With `passages`, the counts of stems in the rows
        just before and after a row in its session (at most one turn away) are added to its own if these are admissible,
        and its length is that of all three: a row can be found by a word of its neighbour.
        """
        view = self._view
        scores = np.zeros(len(view))
        lengths = view.passage if passages else view.light["length"]
        mean = float(lengths.mean()) if len(view) else 0.0
        lends = self._in_view.admissible(admission) if passages else np.zeros(0, dtype=np.bool_)
        for spans in self._find_postings(stems).values():
            positions, counts = view.postings(spans)
            if passages:
                sums = view.sums_with_neighbours(positions, counts, lends)
                positions = np.flatnonzero(sums)
                counts = sums[positions]
            scores[positions] += bm25(counts, lengths[positions], mean, len(view))
        return self._hits_of_both_arms(scores, admission, pool, open_pool)

    def mentioning(self, paths: Sequence[str], admission: Admission, pool: int, open_pool: int) -> LegHits:
        """Return the best rows that mention these files: `pool` admissible ones and `open_pool` others at most.

        Admissible are active, valid, trusted rows that fit the caller's scopes and filters, at the admission's instant.
        A row's score is the sum over the files whose last name it mentions: 1 if the mention has a folder and is the
        same path, an end of the path, or a path that ends with it; else ½. Paths are compared as by `plain_path`.
        """
        scores = np.zeros(len(self._view))
        for path in dict.fromkeys(plain_path(each) for each in paths):
            best: dict[int, float] = {}
            for row, mention in self._run("mentions", self._ns, file_name(path)):
                whole = mention == path or path.endswith(f"/{mention}") or mention.endswith(f"/{path}")
                best[row] = max(best.get(row, 0.0), 1.0 if whole and "/" in mention else 0.5)
            rows = np.array(sorted(best), dtype=np.int64)
            scores[self._view.positions(rows)] += [best[row] for row in rows.tolist()]
        return self._hits_of_both_arms(scores, admission, pool, open_pool)

    def _hits_of_both_arms(
        self, scores: NDArray[np.float64], admission: Admission, pool: int, open_pool: int
    ) -> LegHits:
        """Return the best admissible rows, at most `pool`, and (the open arm) the best other rows, at most `open_pool`,
        best first.

        `scores` has a score for each row position of this snapshot; rows whose score is 0 are left out. For an
        admission of the past, the others are without rows recorded after its `known`."""
        admitted, scored = self._in_view.admissible(admission), np.flatnonzero(scores)
        inside, outside = scored[admitted[scored]], scored[self._in_view.others(admission, admitted)[scored]]
        return LegHits(
            *self._best_rows(inside, scores[inside].astype(np.float32), pool),
            *self._best_rows(outside, scores[outside].astype(np.float32), open_pool),
        )

    def select(self, filters: Filters, *, left_out: bool = False) -> Rows:
        """Return, sorted, the rows that fit the filters, or with `left_out` those that the filters exclude.

        The first looks at tags, categories, agent and session only; dates and exclusions do not count. The second are
        the rows of `not_session`, or of a session below it (`<session>/…`), and those with an id of `not_ids`.
        """
        if left_out:
            found = self._run("left_out", self._ns, filters.not_session, json.dumps(filters.not_ids))
            return np.array([row for (row,) in found], dtype=np.int64)
        categories = json.dumps(filters.categories) if filters.categories else None
        if categories and not (filters.agent or filters.session_id):
            found = self._run("of_category", self._ns, categories)
        else:
            found = self._run("of_kind", self._ns, categories, filters.agent, filters.session_id)
        rows = {row for (row,) in found}
        for tag in filters.tags:
            rows &= {row for (row,) in self._run("tagged", self._ns, tag_key(tag))}
        return np.array(sorted(rows), dtype=np.int64)

    def recent(self, admission: Admission, pool: int) -> LegHits:
        """Return the `pool` newest admissible rows, newest first; the score is the creation instant in epoch days.

        Admissible are active, valid, trusted rows that fit the caller's scopes and filters, at the admission's instant.
        No others are in the answer.
        """
        light = self._view.light
        inside = np.flatnonzero(self._in_view.admissible(admission))
        newest = inside[np.lexsort((light["id"][inside], -light["created"][inside]))][:pool]
        days = (light["created"][newest] / _MILLIS_A_DAY).astype(np.float32)
        return LegHits(light["row"][newest], days, _NO_ROWS, _NO_SCORES)

    def neighbours(self, rows: Rows, reach: int, admission: Admission | None = None) -> Rows:
        """Return other rows of the same sessions, at most `reach` turns from one of `rows`; sorted, admissible or not.

        Of a session in order of turns, only the `2·reach` rows before and after each row are looked at. A row without a
        session has no neighbours. For an admission of the past, rows recorded after its `known` are left out.
        """
        view, light = self._view, self._view.light
        positions = view.positions(rows)
        positions = positions[light["session"][positions] >= 0]
        found: list[NDArray[np.int64]] = []
        for step in range(-2 * reach, 2 * reach + 1):
            beside = view.by_turn[np.clip(view.place[positions] + step, 0, len(view) - 1)]
            near = np.abs(light["ordinal"][beside] - light["ordinal"][positions]) <= reach
            found.append(beside[near & (light["session"][beside] == light["session"][positions])])
        places = np.unique(np.concatenate(found)) if found else _NO_ROWS
        if admission and is_past(admission):
            places = places[self._in_view.past(admission).exists[places]]
        every = light["row"][places]
        return np.setdiff1d(every, rows, assume_unique=True)

    def beside(self, rows: Rows, admission: Admission) -> tuple[Rows, Rows]:
        """Return, aligned with `rows`, the numbers of the rows just before and just after each in its session.

        -1 if there is no such row, it is more than one turn away, or it is not admissible (`RowsInView.admissible`).
        """
        view, positions, row = self._view, self._view.positions(rows), self._view.light["row"]
        lends = self._in_view.admissible(admission)
        before, after = view.before[positions], view.after[positions]
        return (
            np.where((before >= 0) & lends[before], row[before], -1),
            np.where((after >= 0) & lends[after], row[after], -1),
        )

    def columns(self, rows: Rows, admission: Admission) -> Columns:
        """Return the light columns (see `Columns`) of these rows, aligned with them.

        `admission` leaves out no row: `valid`, `wanted` and `admitted` say what each row is under it. For an admission
        of the past, `active` and `trusted` are as of its instant.
        """
        view, positions = self._view, self._view.positions(rows)
        some = {name: column[positions] for name, column in view.light.items()}
        if is_past(admission):
            past = self._in_view.past(admission)
            some["active"], some["trusted"] = past.active[positions], past.trusted[positions]
            some["valid_from"], some["valid_until"] = past.valid_from[positions], past.valid_until[positions]
        valid = (some["valid_from"] <= admission.at) & (admission.at < some["valid_until"])
        same = {name: some[name] for name in Columns.__slots__ if name in some}
        return Columns(
            ids=some["id"],
            valid=valid,
            place=view.within[positions],
            wanted=self._in_view.fits_filters(admission)[positions],
            admitted=self._in_view.admissible(admission)[positions],
            **same,
        )

    def pretending(self, standings: Mapping[int, MemoryStanding]) -> "LocalIndexReader":
        """Return a reader in which some rows (by number) have hypothetical states, for a what-if; nothing is written.

        Episodes and graph stay as they are.
        """
        return LocalIndexReader(self._in_view.pretending(standings), self.episodes, self.graph, self._applied_seq)

    def features(self, rows: Rows, query: Vector | None, stems: Sequence[str], rare: float = 0.0) -> Features:
        """Return vectors, cosines with the query (0 without one) and matched stems of these rows, aligned with them.

        Of at most 64 `stems`, those that a row contains are bits in their order. With `rare` > 0, also each row's terms
        that another of these rows contains, and at most this share of all rows of the namespace; else that part is ().
        """
        positions = self._view.positions(rows)
        vectors = self._view.vectors(positions)
        return Features(
            vectors=vectors,
            cosine=np.zeros(len(rows), dtype=np.float32) if query is None else exact_cosine(vectors, query),
            matched=self._view.matched(positions, [term(stem) for stem in stems]),
            rare=self._view.rare(positions, rare) if rare else (),
        )

    def codes(self, rows: Rows) -> Codes:
        """Return the token codes of these rows, 16 bytes a token, concatenated, and the end of each row's in tokens.

        The end of a row without codes is that of the row before (0 for the first). KeyError for an unknown row.
        """
        by_row: dict[int, bytes] = dict(self._run("codes", json.dumps(rows.tolist())))
        codes = [by_row[row] for row in rows.tolist()]
        ends = np.cumsum([len(each) // 16 for each in codes], dtype=np.int64)
        return Codes(np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, 16), ends)

    def memories(self, which: Rows | Sequence[str]) -> list[Served]:
        """Return these rows, which must exist, in full, in the order given; or, of ids, the memories of the namespace
        that exist, in the order given.
        """
        if isinstance(which, np.ndarray):
            return [served(self._run("served", row)[0]) for row in which.tolist()]
        found = (self._run("served_by_id", each, self._ns) for each in which)
        return [served(rows[0]) for rows in found if rows]


def _names_in_text(view: View, text: str) -> dict[int, str]:
    """Return the names in a text of those whom memories without boundary scopes are about, by number in `about`.

    A name has up to four words, as the text has them, without a possessive ending. Of names that begin with the same
    word the longest is taken.
    """
    words, out = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)], dict[int, str]()
    for start in range(len(words)):
        for length in range(min(_NAME_WORDS, len(words) - start), 0, -1):
            name = " ".join(words[start : start + length])
            if (number := view.names.get(entity_key(name), -1)) in view.known:
                out[number] = name
                break
    return out


def bm25(counts: Float32s, lengths: NDArray[Any], mean: float, rows: int) -> NDArray[np.float64]:
    """Return one word's BM25 score (k1 = 1.2, b = 0.75) for each row that contains it, aligned with `counts`.

    `counts` says how often each of these rows contains the word, `lengths` how many words it has. `rows` is the number
    of all rows, `mean` their mean length.
    """
    idf = log1p((rows - len(counts) + 0.5) / (len(counts) + 0.5))
    frequency = counts.astype(np.float64)
    return idf * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * lengths / max(mean, 1e-9)))


def exact_cosine(vectors: Float32s, query: Vector) -> Float32s:
    """Return the cosine of each unit vector with the query; the same pair gives the same bits (float64 row sums)."""
    products = vectors.astype(np.float64) * query.astype(np.float64)
    return products.sum(axis=1).astype(np.float32)
