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
_BREAK = re.compile(r"[.?!;](?=\s|$)|\n")
_REACH = 80
_AHEAD = 5


def asserts(text: str, start: int, end: int, *, relative: bool) -> bool:
    """Whether the words at `start` to `end` of a lower-case query say when something was said, decided or noted.

    Only what `we`, `I` or `you` said counts, or what a session holds; another's saying is an event in the world.
    A month or date behind a topic (`about the trip in May`) may date the topic, and does not count; `last week` does.
    """
    before, after = text[:start], text[end:]
    if _OF_RECORD.search(before[-_REACH:]) or _BEHIND_RECORD.match(after[:_REACH]):
        return True
    if _OWNS.match(after) or _belongs(before[-_REACH:], after):
        return False
    for said in _SAYING.finditer(text):
        if said.start() < start < said.end():
            return True
        if said.end() <= start and _follows(text[said.end() : start], relative=relative):
            return True
        if said.start() >= end and _leads(text[end : said.start()]):
            return True
    return False


def _belongs(before: str, after: str) -> bool:
    """`the 2019 report`, `the report from May`: the date is part of what is spoken of."""
    return bool(_FROM_THING.search(before)) or bool(_OWNED.search(before) and re.match(r" \w", after))


def _follows(between: str, *, relative: bool) -> bool:
    if _BREAK.search(between):
        return False
    return relative or not _TOPIC.search(re.sub(r"\b(?:on|of|for)\s*$", "", between))


def _leads(between: str) -> bool:
    return len(between.split()) <= _AHEAD and not _BREAK.search(between)
