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
    """A sentence's category by its cue words; `text` is the part that says it, `cue` the confidence before hedges."""

    category: Category
    confidence: float
    cue: float
    text: str


def classify(text: str, language: Language) -> SentenceReading | None:
    """The reading of a sentence by the first cue that fits, without a lead-in (`One thing: …`) if that suffices; None
    if no cue fits."""
    row = _first_row(text, language)
    if row is None:
        return None
    behind = text[found.end() :] if (found := _LEAD_IN.match(text)) else ""
    narrower = _first_row(behind, language) if behind else None
    if narrower and narrower.category == row.category:
        row = narrower
    said = row.text[0].upper() + row.text[1:]
    return SentenceReading(row.category, hedged_confidence(said, row.cue, language), row.cue, said)


def hedged_confidence(text: str, confidence: float, language: Language) -> float:
    """The confidence less what the hedges (`maybe`, `might`) in a sentence take off, at least 0.05, rounded to two
    decimals."""
    lowered = text.lower()
    penalty = HEDGED if language.noise.hedges.search(lowered) else 0.0
    penalty += SOFTLY_HEDGED if language.noise.soft_hedges.search(lowered) else 0.0
    return round(max(0.05, confidence - penalty), 2)


def _first_row(text: str, language: Language) -> SentenceReading | None:
    """The reading by the first cue row that matches; None if none does."""
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
