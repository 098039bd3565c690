"""A query's text in, what is read in it out: its words, its encoding, whom and what it asks about."""

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
from pellucid.model.memory import BOUNDARY_SCOPES
from pellucid.recall.query import gate_llm
from pellucid.recall.query.classes import classify
from pellucid.recall.query.dates.period import window
from pellucid.recall.query.edges import asked_edges
from pellucid.recall.query.entities import entities
from pellucid.recall.query.gate import Gated, gate
from pellucid.recall.query.tasks import starts_task
from pellucid.recall.score.rerank import scorer
from pellucid.recall.state import Period, Plan, Request, State, World
from pellucid.store.index_port import Admission, Term, TextSurvey

MAX_CHARACTERS = 20_000
MAX_STEMS = 64
"""Distinct words the lexical leg asks for at most; also the width of the bit field of matches."""

FEW = 4
"""Memories for a message that needs little."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.?!;:]")
_SELVES = ("i", "ich", "yo", "je")
_CLITIC = re.compile(f"{CLITIC}$")
_OBJECTS = frozenset(("me", "mir", "mich", "moi"))
_IF = frozenset(("if", "unless", "whenever", "wenn", "falls", "si"))
_ASKING = frozenset(("you", "please", "and", "to", "du", "bitte"))
"""What stands before a verb that asks: `can you tell me`, `please tell me`."""
_YOU = frozenset(("you", "you'd", "you've"))
_DONE = frozenset(("did", "have", "had", "were", "was"))
_OTHERS_WORDS = """
    your yours assistant agent bot chatbot conversation conversations chat chats dein deine deinen hast gespräch
    asistente tu dijiste conversación assistent as-tu
"""
_OTHERS = frozenset(_OTHERS_WORDS.split())
"""Words of the other side, or of a talk, which is of both."""
_EAST, _EAST_OTHER = re.compile("[我私僕俺]"), re.compile("你|您|あなた|助手|アシスタント")


def plan(state: State, world: World) -> State:
    """Read the query once: its words with their frequency, its vectors, the instant it asks about.

    Narrows the request of a message that needs little to a few memories.
    """
    request = state.request
    text = clean(request.query)
    known = world.reader.survey(text)
    terms, stems = known.terms, _distinct_stems(known.terms)
    words, frequencies = _spelled(text, terms, stems), tuple(stems.values())
    telling = _telling(words)
    encoding, problem = encode(text, world)
    gated = _depth_if_known(_depth_of(text, request, world), request, known)
    period = _period_of(text, request, world)
    query_class = classify(text, encoding.vector if encoding else None)
    return replace(
        state,
        request=_narrowed_request(request, gated),
        rerank_backend=scorer(request.settings, world),
        admission=_admission(request, world, period),
        corpus=known.corpus,
        plan=Plan(
            text=text,
            stems=tuple(stems),
            words=words,
            frequencies=frequencies,
            telling=telling,
            searched=_searched_stems(_sought(telling, frequencies), frequencies, request.settings.lexical_cost),
            encoding=encoding,
            token_stem=_stems_of_tokens(encoding, terms, list(stems)) if encoding else (),
            encoder_problem=problem,
            query_class=query_class,
            depth=gated.depth,
            reason=gated.reason.partition(":")[0],
            entities=entities(text),
            named=known.named,
            period=period,
            asked=asked_edges(text),
            own=asks_own(text),
            timeless=_is_timeless(request, query_class),
        ),
    )


def _is_timeless(request: Request, query_class: str) -> bool:
    """Whether age counts for nothing: the question is about the past, and nobody chose a weight for age."""
    past = query_class == "historical" or request.as_of is not None or request.as_known_at is not None
    asked = "leg_weights.temporal" in request.chosen or "temporal" in request.settings.class_weights.get(
        query_class, {}
    )
    return past and not asked


def _depth_of(text: str, request: Request, world: World) -> Gated:
    """How deep to recall; a model that is asked and does not answer is passed over, and the reason says so."""
    how = request.settings.gate
    if how == "off":
        return Gated("full", "the gate is off")
    if how == "heuristic":
        return gate(text)
    if world.chat is None:
        return replace(gate(text), reason="no model is set up to ask")
    try:
        return gate_llm.ask(world.chat, text)
    except (ChatError, ValidationError) as error:
        return replace(gate(text), reason=f"the model did not say ({type(error).__name__})")


def _depth_if_known(gated: Gated, request: Request, known: TextSurvey) -> Gated:
    """What looks like a bare thanks, and is the name of somebody here, or comes with a review, does ask."""
    if gated.depth != "no_recall" or not (known.named or request.review):
        return gated
    return Gated("full", "names somebody known" if known.named else "files are under review")


def _narrowed_request(request: Request, gated: Gated) -> Request:
    """The request of a message that needs little: a few memories, unless the caller chose how many."""
    if gated.depth != "minimal" or request.chosen & {"top_k_facts", "char_budget"}:
        return request
    few = min(request.settings.top_k_facts, FEW)
    return replace(request, settings=request.settings.model_copy(update={"top_k_facts": few}))


def _period_of(text: str, request: Request, world: World) -> Period | None:
    """The period that the query names. It only filters where it dates what was said, and something was said then."""
    if request.settings.query_dates == "off" or (found := window(text, request.at)) is None:
        return None
    period = Period(ms_if_any(found.start), ms_if_any(found.end), found.phrase, found.asserts)
    if not period.asserts or request.settings.query_dates != "filter":
        return replace(period, asserts=False)
    return replace(period, asserts=bool(len(world.reader.recent(_admission(request, world, period), 1).rows)))


def _admission(request: Request, world: World, period: Period | None) -> Admission:
    """Which rows may answer: at the instant asked about, fitting the caller's filters and a period that filters."""
    filters = request.filters
    only = world.reader.select(filters) if filters.limiting else None
    never = world.reader.select(filters, left_out=True) if filters.not_session or filters.not_ids else None
    within = (period.since, period.until) if period is not None and period.asserts else (None, None)
    granted = sum(1 << i for i, scope in enumerate(BOUNDARY_SCOPES) if scope in request.scopes)
    return Admission(
        epoch_ms(request.instant),
        only,
        never,
        filters.since,
        filters.until,
        within,
        granted=granted,
        past=request.as_of is not None or request.as_known_at is not None,
        known=ms_if_any(request.as_known_at),
    )


def clean(query: str) -> str:
    """The query with control characters and lone surrogates as spaces.

    Raises:
        InputError: nothing is left of it, or it is longer than 20,000 characters.
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
            "<query> is required and must be non-empty",
            code="missing_query",
            next_step="say what to recall, in quotes",
        )
    return text


def _distinct_stems(terms: Sequence[Term]) -> dict[str, int]:
    """Each stem with its frequency, in query order; of a very long query the rarest are kept."""
    stems = {term.stem: term.frequency for term in terms}
    if len(stems) <= MAX_STEMS:
        return stems
    kept = sorted(stems, key=lambda stem: (stems[stem] == 0, stems[stem], stem))[:MAX_STEMS]
    return {stem: frequency for stem, frequency in stems.items() if stem in set(kept)}


def _spelled(text: str, terms: Sequence[Term], stems: Iterable[str]) -> tuple[str, ...]:
    first = {term.stem: text[term.start : term.end] for term in reversed(terms)}
    return tuple(first[stem] for stem in stems)


def _telling(words: Sequence[str]) -> tuple[int, ...]:
    """The words that say what is sought: all but those that hold a sentence together."""
    return tuple(i for i, word in enumerate(words) if word.casefold() not in function_words())


def _sought(telling: tuple[int, ...], frequencies: Sequence[int]) -> Sequence[int]:
    """The telling words, or all of them where nobody here knows a telling one."""
    return telling if any(frequencies[i] for i in telling) else range(len(frequencies))


def _searched_stems(telling: Sequence[int], frequencies: Sequence[int], cost: int) -> tuple[int, ...]:
    """Positions of the words the lexical leg searches for: the rarest, until the rows they stand in come to `cost`."""
    spent, chosen = 0, list[int]()
    for index in sorted((i for i in telling if frequencies[i]), key=lambda i: (frequencies[i], i)):
        spent += frequencies[index]
        if chosen and spent > cost:
            break
        chosen.append(index)
    return tuple(sorted(chosen))


def encode(text: str, world: World) -> tuple[QueryEncoding | None, str]:
    """The encoding of a text and ""; None and the problem where there is no encoder or it fails."""
    if world.embedder is None:
        return None, world.encoder_problem
    try:
        return world.embedder.encode_query(text, world.deadline), ""
    except EncoderError as error:
        return None, error.message


def _stems_of_tokens(encoding: QueryEncoding, terms: Sequence[Term], stems: Sequence[str]) -> tuple[int, ...]:
    """For each token of the encoding, the position of the stem that it is part of; -1 for none."""
    number = {stem: i for i, stem in enumerate(stems)}
    out: list[int] = []
    for start, end in encoding.spans:
        inside = (number.get(term.stem, -1) for term in terms if term.start < end and start < term.end)
        out.append(next(inside, -1))
    return tuple(out)


def asks_own(text: str) -> bool:
    """Whether a question is about the one who asks, and not about what the other side said or did, nor for a way.

    `If I …` supposes; who says `tell me …` or `how do I …` wants help, and may ask for anything.
    """
    if starts_task(text):
        return False
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    lowered = [word.lower() for word in words]
    if _EAST_OTHER.search(text) or not _OTHERS.isdisjoint(lowered) or _tells(lowered):
        return False
    return bool(_EAST.search(text)) or any(_is_self(words, lowered, at) for at in range(len(words)))


def _tells(words: list[str]) -> bool:
    """Whether the question is about what `you` did: `did` stands before it, or a verb in the past behind it."""
    past = lexicon.words("past")
    plain = [word for word in words if not word.endswith("ly")]
    return any(
        (word in _YOU and (after in _DONE or after in past or after.endswith("ed")))
        or (word in _DONE and after in _YOU)
        for word, after in pairwise(plain)
    )


def _is_self(words: list[str], lowered: list[str], at: int) -> bool:
    """Whether a word means the asker: it is no numeral (`Phase I`), supposes nothing, and is not whom to tell."""
    word, before = lowered[at], lowered[at - 1] if at else ""
    if word == "i":
        numeral = words[at] == "I" and before and words[at - 1][0].isupper() and before not in function_words()
        return not numeral and before not in _IF
    if word in _OBJECTS:
        return at > 1 and lowered[at - 2].isalpha() and lowered[at - 2] not in _ASKING
    return _CLITIC.sub("", word) in lexicon.persons(*_SELVES)
