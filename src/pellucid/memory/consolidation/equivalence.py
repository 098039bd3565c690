"""Two statements in, the difference that keeps them from being provably the same out; empty if they are.

Precision comes first. Every word must be in both, in the same order; only what carries no claim is allowed to differ: a
known speaker's name, sentence marks, `the`, a spelled-out contraction, a Japanese copula. See docs/consolidate.md.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import takewhile

from pellucid.language.contractions import spell_out
from pellucid.language.lexicon import likeliest_language
from pellucid.language.numbers import figures
from pellucid.language.scripts import EAST_WORDS
from pellucid.language.spelling import entity_key, normalise
from pellucid.language.statements.negation import Polarity, polarity
from pellucid.language.words import content_words, stop_words
from pellucid.model.memory import Category, Memory

_GAP = re.compile(rf"(?<=[{EAST_WORDS}])\s|\s(?=[{EAST_WORDS}])")
_COPULA = re.compile(r"(?<=[\u30a0-\u30ff\u3400-\u9fff々0-9A-Za-z%])(?:です|である|だ)$|(?<=い)です$")
_VOICE = re.compile(rf"^([A-ZÀ-Þ][\w.'’-]*(?: [A-ZÀ-Þ][\w.'’-]*){{0,2}}|[{EAST_WORDS}]{{1,8}}): ?(?=\S)")
_QUOTE = re.compile("[“”„«»「」『』]")
_TOKEN = re.compile(r"[?\"()\[\]{}]|[^\s,;:!?.。、…\"()\[\]{}]+(?:[.,:][^\s,;:!?.。、…\"()\[\]{}]+)*")
"""Words, and the marks that can change a meaning."""
_PAUSES = re.compile(r"[,;:、](?!\d)")
_REFUSAL = re.compile(r"^(?:no|nein|nope|nah|いいえ|いや|不)\b", re.IGNORECASE)
_WORDS = {
    "article-tells": """
        few little most only same who other rest first last next one two three four five six seven eight nine ten both
        """,
    "unbounded": """
        coffee tea water food music art time money work love life nature history science news information data advice
        research traffic weather software hardware energy power light air fish meat bread rice code people children men
        women mail email sleep sport fruit wine beer wood paper glass staff police feedback progress knowledge
        """,
    "verbs": """
        runs uses opens has is does stays lives works likes needs takes makes goes comes reads writes calls reports
        meets lifts keeps holds sends stores starts stops ends owns serves handles supports requires contains returns
        prefers wants leads
        """,
    "saying": "decided agreed said says believes believe means prefer thinks think know knows",
    "after-that": "we i they he she it you the",
}
_ARTICLE_TELLS, _UNBOUNDED, _VERBS, _SAYING, _AFTER_THAT = (frozenset(each.split()) for each in _WORDS.values())
"""`the` matters before `_ARTICLE_TELLS` (`the few`), plurals, and words that need no article (`_UNBOUNDED`)."""
_JOINED_ARTICLES = {
    "im": "in dem",
    "ins": "in das",
    "zum": "zu dem",
    "zur": "zu der",
    "beim": "bei dem",
    "vom": "von dem",
}
_PERSONAL = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours|ich|mich|mir|meine?\w?|wir|uns|unser\w*|du|dein\w*|ihr\w*|sie"
    r"|yo|mi|mis|me|nosotr[oa]s|nuestr\w+|tu|tus|usted\w*)\b|私|僕|俺|我|あなた|君|你|您|咱"
)
_OCCASIONS = (
    r"today|yesterday|tomorrow|tonight|now|currently|recently|lately|soon|just|again|ago|new|newly|another"
    r"|(?:this|last|next|coming|past) \w+|was|were|had|did|went|got|came|made|took|saw|met|bought|left|began|gave|won"
    r"|lost|found|told|said|felt|ran|wrote|read|sold|sent|spent|built|broke|been|\w{3,}ed"
    r"|heute|gestern|morgen|jetzt|gerade|neulich|bald|wieder|neu\w*|letzt\w+|nächst\w+|kommend\w+|war\w*|hatte\w*"
    r"|wurde\w*|ging\w*|kam\w*|\w{0,40}ge\w{2,40}(?:t|en)|\w{3,}te[nt]?"
    r"|hoy|ayer|mañana|ahora|recién|pronto|nuev\w+|otr[oa]\w*|pasad[oa]s?|próxim[oa]s?|est[ea] \w+|fu[ei]\w*|era\w*"
    r"|\w+(?:ó|é|í|aron|ieron|aba\w*|ía\w*|[ai]ste)|ha[ns]? \w+d[oa]|he \w+do|hemos \w+do"
)
_OCCASION = re.compile(
    rf"\b(?:{_OCCASIONS})\b|今日|昨日|明日|今[はの週月年]|先週|来週|先月|来月|昨年|去年|最近|また|新しい"
    r"|(?:た|ました|でした)(?=[。、\s]|$)|今天|昨天|明天|现在|最近|刚|上周|下周|上个月|下个月|又|新|了|过(?![敏时滤程度])"
)
"""Signs that a statement is about one occasion, not about what holds; too many cost a merge, too few a wrong merge."""
_STANDING: frozenset[Category] = frozenset({"decision", "rule", "principle"})
_JOINTS = re.compile("['’]")


@dataclass(frozen=True, slots=True)
class Form:
    """A statement taken apart: its speaker's key, its words and marks as written, its parts if it denies something."""

    voice: str
    cased: tuple[str, ...]
    pauses: tuple[str, ...]
    polarity: Polarity
    is_personal: bool
    is_occasion: bool
    is_plain: bool
    """Whether it was typed without capitals, so that their absence says nothing."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of `cased`, in order, casefolded."""
        return tuple(word.casefold() for word in self.cased)


def speakers(memories: Iterable[Memory]) -> frozenset[str]:
    """Return the speakers' names before statements (`Nadia` of `Nadia: I …`), as written. A word before a colon counts
    as one only if a memory that begins with it has it as its entity.
    """
    begun = ((voice[1], each.entity_ref) for each in memories if (voice := _VOICE.match(_plain(each.content))))
    return frozenset(name for name, entity in begun if entity and entity_key(name) == entity_key(entity))


def form(memory: Memory, names: Collection[str]) -> Form:
    """Take a memory's statement apart for comparison: speaker, words, denial, the parts between its commas if it denies
    or refuses, and whether it is personal, of one occasion, or typed without capitals. The text before a first colon is
    read as the speaker only if it is in `names`."""
    text = _plain(memory.content)
    voice = _VOICE.match(text)
    speaker = voice[1] if voice and voice[1] in names else ""
    rest = text[voice.end() :] if voice and speaker else text
    is_personal, is_occasion = bool(_PERSONAL.search(rest.casefold())), bool(_OCCASION.search(rest.casefold()))
    rest = _QUOTE.sub('"', _GAP.sub("", spell_out(rest))).rstrip(" .!。…")
    polarity_of_rest = polarity(rest)
    cased = _canonical_words(_TOKEN.findall(_COPULA.sub("", rest)), denied=polarity_of_rest.denied)
    keeps_pauses = polarity_of_rest.denied or _REFUSAL.match(rest)  # `no, use it` and `no use it`
    pauses = _PAUSES.split(rest)[:-1] if keeps_pauses else []
    return Form(
        entity_key(speaker),
        cased,
        tuple(each.casefold() for each in pauses),
        polarity(" ".join(cased)),
        is_personal,
        is_occasion,
        rest == rest.lower(),
    )


def form_key(memory: Memory, statement_form: Form) -> tuple[str, str, tuple[str, ...]]:
    """Return (category, entity, words), equal for all memories that can be provably the same (see `difference`);
    `statement_form` is the memory's form.
    """
    return memory.category, entity_key(memory.entity_ref or ""), statement_form.words


def difference(one: Memory, other: Memory, forms: tuple[Form, Form]) -> str:
    """Return the first difference that keeps two memories from being provably the same, as `numbers differ`; empty if
    they are.

    In this order: entities, words (`_difference_of_words`), punctuation, capitals, speakers, circumstances (attributes,
    scopes, validity, occasion). `forms` are the forms of `one` and `other`; categories are not compared.
    """
    mine, theirs = forms
    if entity_key(one.entity_ref or "") != entity_key(other.entity_ref or ""):
        return "entities differ"
    if mine.words != theirs.words or mine.polarity != theirs.polarity:
        return _difference_of_words(mine, theirs)
    if mine.pauses != theirs.pauses:
        return "punctuation differs"
    if not _same_case(one, mine, theirs):
        return "capitals differ"
    return _difference_of_speakers(one, other, mine, theirs) or _difference_of_circumstances(one, other, mine)


def _plain(text: str) -> str:
    """Return a text in compatibility form (Unicode's NFKC) with single spaces, and none at its ends."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _canonical_words(tokens: list[str], *, denied: bool) -> tuple[str, ...]:
    """Return the tokens of a statement without those that change no meaning, by its likeliest language.

    In English `the` (unless part of a name, or `_article_matters`), `that` after a verb of saying, and `also` unless
    `denied`, are left out; `an` is `a`. German joined articles are split (`im` is `in dem`). At the beginning of a
    statement of four words or more, German `die` or `das` before a capital and Spanish `el` before a small letter are
    left out. `denied` is whether the statement denies something.
    """
    folded = {word.casefold() for word in tokens}
    language = likeliest_language(folded)
    if language == "en":
        return tuple(_english_words(tokens, denied=denied))
    if language == "de":
        tokens = [part for word in tokens for part in _JOINED_ARTICLES.get(word, word).split()]
        is_article = tokens[0] in {"Die", "Das", "die", "das"} and len(tokens) > 3 and tokens[1][0].isupper()
    else:
        is_article = language == "es" and tokens[0] in {"El", "el"} and len(tokens) > 3 and tokens[1][0].islower()
    return tuple(tokens[1:] if is_article else tokens)


def _english_words(tokens: list[str], *, denied: bool) -> Iterable[str]:
    """Yield the tokens without `the` (unless it is the last, part of a name, or `_article_matters`), without `that`
    between a verb of saying and a pronoun or `the`, and without `also`, unless `denied`; `an` becomes `a`.

    `denied` is whether the statement denies something.
    """
    folded = [word.casefold() for word in tokens]
    for at, (before, word, after) in enumerate(zip(["", *folded], folded, [*folded[1:], ""], strict=False)):
        begins_name = any(each != each.lower() and not each.isupper() for each in tokens[at + 1 : at + 2])
        is_name = tokens[at] != "the" and (at or begins_name)  # `The Office`
        is_the = word == "the" and after and not is_name and not _article_matters(folded[at + 1 : at + 4])
        is_that = word == "that" and before in _SAYING and after in _AFTER_THAT
        if not (is_the or is_that or (word == "also" and not denied)):
            yield "a" if word == "an" else tokens[at]


def _article_matters(following: list[str]) -> bool:
    """Whether `the` means something before these words (at least one): before `few`, `only`, a number and the like, and
    before a noun phrase with a plural or with a noun that needs no article. `the servers` are not all servers;
    `the cache` is one.
    """
    if following[0] in _ARTICLE_TELLS or following[0][0].isdigit():
        return True
    noun_phrase = list(takewhile(lambda word: word not in stop_words() and word not in _VERBS, following))
    return any(word in _UNBOUNDED or (word[-1] == "s" and word[-2:] not in {"ss", "us", "is"}) for word in noun_phrase)


def _difference_of_words(mine: Form, theirs: Form) -> str:
    """Return the difference of two unlike wordings, the first that fits: `numbers`, `negation`, `order`, `punctuation`,
    `identifiers`, `function words`, `words`, each followed by ` differ` or ` differs`.
    """
    one, other = mine.words, theirs.words
    if sorted(figures(" ".join(one))) != sorted(figures(" ".join(other))):
        return "numbers differ"
    if mine.polarity.denied != theirs.polarity.denied:
        return "negation differs"
    if sorted(one) == sorted(other):
        return "order differs"
    unshared = set(one) ^ set(other)
    if unshared and not any(sign.isalnum() for word in unshared for sign in word):
        return "punctuation differs"
    if any(not _JOINTS.sub("", word).isalpha() for word in unshared):
        return "identifiers differ"
    return "function words differ" if not content_words(" ".join(unshared)) else "words differ"


def _same_case(memory: Memory, mine: Form, theirs: Form) -> bool:
    """Whether forms of equal words mean the same as capitalised: `US` is not `us`, but `TTL` can be `ttl`.

    Capitals do not count in names: words of the entity of `memory` (either of the two), and all if one form has no
    capitals.
    """
    names = set(entity_key(memory.entity_ref or "").split("-"))
    if mine.is_plain or theirs.is_plain:
        names |= set(mine.words)
    pairs = zip(mine.cased, theirs.cased, strict=True)
    return all(_same_spelling(one, other, names, is_first=not at) for at, (one, other) in enumerate(pairs))


def _same_spelling(one: str, other: str, names: Collection[str], *, is_first: bool) -> bool:
    """Whether two spellings of a word, equal but for capitals, mean the same.

    Always if they are equal, or both `i`. Never if the word has signs other than letters, or if one has capitals after
    its first letter but not throughout; nor for a stop word that only one writes in capitals, or that is not the first.
    Else if the word is in `names` (words known to be names), or is the first of its sentence (`is_first`) and not in
    capitals in one of them only.
    """
    if one == other or one.casefold() == other.casefold() == "i":
        return True
    word = one.casefold()
    is_shouted = len(word) > 1 and one.isupper() != other.isupper()
    has_inner_capitals = any(each[1:] != each[1:].lower() and not each.isupper() for each in (one, other))
    if not word.isalpha() or has_inner_capitals or (word in stop_words() and (is_shouted or not is_first)):
        return False
    return word in names or (is_first and not is_shouted)


def _difference_of_speakers(one: Memory, other: Memory, mine: Form, theirs: Form) -> str:
    """Return `speakers differ` if that keeps two memories of equal words apart; else empty.

    Two speakers differ if they are not the same. Two memories without a speaker differ if they say `I` or the like and
    have unlike source classes. If only one names a speaker, they differ unless the statement is not personal and begins
    with its entity, which is not the speaker.
    """
    if mine.voice == theirs.voice:
        same_mouth = not mine.is_personal or one.source_class == other.source_class
        return "" if mine.voice or same_mouth else "speakers differ"
    entity = entity_key(one.entity_ref or "")
    begins = entity and entity_key(" ".join(mine.words)).startswith(f"{entity}-")
    is_free = not mine.is_personal and entity not in {mine.voice, theirs.voice}
    return "" if not (mine.voice and theirs.voice) and begins and is_free else "speakers differ"


def _difference_of_circumstances(one: Memory, other: Memory, statement_form: Form) -> str:
    """Return the first circumstance that differs: `attributes differ`, `scopes differ`, `validity differs`, or
    `it may tell of two occasions`; empty if none does.

    The last is of statements about an occasion (`yesterday`, a past tense), no decision, rule or principle, from unlike
    or unknown sessions and unlike days. `statement_form` is the form of both memories.
    """
    if _stated(one) != _stated(other):
        return "attributes differ"
    if set(one.scopes) != set(other.scopes):
        return "scopes differ"
    if (one.expires_at, one.invalid_at) != (other.expires_at, other.invalid_at):
        return "validity differs"
    same_day = one.holds_since.date() == other.holds_since.date()
    same_time = (one.session_id and one.session_id == other.session_id) or same_day
    is_once = statement_form.is_occasion and one.category not in _STANDING
    return "it may tell of two occasions" if is_once and not same_time else ""


def _stated(memory: Memory) -> tuple[dict[str, str], set[str]]:
    """Return the attributes of a memory with their values, and the retired ones, in comparable form."""
    values = {entity_key(name): normalise(value) for name, value in memory.structured_attributes.items()}
    return values, {entity_key(name) for name in memory.retired_attributes}
