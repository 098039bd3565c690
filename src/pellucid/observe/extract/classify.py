"""A polished sentence in, its category and confidence out, if it has any: its language's cue rows, tried in order."""

import re
from dataclasses import dataclass

from pellucid.language.sentences import mask_code
from pellucid.model.memory import Category
from pellucid.observe.extract.polish import capitalised
from pellucid.observe.language import Language, load_cues

_LEAD_IN = re.compile(r"^.{3,80}?: (?=\S{3,})")
HEDGED = 0.45
"""What a hedge (`maybe`, `might`) takes from the confidence."""
SOFTLY_HEDGED = 0.1


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """A sentence's category by its cue words, and the confidence in it.

    `text` is the part of the sentence that says it, `cue` the confidence before hedges.
    """

    category: Category
    confidence: float
    cue: float
    text: str


def classify(text: str, language: Language) -> SentenceReading | None:
    """Return the reading of a sentence by the first cue (wording that tells a category, such as `we decided`) that
    fits, with the hedges taken off its confidence; None if no cue fits.

    If the text behind a lead-in (`One thing: never …`) fits a cue of the same category by itself, the reading is of
    that text.
    """
    row = _first_row(text, language)
    if row is None:
        return None
    rest = text[found.end() :] if (found := _LEAD_IN.match(mask_code(text))) else ""
    narrower = _first_row(rest, language) if rest else None
    if narrower and narrower.category == row.category:
        row = narrower
    stated = capitalised(row.text)
    return SentenceReading(row.category, hedged_confidence(stated, row.cue, language), row.cue, stated)


def hedged_confidence(text: str, confidence: float, language: Language) -> float:
    """Return `confidence` less .45 if the text has a hedge of the language (`maybe`, `might`), and less .1 if it has a
    soft one; at least 0.05, with two decimals.
    """
    lowered = text.lower()
    penalty = HEDGED if language.noise.hedges.search(lowered) else 0.0
    penalty += SOFTLY_HEDGED if language.noise.soft_hedges.search(lowered) else 0.0
    return round(max(0.05, confidence - penalty), 2)


def _first_row(text: str, language: Language) -> SentenceReading | None:
    """Return the reading of a text by the first cue row (a pattern that tells a category, with a confidence) that
    matches, before hedges, by the language's categories in order; None if no row matches.
    """
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
