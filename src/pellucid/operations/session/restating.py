"""An earlier sentence and a correction in, the corrected sentence with its entity and attributes out."""

from pellucid.memory.reconcile.targets import Restated
from pellucid.model.observation import Resolution
from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language
from pellucid.observe.substitute import substitute


def restate(sentence: str, resolves: Resolution) -> Restated | None:
    """Replace a value in an earlier sentence by the value of a correction, and return the new sentence with its entity
    and attributes; None if it is unclear which words the correction replaces."""
    language = detect_language(sentence)
    corrected = substitute(sentence, resolves.value, resolves.about, language)
    if corrected is None:
        return None
    attribution = read_attribution(corrected.text, language)
    return Restated(corrected.text, attribution.entity, attribution.attributes)
