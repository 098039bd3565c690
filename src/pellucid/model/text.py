"""A text in, its normal form, hash and content words out: pure functions that treat every script alike."""

import re
import unicodedata
from hashlib import sha256

_NEGATED = (
    (re.compile(r"\b(?:can['’]t|cannot)\b"), "can not"),
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"n['’]t\b"), " not"),
)
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_JOINT = re.compile(r"(?<=[^\W_])[:,](?=\d)|(?<=[^\W_])[._](?=[^\W_])")
_KEPT = frozenset("+#%@<>=≤≥≠−§&")
_SIGN = re.compile(r"(?<![\w)])-(?=\d)")
_TOKEN = re.compile(r"\w+(?:[._:+#-]\w+)*[+#%]*")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1780-\u17ff]+"
)

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


class _Spacing(dict[int, str]):
    """For `str.translate`: a sign that names nothing as a space, any other as itself; asked once for each sign."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if _stays(char) else " "
        return self[code]


_SPACED = _Spacing()


def normalise(text: str) -> str:
    """One canonical spelling of `text`: NFKC, casefold, one space between words.

    Letters, marks and digits of every script stay, and so do negations (`isn't` becomes `is not`) and signs that
    change a value (`-5`, `1.5`, `c++`, `50%`, `<`). Other punctuation becomes a space. A text of nothing but
    punctuation or emoji keeps it, so that no two different texts meet in the empty string.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    spelled = folded
    for contracted, full in _NEGATED:
        spelled = contracted.sub(full, spelled)
    spelled = _SIGN.sub("−", _APOSTROPHE.sub("", spelled))
    signs = list(spelled.translate(_SPACED))
    for found in _JOINT.finditer(spelled):
        signs[found.start()] = found[0]
    return " ".join("".join(signs).split()) or " ".join(folded.split())


def content_hash(text: str, entity: str | None = None) -> str:
    """SHA-256 (64 hex digits) of the normal form within one entity: equal words about two things do not collide."""
    return sha256(f"{entity_key(entity or '')}\0{normalise(text)}".encode()).hexdigest()


def entity_key(name: str) -> str:
    """The comparable name of an entity or attribute: trimmed, casefolded, runs of space or hyphen as one `-`."""
    return re.sub(r"[\s\-‐-―_]+", "-", unicodedata.normalize("NFKC", name).casefold().strip())


def tag_key(tag: str) -> str:
    """The comparable form of a tag: composed, trimmed, casefolded."""
    return unicodedata.normalize("NFC", tag).strip().casefold()


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


def _stays(char: str) -> bool:
    return char in _KEPT or unicodedata.category(char)[0] in "LMN" or unicodedata.category(char) in {"Sc", "Sm"}


def _bigrams(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _is_lone_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and not word.isdigit()


def attribute_key(entity: str, attribute: str) -> str:
    """`entity::attribute` in comparable form: what supersession goes by."""
    return f"{entity_key(entity)}::{entity_key(attribute)}"


_BLANKS = 100
"""Signs before a bracket that are looked through for blanks."""
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")


def asks(content: str) -> bool:
    """Whether a text only asks: a question mark ends it, brackets behind it aside."""
    end = len(content.rstrip())
    while end and content[end - 1] == "]":
        start = content.rfind("[", 0, end)
        if start < 0 or "]" in content[start + 1 : end - 1]:
            break
        end = len(content[max(0, start - _BLANKS) : start].rstrip()) + max(0, start - _BLANKS)
    return content[:end].endswith(_QUESTION_MARKS)
