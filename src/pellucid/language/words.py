"""A text in, its words out: all of them, or those that carry meaning; every script alike."""

import re
import unicodedata

from pellucid.language.scripts import UNSPACED

_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_TOKEN = re.compile(r"\w+(?:[._:+#-]\w+)*[+#%]*")
_UNSPACED = re.compile(f"[{UNSPACED}]+")

_STOP_WORDS = """
    a about actually after again all almost along already also although always am an and any anyone anything are around
    as at away back be became because been before being both but by came can come comes could did do does doing done
    down each either else even ever every few find first for from gave get gets getting give go goes going gone gonna
    got had has have having he her here hers herself him himself his how i if in into is it its itself just keep kind
    know last least less let like likely lot lots made make makes making many may maybe me might mine more most much
    must my myself near need needs never new next no nor not now of off often oh ok okay on once one only or other our
    ours out over own please put quite rather really right said same say see seem seems set she should since so some
    someone something soon still stuff such sure take takes than that the their theirs them themselves then there these
    they thing things think this those though through till to today together told too took toward under until up upon us
    use used using usually very via want wants was way we well went were what when where whether which while who whom
    whose why will with within without would yeah yes yet you your yours yourself dont didnt doesnt isnt wasnt cant wont
    ive id ill im youre youve theyre weve were hes shes thats whats lets s t m re ve ll d
    aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer er es für
    hat habe haben ich ihr im ist ja mein meine mich mir mit nach nicht noch nur oder schon sich sie sind so über um und
    uns unser von vor war was wenn werden wie wir wird zu zum zur
    al como con de del el ella en era es esta este esto está ha han hay he la las le lo los más me mi mis muy no nos o
    para pero por porque que se si sin su sus también te tiene todo un una y ya yo
    """
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that name nothing, of the languages the cue tables know."""


def words(text: str) -> tuple[str, ...]:
    """The casefolded words of a text in order; a run of an unspaced script (Han, Kana, Thai, …) gives its bigrams."""
    found: list[str] = []
    tokens = _TOKEN.findall(_APOSTROPHE.sub("", unicodedata.normalize("NFKC", text)).casefold())
    if text.isascii():
        return tuple(tokens)
    for token in tokens:
        runs = _UNSPACED.findall(token)
        if not runs:
            found.append(token)
            continue
        found += [part for run in runs for part in _bigrams(run)]
        found += _UNSPACED.sub(" ", token).split()
    return tuple(found)


def content_words(text: str) -> tuple[str, ...]:
    """The distinct words that carry meaning, in order of first appearance: no stop words, no lone Latin letters."""
    return tuple(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS and not _is_lone_letter(word)))


def reading_length(text: str) -> int:
    """How many words a reader meets; three signs of an unspaced script (Han, Kana, Thai, …) count as two words."""
    if text.isascii():
        return len(text.split())
    unspaced = sum(len(run) for run in _UNSPACED.findall(text))
    return len(_UNSPACED.sub(" ", text).split()) + (2 * unspaced + 2) // 3


def _bigrams(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _is_lone_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and not word.isdigit()
