"""A person's turn in, its corrections and retractions out: `Actually it is 600` after `The TTL is 300 s`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.model.observation import Resolution
from pellucid.observe.attributes import Attribution, read_attribution
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.statements import POSITIONS, is_question, is_unresolved
from pellucid.observe.language import Language
from pellucid.observe.prose import blocks, prose_sentences, sentences
from pellucid.observe.setting import TurnContext
from pellucid.observe.substitute import substitute

REACH = 4
"""Turns before a correction that are searched for what it corrects."""
NEAR = 40
"""Sentences of those turns, and as many of its own turn before it, that a correction can correct."""
_LONGEST = 240
_CLOSING = " .!。！…"
_EDGES = _CLOSING + ",、，\"'"
_MEASURE = re.compile(r"^[$€£¥]?\d[\d.,:]* ?(?:[^\W\d]+|%)$")
"""A number with its unit: the unit tells what kind of attribute the value is of."""
_ARTICLE = re.compile(r"^(?:the|an?|der|die|das|el|la)\s+(?=[a-zß-ÿ])")


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence with its turn, and its position in the turn as in `ObservedStatement`."""

    raw: str
    position: int
    context: TurnContext

    @property
    def text(self) -> str:
        """The sentence without full stops and exclamation marks at its ends; a question mark stays."""
        return self.raw.strip(_CLOSING)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A correction or retraction as a text that stands alone.

    `source` is the sentence that it corrects, `replaces` are the sentences of its own turn that `text` replaces.
    """

    text: str
    resolves: Resolution
    source: SaidSentence | None = None
    position: int = 0
    replaces: tuple[str, ...] = ()


def resolutions(before: Sequence[TurnContext], context: TurnContext) -> tuple[Resolved, ...]:
    """Return the corrections and retractions in a person's turn, in order; `()` for any other turn.

    `before` are the contexts of the turns before it. Of these, only the four nearest turns can be corrected, and of
    their sentences and those of its own turn the nearest 40 each. Questions, and sentences of over 240 characters,
    correct nothing.
    """
    language = context.language
    if context.turn.role != "user" or not language.resolutions.sign.search(context.turn.content.lower()):
        return ()
    near = [each for each in before if 0 < context.turn.ordinal - each.turn.ordinal <= REACH]
    earlier = [
        each for turn in near for each in _positioned_sentences(turn) if closing_mark(each.raw) not in QUESTION_MARKS
    ]
    found: list[Resolved] = []
    here: list[SaidSentence] = []
    for parts in _marked_sentences(_positioned_sentences(context), language):
        resolved = _resolve(parts, earlier[-NEAR:], here[-NEAR:], context)
        if resolved:
            found.append(resolved)
        # what comes later corrects the corrected sentence
        here.append(SaidSentence(resolved.text, parts[0].position, context) if resolved else parts[-1])
    return tuple(found)


def lone_correction(text: str, language: Language) -> Resolution | None:
    """Return the correction that a text is, if it is one sentence worded as a correction, is no question, and gives a
    number with a unit but no subject (`Actually it is 600 ms`); else None.
    """
    sentence = text.strip(_CLOSING)
    parts = prose_sentences(text)
    if len(parts) != 1 or is_question(parts[0], language) or not language.resolutions.sign.search(sentence.lower()):
        return None
    correction = _correction(sentence, (), language)
    return correction.resolves if correction and correction.resolves.value else None


def _resolve(
    parts: tuple[SaidSentence, ...], earlier: Sequence[SaidSentence], here: Sequence[SaidSentence], context: TurnContext
) -> Resolved | None:
    """Return the correction or retraction that a sentence is, `parts` joined; None if it is neither, is a question, has
    over 240 characters, or no sign of one (the language's `resolutions.sign`).

    `earlier` are the sentences of the turns before, `here` those before it in its own turn.
    """
    sentence = ", ".join(part.text for part in parts)
    if len(sentence) > _LONGEST or not context.language.resolutions.sign.search(sentence.lower()):
        return None
    if is_question(parts[-1].raw, context.language):
        return None
    made = _retraction(sentence, here, context) or _correction(sentence, [*earlier, *here], context.language)
    if not made:
        return None
    own_source = (made.source.raw,) if made.source and made.source.context is context else ()
    replaces = (*(part.raw for part in parts), *own_source)
    return Resolved(made.text, made.resolves, made.source, parts[0].position, replaces)


def _positioned_sentences(context: TurnContext) -> list[SaidSentence]:
    """Return the sentences of a turn in order, each with its position: 1,000 times the index of its block (paragraph or
    list item), plus its index in the block.
    """
    return [
        SaidSentence(sentence, at * POSITIONS + number, context)
        for at, block in enumerate(blocks(context.turn.content))
        for number, sentence in enumerate(sentences(block.text))
    ]


def _marked_sentences(own_sentences: Sequence[SaidSentence], language: Language) -> Iterator[tuple[SaidSentence, ...]]:
    """Yield the sentences in order, one to a tuple; but a bare mark (`Scratch that.`) and the sentence after it, which
    is not yielded again, in one tuple of two. A mark that is the last sentence stands alone.
    """
    at = 0
    while at < len(own_sentences):
        bare = language.resolutions.mark.fullmatch(f"{own_sentences[at].text},")
        width = 2 if bare and at + 1 < len(own_sentences) else 1
        yield tuple(own_sentences[at : at + width])
        at += width


def _retraction(sentence: str, here: Sequence[SaidSentence], context: TurnContext) -> Resolved | None:
    """Return the retraction that a sentence is; None if it is not worded as one, or if there is nothing to take back.

    It retracts what the sentence names, else the last sentence of `here`, the sentences before it in its turn.
    """
    for pattern in context.language.resolutions.retractions:
        if found := pattern.search(sentence):
            last = here[-1].text if here else ""
            about = (found.groupdict().get("about") or last).strip(_EDGES)
            return Resolved(sentence, Resolution(kind="retraction", about=about)) if about else None
    return None


def _correction(sentence: str, before: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """Return the correction that a sentence is, by the first pattern that leads to a whole statement, else None.

    `before` are the sentences that it can correct. If no pattern does, a bare value with a unit (`600 ms`) is a
    correction without a subject.
    """
    subjectless: Resolved | None = None  # the last resort
    for pattern in language.resolutions.corrections:
        found = pattern.search(sentence)
        groups = found.groupdict() if found else {}
        old = _bare_value(groups.get("old") or "", language)
        whole = groups.get("whole")
        correction = _whole_correction(whole, old, before, language) if whole else None
        if not whole and groups.get("new"):
            new = _bare_value(groups["new"], language)
            correction = _elliptic_correction(new, old, before, language)
            if subjectless is None and _MEASURE.match(new):
                subjectless = Resolved(sentence, Resolution(kind="correction", about=old, value=new))
        if correction:
            return correction
    return subjectless


def _elliptic_correction(new: str, old: str, before: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """Return the correction that puts the bare value `new` (`it is 600`) into the latest sentence of `before` that it
    fits, with that sentence as its source.

    `old` is the value to replace, empty if the correction does not name it. None if the new value fits no sentence.
    """
    for earlier in reversed(before) if new else ():
        spoken_in = earlier.context.language
        text = polish(earlier.text, spoken_in)
        made = substitute(text, new, old, language) if text and not is_unresolved(text, spoken_in) else None
        if made:
            return Resolved(made.text, Resolution(kind="correction", about=made.old), earlier)
    return None


def _whole_correction(text: str, old: str, before: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """Return the correction in a text that names its subject, and replaces a known value or states an attribute; else
    None.

    `old` is the old value that the text names, or empty; then it is looked up in the sentences `before`.
    """
    statement = polish(language.resolutions.contrast.sub("", text), language)
    if not statement or is_unresolved(statement, language):
        return None
    now = read_attribution(statement, language)
    about = old or _old_value(now, before, language)
    return Resolved(statement, Resolution(kind="correction", about=about)) if about or now.entity else None


def _old_value(now: Attribution, before: Sequence[SaidSentence], language: Language) -> str:
    """Return the other value that the latest sentence of `before` gives an attribute of the same entity that the
    correction gives, too; empty if none does. `now` is what the correction states.
    """
    for earlier in reversed(before) if now.entity else ():
        then = read_attribution(polish(earlier.text, language), language)
        for attribute in now.attributes.keys() & then.attributes.keys() if then.entity == now.entity else ():
            if then.attributes[attribute] != now.attributes[attribute]:
                return then.attributes[attribute]
    return ""


def _bare_value(value: str, language: Language) -> str:
    """Return a value without its article, punctuation at its ends, and the words after it."""
    return _ARTICLE.sub("", language.clauses.after_value.sub("", value)).strip(_EDGES)
