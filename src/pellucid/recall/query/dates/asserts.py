"""A query and where a date stands in it in, whether that date is of the saying and not of an event out."""

import re

_SAYS = (
    r"decide|agree|discuss|say|tell|talk|mention|note|record|conclude|settle|choose|pick|ask|promise|propose|suggest"
    r"|go over|vote|commit|write down|remember|learn|save|store|speak|chat|rule out|resolve|jot down|bring up"
)
_SAID = (
    r"decided|agreed|discussed|said|told|talked|mentioned|noted|recorded|concluded|settled|chose|chosen|picked|asked"
    r"|promised|proposed|suggested|went over|voted|committed|wrote down|written down|learned|learnt|saved|stored|spoke"
    r"|chatted|ruled out|resolved|brought up"
)
_PASSIVE = (
    r"decided|agreed|discussed|said|mentioned|noted|concluded|settled|promised|written down|talked about|ruled out"
)
_GERMAN = (
    r"beschlossen|besprochen|entschieden|gesagt|erzählt|vereinbart|notiert|festgelegt|abgemacht|ausgemacht|erwähnt"
    r"|diskutiert|geredet|gesprochen|festgehalten"
)
_SPANISH = (
    r"decidimos|acordamos|hablamos|dije|dijimos|dijiste|conté|contaste|mencioné|mencionaste|comentamos|quedamos|anoté"
    r"|anotamos|discutimos|elegimos|se (?:decidió|acordó|dijo)"
)
_FRENCH = r"décidé|convenu|discuté|dit|parlé|noté|mentionné|choisi|raconté|évoqué"

_SAYING = re.compile(
    rf"\b(?:did|have|had|do) (?:[\w'-]+ and )?(?:we|i|you)(?: all| both| actually| finally| already| last| ever)?"
    rf" (?:{_SAYS}|{_SAID})\b"
    rf"|(?<!were )(?<!was )\b(?:we|i|you)(?:'ve| have| had|'d)?(?: all| both| finally| already| just)? (?:{_SAID})\b"
    rf"|\b(?:was|were|been|got)(?: it| that| anything)?(?: finally| already)? (?:{_PASSIVE})\b"
    r"|\b(?:decisions?|agreements?|notes?|promises?|discussions?)(?: that)?(?: we| i| you| were)?"
    r" (?:made|taken|reached|took)\b"
    rf"|\b(?:haben?|hast|hatten?|wurden?|wir|ich|du)\b(?: \S+){{0,9}}? (?:{_GERMAN})\b"
    rf"|\b(?:{_SPANISH})\b"
    rf"|(?:\b(?:avons|a|ai|as|avez|ont)|[jt]'ai|t-on)(?:-nous|-tu|-vous|-je|-on)?(?: \S+){{0,3}}? (?:{_FRENCH})\b"
)
_RECORD = (
    r"sessions?|conversations?|chats?|discussions?|notes?|transcripts?|sitzung(?:en)?|gesprächs?|notizen"
    r"|sesión|sesiones|conversación|notas|séance|conversation"
)
_OF_RECORD = re.compile(
    rf"\b(?:{_RECORD}|decisions?|agreements?|entscheidungen|beschlüsse|decisiones|décisions)"
    r"(?: made| taken| we had| recorded)?(?: from| of| in| on| at| since| before| after| until| between| vom| von| aus"
    r"| im| der| de| del| de la| du| en)?(?: the| der| dem)?\s*$"
)
_BEHIND_RECORD = re.compile(rf"^(?:'s)?(?: \w+)? (?:{_RECORD})\b")
_OWNS = re.compile(r"^'s? \w|^' \w")
_OWNED = re.compile(r"\b(?:the|our|my|that|this|a|his|her|their|der|die|das|den|dem|im letzten|el|la|le|l')\s*$")
_FROM_THING = re.compile(r"\b(?:the|our|my|that|his|her|their)(?: [\w'-]+){1,3} (?:from|of|in|on|vom|aus)(?: the)?\s*$")
_TOPIC = re.compile(
    r"\b(?:about|regarding|on|concerning|for|of|with respect to|zu|zum|zur|über|wegen|sobre|sur|pour|para|that)\b"
)
_ASIDE = re.compile(
    r"(?:,? (?:(?:to |with |between )?(?:you|me|us|each other|everyone|everybody)|with \w+|it|that|this|anything"
    r"|something|together|already|finally|back|down|all|both|here|earlier|again|exactly|only|some time|sometime"
    r"|about(?= (?:on|in|at|during)\b)|auch|schon|noch|zusammen|ya|juntos|déjà|ensemble))*,?"
    r"(?: (?:on|in|at|during|over|early|late|around|am|im|um|en|el|le|au|à))*(?: the| der| dem| el| la)? ?"
)
"""What may stand between the saying and a date of it: to whom, with whom, and small words."""
_MATTER = re.compile(
    r"\b(?:to|zu|zum|zur|a|an|the|our|my|der|die|das|dem|den|ein|eine|einen|für|über|wegen|pour|sur|sobre|para)\b"
)
_PLAN = re.compile(r"\bto (?!(?:you|me|us)\b)\w+|\b(?:would|will|should|shall|must|can|could|might)\b|\bzu \w+n\b")
_GERMAN_INFINITIVE = re.compile(r"^ (?:\S+ )?zu [a-zäöüß]+n\b|^ \w+zu\w+en\b")
_BREAK = re.compile(r"[.?!;](?=\s|$)|\n")
_REACH = 80
_AHEAD = 5


def asserts(text: str, start: int, end: int, *, relative: bool, past: bool = False) -> bool:
    """Whether the words at `start` to `end` of a lower-case query say when something was said, decided or noted.

    Only what `we`, `I` or `you` said counts, or what a session holds; another's saying is an event in the world.
    A month or date behind what was said (`about the trip in May`, `to ship in May`) may date that, and does not count;
    behind a topic `last week` does (`relative`: counted from now), and behind anything if it is over (`past`).
    """
    before, after = text[:start], text[end:]
    if _OF_RECORD.search(before[-_REACH:]) or _BEHIND_RECORD.match(after[:_REACH]):
        return True
    if _OWNS.match(after) or _belongs(before[-_REACH:], after):
        return False
    for said in _SAYING.finditer(text):
        if said.start() < start < said.end():
            return past or not _MATTER.search(text[said.start() : start])
        if said.end() <= start and _may_stand_between(text[said.end() : start], after, relative=relative, past=past):
            return True
        if said.start() >= end and _leads(text[end : said.start()]):
            return True
    return False


def _belongs(before: str, after: str) -> bool:
    """`the 2019 report`, `the report from May`: the date is part of what is spoken of."""
    return bool(_FROM_THING.search(before)) or bool(_OWNED.search(before) and re.match(r" \w", after))


def _may_stand_between(between: str, after: str, *, relative: bool, past: bool) -> bool:
    """Whether the words between a verb of saying and a date leave the date with that verb."""
    if _BREAK.search(between):
        return False
    if past or (relative and _TOPIC.search(between) and not _PLAN.search(between)):
        return True
    return bool(_ASIDE.fullmatch(between)) and not _GERMAN_INFINITIVE.match(after)


def _leads(between: str) -> bool:
    return len(between.split()) <= _AHEAD and not _BREAK.search(between)
