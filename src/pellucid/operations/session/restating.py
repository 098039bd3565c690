"""An earlier sentence and the value of a correction in, the sentence as corrected, and what it states, out."""

from pellucid.memory.reconcile.targets import Restated
from pellucid.model.observation import Resolution
from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language
from pellucid.observe.substitute import substitute


def restate(sentence: str, resolves: Resolution) -> Restated | None:
    """Put the value of a correction into an earlier sentence; None where it is unclear what it replaces."""
    language = detect_language(sentence)
    made = substitute(sentence, resolves.value, resolves.about, language)
    if made is None:
        return None
    read = read_attribution(made.text, language)
    return Restated(made.text, read.entity, read.attributes)
