"""A query in, the things that it names out: quoted strings, ids, paths, identifiers, and capitalised names."""

import re
from functools import cache

from pellucid.language import lexicon
from pellucid.language.words import function_words

WORD = re.compile(r"[^\W_]+(?:[-_./#'’][^\W_]+)*")
"""Matches a word that can be part of a name."""
_MOST = 64
"""Names read in one query, at most; the first ones count."""
_LONGEST = 8
"""Words of a name in a query, at most."""
_SHORTEST = 3
"""Characters of a name that is one plain word, at least."""
_OF_TITLES = frozenset(("a", "an", "the"))
_OWNER = re.compile(r"['’]s?$")

_SHAPES = re.compile(
    r"""
    (?P<quoted> (?<!\w)"[^"\n]{1,200}"(?!\w) | “[^“”\n]{1,200}” | „[^„“”\n]{1,200}[“”] | «[^«»\n]{1,200}»
        | `[^`\n]{1,200}` | 「[^「」\n]{1,200}」 | 『[^『』\n]{1,200}』 | 《[^《》\n]{1,200}》
        | (?<![\w'’])'[^'\n]{2,200}'(?!\w) )
  | (?P<address> \b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5} | \bhttps?://[^\s<>"'）)]{1,300}[^\s<>"'）).,;:!?] )
  | (?P<path> (?<![\w./~-]) (?: (?:~|\.{1,2})?/[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,20}/?
        | [A-Za-z]:\\[\w.\\-]{1,200}
        | [\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,20}/[\w@+-][\w.@+-]{0,100}\.[A-Za-z]\w{0,8}
        | [\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){2,20}/?
        | [\w.@+-]{1,100}/(?!\S) ) )
  | (?P<flag> (?<![\w-])--[A-Za-z][\w-]{0,60} )
  | (?P<id> (?<![\w-]) (?: [A-Z]{2,10}[ ]?\#\d{1,9} | \#\d{1,9} | [A-Z][A-Z0-9]{1,9}(?:-\d{1,9}){1,3}
        | (?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}
        | [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} ) (?![\w-]) )
  | (?P<identifier> (?<![\w.-]) (?: [A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8}
        | _{0,2}[A-Za-z0-9]{1,60}(?:_[A-Za-z0-9]{1,60}){1,12}
        | [a-z]{1,40}[0-9]{0,4}[A-Z][A-Za-z0-9]{0,60} | [A-Za-z_]\w{0,60}(?=\(\)) ) (?!\w) )
  | (?P<word> [^\W\d_][\w]{0,80}(?:[-'’.&](?=\w)\w{1,80}){0,4} )
  | (?P<stop> [.!?。！？:](?=\s|$) | \n )
    """,
    re.VERBOSE,
)
_QUOTES = "\"“”„«»`'「」『』《》"
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_CONTRACTED = re.compile(r"['’](?:s|m|re|ll|ve|d|t)$", re.IGNORECASE)
_FOLLOWS = re.compile(r"\.? ([^\W\d_][\w'’-]*)(?![./]?\w)")
_TITLES = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "herr", "frau", "sr", "sra", "señor", "señora", "mme", "mlle", "m")
)
_LINKS = frozenset(
    ("of", "van", "von", "der", "den", "de", "del", "la", "le", "du", "da", "di", "dos", "el", "bin", "ibn", "al")
)
_OTHER_DATES = frozenset(("christmas", "easter", "q1", "q2", "q3", "q4", "am", "pm", "utc"))
_ORDINARY_WORDS = """
    i i'm i've i'll i'd ok okay please thanks thank hello hi hey yes no not list tell show find explain describe remind
    give get check compare summarise summarize write add fix run open remove delete rename make let let's whose whats
    what's who's where's how's it's that's there's here's does isn't aren't doesn't don't didn't can't won't wasn't may
    might must shall since because although maybe also anything something nothing everything everyone anyone someone
    read see look need want ask say said today tomorrow yesterday last next this these those any every each many much
    many most first second before after during between while without within whether like look draft create update
    change set put take use keep go come back todo faq fyi asap ps sag zeig erkläre liste nenne gib dime muestra
    explica lista dis montre explique donne est-ce avons a-t avez hängt hängen läuft gibt wurde wurden habe hast
    welches welchen welchem wieso weshalb wofür womit wovon woher
"""
_ARTICLES_WORDS = """
    der die das dem den des ein eine einen einem einer eines im am zum zur beim vom ins unser unsere unserem unseren
    unserer mein meine meinem meinen meiner dein deine kein keine keinen welche welcher welches welchen jede jeder
    jedes diese dieser dieses diesem diesen zwei drei neue neuen alte alten
"""
_ARTICLES = frozenset(_ARTICLES_WORDS.split())


def entities(text: str) -> tuple[str, ...]:
    """Return the distinct names in a query, in its order and spelling, 64 at most.

    Names are quoted strings, addresses, paths, flags, ids, code identifiers, and runs of capitalised words. Dates,
    function words, single letters and the first word of a sentence are no names by their capital alone; nor is a word
    of a text all in capitals or, in German, where every noun has a capital, a word after an article.
    """
    collector = _NameCollector(text)
    for match in _SHAPES.finditer(text):
        collector.take(match)
        if len(collector.names) >= _MOST:
            break
    collector.close()
    return tuple(collector.names)[:_MOST]


@cache
def _calendar() -> frozenset[str]:
    """Return months, weekdays and the like in lower case: they have a capital, and are not names."""
    return _OTHER_DATES.union(lexicon.months(), lexicon.weekdays())


@cache
def _ordinary() -> frozenset[str]:
    """Return function words and words that often begin a sentence, in lower case; dates are in `_calendar`."""
    return function_words() | frozenset(_ORDINARY_WORDS.split())


class _NameCollector:
    """Collects the names in a text, piece by piece; consecutive capitalised words make one name."""

    def __init__(self, text: str) -> None:
        """Begin with no names; the first 400 characters tell whether the text is German, which capitalises nouns."""
        self.names: dict[str, None] = {}
        self._text = text
        self._german = lexicon.likeliest_language({*text[:400].lower().split()}) == "de"
        self._shouts = text.isupper() and " " in text
        self._start = self._end = self._linked = -1
        self._opening = True
        self._before = ""

    def take(self, match: re.Match[str]) -> None:
        """Read the next match of `_SHAPES`; names that are complete are added to `names`.

        A word begins, continues or ends a name of several words. The end of a sentence (not the full stop of `Dr.`)
        ends it, and so does any other shape (a quotation, a path, an id …), which is a name by itself.
        """
        kind, piece = match.lastgroup, match[0]
        if kind == "stop":
            if piece == "." and self._before in _TITLES:
                return
            self.close()
            self._opening = True
        elif kind == "word":
            self._take_word(piece, match.start())
            self._opening, self._before = False, piece.lower()
        else:
            self.close()
            self._add(piece.strip(_QUOTES).strip() if kind == "quoted" else piece)
            self._opening, self._before = False, ""

    def close(self) -> None:
        """End the name being read, if any, and add it."""
        if self._start >= 0:
            self._add(self._text[self._start : self._end])
        self._start = self._end = self._linked = -1

    def _take_word(self, piece: str, at: int) -> None:
        """Read the word `piece` at the character position `at`: it begins or continues a name, links two parts (`of`),
        or ends the name."""
        bare = _POSSESSIVE.sub("", piece)
        joined = self._start >= 0 and self._text[max(self._end, self._linked) : at] in (" ", ". ")
        if not self._is_name(piece, bare, at, joined=joined):
            if joined and piece in _LINKS:
                self._linked = at + len(piece)
            else:
                self.close()
            return
        if not joined:
            self.close()
            self._start = at
        self._end, self._linked = at + len(bare), -1
        if bare != piece:
            self.close()

    def _is_name(self, piece: str, bare: str, at: int, *, joined: bool) -> bool:
        """Whether a word is part of a name: it begins with a capital, and not for another reason.

        Other reasons: it is a date, a function word or the like, a contraction (`I'll`), a single letter (unless
        `joined`), part of a text all in capitals, or, unless it stands out (`_stands_out`), first in a sentence or, in
        German, after an article. `bare` is the word without a possessive ending; `joined`: whether it directly
        continues the name being read.
        """
        lowered = bare.lower()
        if not piece[0].isupper() or lowered in _calendar() or lowered in _ordinary() or piece.lower() in _ordinary():
            return False
        if bare == piece and _CONTRACTED.search(piece):
            return False
        if self._shouts or (len(bare) == 1 and not joined):
            return False
        return self._stands_out(piece, bare, at) or not (self._opening or (self._german and self._before in _ARTICLES))

    def _stands_out(self, piece: str, bare: str, at: int) -> bool:
        """Whether a capitalised word is a name even as a sentence's first.

        It is if it has a possessive ending (`bare` is the word without it), a second capital or a digit, or if the word
        after it goes on with a name. `at` is where it begins in the text.
        """
        if bare != piece or any(c.isupper() or c.isdigit() for c in bare[1:]):
            return True
        return self._opening and self._begins_name(piece, at + len(piece))

    def _begins_name(self, piece: str, end: int) -> bool:
        """Whether a sentence's first word, ending at `end`, begins a name: a space and a capitalised word follow.

        That word must be no date or ordinary word, unless the first word is a title; only a title may have a full stop
        (`Dr.`).
        """
        after = self._text[end : end + 60]
        follows = _FOLLOWS.match(after)
        if not follows or not follows[1][0].isupper():
            return False
        title = piece.lower() in _TITLES
        return title or (not after.startswith(".") and follows[1].lower() not in _calendar() | _ordinary())

    def _add(self, name: str) -> None:
        """Add a name, unless it is an abbreviation such as `e.g` or has neither letter nor digit."""
        if name and any(c.isalnum() for c in name) and not re.fullmatch(r"(?:\w\.)+\w", name):
            self.names.setdefault(name)


def names_in(text: str) -> list[str]:
    """Return everything that could name something in a text: each run of up to eight words, once, the longest first.

    No run begins or ends with a function word, except that a title is allowed to begin with an article. A run of one
    word has three characters or more. Possessive endings are cut off. Runs of one length are in the text's order.
    """
    words = [_OWNER.sub("", word) for word in WORD.findall(text)]
    is_function_word = [word.casefold() in function_words() for word in words]
    can_begin = [not void or word.casefold() in _OF_TITLES for word, void in zip(words, is_function_word, strict=True)]
    out: dict[str, None] = {}
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length - 1
            if not is_function_word[end] and can_begin[start] and (length > 1 or len(words[start]) >= _SHORTEST):
                out.setdefault(" ".join(words[start : end + 1]))
    return list(out)
