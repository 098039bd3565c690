"""A statement in, its subject and whether it denies that out: `X uses Y` and `X no longer uses Y` share a key."""

import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256

from pellucid.language import lexicon
from pellucid.language.contractions import without_clitics
from pellucid.language.inflection import base_form
from pellucid.language.scripts import EAST_WORDS, HIRAGANA, is_east
from pellucid.language.spelling import entity_key
from pellucid.text_cache import text_cache

_NO_DENIAL = re.compile(
    r"^(?:no|nein|nope|nah)[,.!] +|(?<=: )(?:no|nein|nope|nah)[,.!] +"
    r"|\b(?:not|nicht|no) (?:only|just|merely|nur|bloß|sólo|solo|solamente)\b|\b(?:no|without) (?:doubt|matter)\b"
    r"|\bwhether or not\b|\bif not\b|\bsin embargo\b|\bsin duda\b|\bnicht zuletzt\b|\bno\. ?(?=\d)"
    r"|,? \bnot (?=\S[^,.;]{0,40}?,? but\b)|(?<!\w)nicht (?=\S[^,.;]{0,40}, sondern\b)"
)
_CONTRAST = re.compile(
    r"(?:, (?:(?:and|und|y) )?| - |; )(?:not|nicht|kein\w{0,2}|no) [^,.;]{1,60}(?=[,.;]|$)"
    r"|\bnot \S[^,.;]{0,40}?,? but (?!also\b)|(?<!\w)nicht \S[^,.;]{0,40}, sondern (?!auch\b)"
    r"|\bno \S[^,.;]{0,40}?,? sino (?!también\b)"
)
_NO_LONGER = re.compile(
    r"\bno longer\b|\b(?:not|n[io]cht|kein\w{0,2}) mehr\b"
    r"|\b(?:stop(?:s|ped)?|quit|quits|cease[sd]?) (?=\w+ing\b)|\b(?:dejó|dejé|deja|dejo|dejamos|dejaron|dejan) de\b"
)
_TOKEN = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,:]\d+)*%?|[^\W\d_]+[+#]*")
_REFUSING = "no"

_KANA = re.compile(f"[{HIRAGANA}]")
_CLAUSE = re.compile(f"[{EAST_WORDS}]+")

_JA_CONTRAST = re.compile(r"[^、。,]{1,20}(?:ではなくて?|じゃなくて?)、?")
_JA_MUST = re.compile(r"(?:なければ|なくては|ないと)(?:なりません|ならない|いけません|いけない)$")
_JA_FORMS: tuple[tuple[re.Pattern[str], str, int], ...] = tuple(
    (re.compile(pattern), affirmed, denials)
    for pattern, affirmed, denials in (
        (r"(?:では|じゃ)(?:ありません(?:でした)?|ない(?:です)?|なかった(?:です)?|なくなりました)$", "", 1),
        (r"く(?:ありません(?:でした)?|ない(?:です)?|なかった(?:です)?)$", "い", 1),
        (r"(?<=[はがも])(?:ない(?:です)?|なかった(?:です)?)$", "あ", 1),
        (r"(?:の|こと)?を?(?:やめました|やめた|やめます|やめる)$", "", 1),
        (r"なくなり(?:ました|ます)$|なくなった$|なくなっています?$", "", 1),
        (r"ないでください$|ないこと$", "", 1),
        (r"(?:って|んで|いで|いて|して|て)は(?:いけません|いけない|なりません|ならない|だめです)$", "", 1),
        (r"(?:って|んで|いで|いて|して|て)(?:い)?(?:ません(?:でした)?|ない(?:です)?|なかった(?:です)?)$", "", 1),
        (r"ません(?:でした)?$|ない(?:です)?$|なかった(?:です)?$", "", 1),
        (r"(?:って|んで|いで|いて|して|て)(?:います|いました|いる|いた|ます|る|ください)$", "", 0),
        (r"(?:ました|ます|でした|です|だった|だ)$", "", 0),
    )
)
_JA_STEM = re.compile(
    r"(?<=[\u30a0-\u30ff\u4e00-\u9fffべめけせてねえげぜでれ])(?:する|し|る)$|[うくぐすつぬぶむるいきぎしちにびみりわかがさたなばまら]$"
)
_JA_PARTICLES = re.compile(r"もう|まだ|今は|[はがをも]")

_ZH_PLAIN = re.compile(
    "不(?:但|仅|只|管|同|过(?!敏|时)|错|久|断|论|如|少)|不得不|非常|无论|未来|特别|告别|区别|别[人的]|[级类性个]别|不好意思"
)
_ZH_CONTRAST = re.compile(r"不是[^,。;]{1,20}?,?(?:而是|(?<=,)是)|,(?:而)?不是[^,。;]{1,20}")
_ZH_NEGATORS = re.compile("不再|没有|并不|从不|从来不|从未|不要|不用|不会|[不没别未勿无]")
_ZH_PARTICLES = re.compile("[了的过着有也都会要再]|已经|现在|一直|总是")


@dataclass(frozen=True, slots=True)
class Polarity:
    """The subject of a statement as a hash (`key`, 64 hex digits), and whether the statement denies it."""

    key: str
    denied: bool


@text_cache(1 << 10)
def polarity(text: str, entity: str | None = None) -> Polarity:
    """Return the subject of a statement and whether it is denied.

    Two statements of one key and unlike `denied` contradict each other. The key hashes the entity and the content words
    in order, each once, without negators and in base form; the speaker's name in front and numbers are words like
    others. A second negation cancels the first. A contrast (`600, not 300`) is read as what it affirms.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    denials = 0
    if is_east(plain):
        plain, denials = _affirm_japanese(plain) if _KANA.search(plain) else _affirm_chinese(plain)
    plain = _CONTRAST.sub(" ", without_clitics(plain))
    plain = _NO_LONGER.sub(" never ", _NO_DENIAL.sub(" ", plain))
    subject: dict[str, None] = {}
    negators, repeats, dropped = (lexicon.words(kind) for kind in ("negators", "concord", "unsaying"))
    refused = False
    for token in _TOKEN.findall(plain):
        if token in negators:
            # after `no`, a language of double negation repeats it: `no usamos nada` denies once
            denials += not (refused and token in repeats)
            refused = refused or token == _REFUSING
        elif token not in dropped:
            subject[base_form(token)] = None
    key = sha256(f"{entity_key(entity or '')}\0{' '.join(subject) or plain.strip()}".encode()).hexdigest()
    return Polarity(key, denials % 2 == 1)


def _affirm_japanese(text: str) -> tuple[str, int]:
    """Return a Japanese text without its denials, its verbs' endings and particles, and the number of denials. What a
    contrast denies (`300ではなく`) is removed, and does not count.
    """
    count = last = 0
    parts: list[str] = []
    text = _JA_CONTRAST.sub(lambda found: _contrast_topic(found[0]), text)
    for found in _CLAUSE.finditer(text):
        stem, denials = _affirm_clause(found[0])
        parts += [text[last : found.start()], " ", _JA_PARTICLES.sub(" ", stem)]
        count, last = count + denials, found.end()
    return "".join([*parts, text[last:]]), count


def _contrast_topic(contrast: str) -> str:
    """Return a Japanese contrast without its denied value: `TTLは` of `TTLは300ではなく`; empty without a topic."""
    return contrast[: contrast.index("は") + 1] if "は" in contrast[:-4] else ""


def _affirm_clause(clause: str) -> tuple[str, int]:
    """Return a Japanese clause affirmed, without its verb's ending, and the number of its denials (0 or 1). A double
    denial that means `must` (`なければならない`) becomes the word `must`, and counts 0.
    """
    if found := _JA_MUST.search(clause):
        return f"{_JA_STEM.sub('', clause[: found.start()])} must", 0
    for form, affirmed, denials in _JA_FORMS:
        if found := form.search(clause):
            stem = clause[: found.start()] + affirmed
            return _JA_STEM.sub("", stem), denials
    return _JA_STEM.sub("", clause), 0


def _affirm_chinese(text: str) -> tuple[str, int]:
    """Return a Chinese text without its denials, contrasts (`不是300,而是`), particles, and words that only look like a
    denial (`不但`), and the number of denials outside of contrasts.
    """
    plain = _ZH_CONTRAST.sub(lambda found: "是" if found[0].endswith("是") else "", text)
    kept = _ZH_PLAIN.sub(" ", plain)
    denials = len(_ZH_NEGATORS.findall(kept))
    return _ZH_PARTICLES.sub("", _ZH_NEGATORS.sub("", kept)), denials
