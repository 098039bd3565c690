"""A polished sentence in, its category and confidence out (or none): the cue rows of its language, tried in order."""

import re
from dataclasses import dataclass

from pellucid.model.memory import Category
from pellucid.observe.language import Language, load_cues

_LEAD_IN = re.compile(r"^.{3,80}?: (?=\S{3,})")
HEDGED = 0.45
"""How much a hedge (`maybe`, `might`) takes from the confidence."""
SOFTLY_HEDGED = 0.1


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What a sentence was read as. `text` is the part that carries it, `cue` the strength of the row before hedges."""

    category: Category
    confidence: float
    cue: float
    text: str


def classify(text: str, language: Language) -> SentenceReading | None:
    """The strongest reading of a sentence, narrowed to the part behind a lead-in (`One thing: …`) if that suffices."""
    row = _first_row(text, language)
    if row is None:
        return None
    behind = text[found.end() :] if (found := _LEAD_IN.match(text)) else ""
    narrower = _first_row(behind, language) if behind else None
    if narrower and narrower.category == row.category:
        row = narrower
    said = row.text[0].upper() + row.text[1:]
    return SentenceReading(row.category, unhedged(said, row.cue, language), row.cue, said)


def unhedged(text: str, confidence: float, language: Language) -> float:
    """The confidence that is left after the hedges of a sentence, two decimals."""
    lowered = text.lower()
    penalty = HEDGED if language.noise.hedges.search(lowered) else 0.0
    penalty += SOFTLY_HEDGED if language.noise.soft_hedges.search(lowered) else 0.0
    return round(max(0.05, confidence - penalty), 2)


def _first_row(text: str, language: Language) -> SentenceReading | None:
    """The reading by the first cue in the table that fits; None where none does."""
    lowered = text.lower()
    cues, cased = load_cues(language.code)
    tables = [(table, spelled) for table, spelled in ((cues, lowered), (cased, text)) if table.any.search(spelled)]
    for category in dict.fromkeys((*cues.rows, *cased.rows)) if tables else ():
        for table, spelled in tables:
            for cue, pattern in table.rows.get(category, ()):
                if found := pattern.search(spelled):
                    kept = text[slice(*found.span("keep"))] if "keep" in pattern.groupindex else text
                    return SentenceReading(category, cue, cue, kept)
    return None
