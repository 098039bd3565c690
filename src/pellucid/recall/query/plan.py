"""The text of a query in, a plan out: its words, its encoding, whom and what it asks about."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from pydantic import ValidationError

from pellucid.clock import epoch_ms, ms_if_any
from pellucid.encoders.chat.model import ChatError
from pellucid.encoders.port import QueryEncoding
from pellucid.errors import EncoderError, InputError
from pellucid.language import lexicon
from pellucid.language.contractions import CLITIC
from pellucid.language.words import function_words
from pellucid.recall.query.classes import classify
from pellucid.recall.query.dates.period import window
from pellucid.recall.query.edges import asked_edges
from pellucid.recall.query.entities import entities
from pellucid.recall.query.gate import Gated, ask_model, gate
from pellucid.recall.query.limits import MAX_CHARACTERS
from pellucid.recall.query.tasks import starts_task
from pellucid.recall.score.rerank import scorer
from pellucid.recall.state import Period, Plan, Request, State, World
from pellucid.store.index_port import Admission, Term, TextSurvey

MAX_STEMS = 64
"""The most distinct words that are read; also the width of the bit field of matches."""

FEW = 4
"""Memories for a message that needs little."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.?!;:]")
_SELVES = ("i", "ich", "yo", "je")
_CLITIC = re.compile(f"{CLITIC}$")
_OBJECTS = frozenset(("me", "mir", "mich", "moi"))
_IF = frozenset(("if", "unless", "whenever", "wenn", "falls", "si"))
_ASKING = frozenset(("you", "please", "and", "to", "du", "bitte"))
"""Words before a verb that asks: `can you tell me`, `please tell me`."""
_YOU = frozenset(("you", "you'd", "you've"))
_DONE = frozenset(("did", "have", "had", "were", "was"))
_OTHERS_WORDS = """
    your yours assistant agent bot chatbot conversation conversations chat chats dein deine deinen hast gespräch
    asistente tu dijiste conversación assistent as-tu
"""
_OTHERS = frozenset(_OTHERS_WORDS.split())
"""Words of the other side, or of a conversation, which belongs to both sides."""
_EAST, _EAST_OTHER = re.compile("[我私僕俺]"), re.compile("你|您|あなた|助手|アシスタント")


def plan(state: State, world: World) -> State:
    """Read the query; return the state with its `plan`, with `admission` (which rows may answer), `corpus` and the name
    of the reranker. A message of depth `minimal` narrows the request to `FEW` memories, unless the caller chose how
    many memories or characters. Raises InputError as `clean` does, DeadlineError as `encode`."""
    request, text = state.request, clean(state.request.query)
    survey = world.reader.survey(text)
    terms, stems = survey.terms, _distinct_stems(survey.terms)
    words, frequencies = _first_spellings(text, terms, stems), tuple(stems.values())
    telling = tuple(i for i, word in enumerate(words) if word.casefold() not in function_words())
    encoding, problem = encode(text, world)
    spans = spans_of_people(text, survey.named.values())
    people = _stems_within(spans, terms, list(stems))
    # without an encoder, or if nothing but people is asked for, their names are searched for like other words
    if encoding is None or all(i in people for i in telling):
        spans, people = [], frozenset[int]()
    nameless = encode(without_spans(text, spans), world)[0] if spans else None
    sought = tuple(i for i in _known_or_all(telling, frequencies) if i not in people)
    gated = _full_depth_if_known(_depth_of(text, request, world), request, survey)
    period = _period_of(text, request, world)
    query_class = classify(text, encoding.vector if encoding else None)
    return replace(
        state,
        request=_narrowed_request(request, gated),
        rerank_backend=scorer(request.settings, world),  # known before the stage, for a receipt of no candidates
        admission=_admission(request, world, period),
        corpus=survey.corpus,
        plan=Plan(
            text=text,
            stems=tuple(stems),
            words=words,
            frequencies=frequencies,
            telling=telling,
            searched=_searched_stems(sought, frequencies, request.settings.lexical_cost),
            people=people,
            encoding=encoding,
            vector=encoding and (nameless or encoding).vector,
            token_stem=_stems_of_tokens(encoding, terms, list(stems)) if encoding else (),
            encoder_problem=problem,
            query_class=query_class,
            depth=gated.depth,
            reason=gated.reason,
            entities=entities(text),
            named=survey.named,
            period=period,
            asked=asked_edges(text),
            own=asks_own(text),
            timeless=_is_timeless(request, query_class),
        ),
    )


def _is_timeless(request: Request, query_class: str) -> bool:
    """Whether age counts for nothing: the question is about the past, and nobody set a weight for age.

    It is if its class is `historical`, or if the request has an `as_of` or `as_known_at`. A weight is set if the caller
    chose `legWeights.temporal`, or `classWeights` has a `temporal` for the class.
    """
    past = query_class == "historical" or request.as_of is not None or request.as_known_at is not None
    age_is_chosen = "leg_weights.temporal" in request.chosen or "temporal" in request.settings.class_weights.get(
        query_class, {}
    )
    return past and not age_is_chosen


def _depth_of(text: str, request: Request, world: World) -> Gated:
    """Return how deep to recall, and why: by the setting `gate`, `full` if that is `off`, else as the function `gate`
    (`heuristic`) or a model (`llm`) says.

    If no model is set up or it fails, the function `gate` decides, and the reason says so.
    """
    how = request.settings.gate
    if how == "off":
        return Gated("full", "the gate is off")
    if how == "heuristic":
        return gate(text)
    if world.chat is None:
        return replace(gate(text), reason="no model is set up to ask")
    try:
        return ask_model(world.chat, text)
    except (ChatError, ValidationError) as error:
        return replace(gate(text), reason=f"the model did not say ({type(error).__name__})")


def _full_depth_if_known(gated: Gated, request: Request, survey: TextSurvey) -> Gated:
    """Return the verdict `gated`, but `full` instead of `no_recall` if `survey` found a known name (`Claro`) in the
    message, or if files are under review. A `minimal` verdict stays.
    """
    if gated.depth != "no_recall" or not (survey.named or request.review):
        return gated
    return Gated("full", "names somebody known" if survey.named else "files are under review")


def _narrowed_request(request: Request, gated: Gated) -> Request:
    """Return the request, narrowed to at most `FEW` memories if the depth is `minimal`.

    Unchanged if the caller chose how many memories or characters.
    """
    if gated.depth != "minimal" or request.chosen & {"top_k_facts", "char_budget"}:
        return request
    few = min(request.settings.top_k_facts, FEW)
    return replace(request, settings=request.settings.model_copy(update={"top_k_facts": few}))


def _period_of(text: str, request: Request, world: World) -> Period | None:
    """Return the period that the query names (`last week`); None if it names none or the setting `queryDates` is `off`.

    The period filters (its `asserts` is true) only if the query dates what was said, `queryDates` is `filter`, and some
    admissible memory was made in it.
    """
    if request.settings.query_dates == "off" or (found := window(text, request.at)) is None:
        return None
    period = Period(ms_if_any(found.start), ms_if_any(found.end), found.phrase, found.asserts)
    if not period.asserts or request.settings.query_dates != "filter":
        return replace(period, asserts=False)
    return replace(period, asserts=bool(len(world.reader.recent(_admission(request, world, period), 1).rows)))


def _admission(request: Request, world: World, period: Period | None) -> Admission:
    """Return which rows are allowed to answer.

    That depends on the request's instant, the caller's scopes and filters, and the period. The period counts only if it
    filters (`asserts`).
    """
    filters = request.filters
    only = world.reader.select(filters) if filters.limiting else None
    never = world.reader.select(filters, left_out=True) if filters.not_session or filters.not_ids else None
    within = (period.since, period.until) if period is not None and period.asserts else (None, None)
    return Admission(
        epoch_ms(request.instant),
        only,
        never,
        filters.since,
        filters.until,
        within,
        granted=request.granted,
        past=request.as_of is not None or request.as_known_at is not None,
        known=ms_if_any(request.as_known_at),
    )


def clean(query: str) -> str:
    """Return the query with control characters, lone surrogates and unassigned characters as spaces, stripped.

    Every recall checks it here; the command line does before it asks, so that a wrong question leaves no trace. Raises
    InputError if the query as given is longer than 20,000 characters, or if nothing is left of it.
    """
    if len(query) > MAX_CHARACTERS:
        raise InputError(
            f"<query> has {len(query)} characters, and {MAX_CHARACTERS} are the most",
            code="invalid_query",
            next_step="ask a shorter question",
        )
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Cn") else c for c in query).strip()
    if not text:
        raise InputError(
            "<query> is required and must be non-empty", code="missing_query", next_step="say what to recall, in quotes"
        )
    return text


def _distinct_stems(terms: Sequence[Term]) -> dict[str, int]:
    """Map each stem to the number of memories that contain it, in query order.

    Of more than 64 stems the 64 rarest are kept; those that no memory contains only if fewer others fill the 64.
    """
    stems = {term.stem: term.frequency for term in terms}
    if len(stems) <= MAX_STEMS:
        return stems
    kept = sorted(stems, key=lambda stem: (stems[stem] == 0, stems[stem], stem))[:MAX_STEMS]
    return {stem: frequency for stem, frequency in stems.items() if stem in set(kept)}


def _first_spellings(text: str, terms: Sequence[Term], stems: Iterable[str]) -> tuple[str, ...]:
    """Return how each of these stems is first spelled in the text, in their order. Each must be the stem of a term."""
    first = {term.stem: text[term.start : term.end] for term in reversed(terms)}
    return tuple(first[stem] for stem in stems)


def _known_or_all(telling: tuple[int, ...], frequencies: Sequence[int]) -> Sequence[int]:
    """Return `telling`, the positions of the content words, or, if no memory contains any of these, the positions of
    all words. `frequencies` has, for each word, how many memories contain it."""
    return telling if any(frequencies[i] for i in telling) else range(len(frequencies))


def _searched_stems(telling: Sequence[int], frequencies: Sequence[int], cost: int) -> tuple[int, ...]:
    """Return, in rising order, those of the positions `telling` whose words the lexical leg asks for: the rarest that
    together fit `cost`.

    The cost of a word is the number of rows that contain it (`frequencies`); words of none are left out. At least one
    word is returned, if any row contains one.
    """
    spent, chosen = 0, list[int]()
    for index in sorted((i for i in telling if frequencies[i]), key=lambda i: (frequencies[i], i)):
        spent += frequencies[index]
        if chosen and spent > cost:
            break
        chosen.append(index)
    return tuple(sorted(chosen))


def encode(text: str, world: World) -> tuple[QueryEncoding | None, str]:
    """Return the encoding of a text and ""; None and the problem if there is no encoder or it fails.

    DeadlineError if the time is over while the model is loading.
    """
    if world.embedder is None:
        return None, world.encoder_problem
    try:
        return world.embedder.encode_query(text, world.deadline), ""
    except EncoderError as error:
        return None, error.message


def spans_of_people(text: str, named: Iterable[str]) -> list[tuple[int, int]]:
    """Return the (start, end) spans, sorted, in which the text says one of the `named` that is one capitalised word.

    Genitive endings are included. The caller cuts them out of the query: a memory carries its speaker's name as a
    label, so a query with the name is near to all that the person said. Being by or about a named person is a term of
    its own (`named`). Numbers of documents (`SPEC-3`) are not people, nor are titles (`Project Manager`), which say
    more than a name.
    """
    names = (name for name in named if name[:1].isupper() and name.replace("-", "").isalpha())
    found = (re.finditer(rf"(?<!\w){re.escape(name)}(?:['’]s?)?(?!\w)", text) for name in names)
    return sorted(match.span() for matches in found for match in matches)


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text without these sorted, disjoint ranges of characters; runs of spaces become one space."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return " ".join(" ".join(text[end:start] for end, start in zip(ends, starts, strict=True)).split())


def _stems_within(spans: Sequence[tuple[int, int]], terms: Sequence[Term], stems: Sequence[str]) -> frozenset[int]:
    """Return the positions in `stems` of those that have a term inside one of these ranges (start, end) of
    characters."""
    inside = {term.stem for term in terms for start, end in spans if start <= term.start and term.end <= end}
    return frozenset(at for at, stem in enumerate(stems) if stem in inside)


def _stems_of_tokens(encoding: QueryEncoding, terms: Sequence[Term], stems: Sequence[str]) -> tuple[int, ...]:
    """Return, for each token of the encoding, the position in `stems` of the stem of the first of `terms` that it
    overlaps; -1 if it overlaps none, or `stems` lacks that stem."""
    number = {stem: i for i, stem in enumerate(stems)}
    out: list[int] = []
    for start, end in encoding.spans:
        inside = (number.get(term.stem, -1) for term in terms if term.start < end and start < term.end)
        out.append(next(inside, -1))
    return tuple(out)


def asks_own(text: str) -> bool:
    """Whether a question is about the asker: it has a word for the asker (`I`, `my`) that means the asker.

    Not if it starts a task (`how do I …`, see `starts_task`), is about what `you` did, or has a word for the other side
    or the conversation (`your`, `assistant`, `chat`).
    """
    if starts_task(text):
        return False
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    lowered = [word.lower() for word in words]
    if _EAST_OTHER.search(text) or not _OTHERS.isdisjoint(lowered) or _is_about_you(lowered):
        return False
    return bool(_EAST.search(text)) or any(_means_asker(words, lowered, at) for at in range(len(words)))


def _is_about_you(words: list[str]) -> bool:
    """Whether the words, in lower case, are about what `you` did.

    They are if `did`, `had`, `was` or the like comes directly before or after `you`, or a verb in the past directly
    after it; words that end in `ly` are skipped.
    """
    past = lexicon.words("past")
    plain = [word for word in words if not word.endswith("ly")]
    return any(
        (word in _YOU and (after in _DONE or after in past or after.endswith("ed")))
        or (word in _DONE and after in _YOU)
        for word, after in pairwise(plain)
    )


def _means_asker(words: list[str], lowered: list[str], at: int) -> bool:
    """Whether the word at a position is a pronoun of the first person that means the asker.

    Not the numeral in `Phase I`, nor `I` directly after `if`, nor `me` in a request: as one of the first two words, or
    two places after a punctuation mark or `please`, `you` or the like (`can you tell me`). `lowered` are `words` in
    lower case.
    """
    word, before = lowered[at], lowered[at - 1] if at else ""
    if word == "i":
        numeral = words[at] == "I" and before and words[at - 1][0].isupper() and before not in function_words()
        return not numeral and before not in _IF
    if word in _OBJECTS:
        return at > 1 and lowered[at - 2].isalpha() and lowered[at - 2] not in _ASKING
    return _CLITIC.sub("", word) in lexicon.persons(*_SELVES)
