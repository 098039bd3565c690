"""A statement and its headings in, the category that their form shows out: an imperative, a heading's word."""

import re

from pellucid.model.memory import CATEGORIES, Category

_HEADINGS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    ("preference", re.compile(r"\bpreferences?\b|\blikes\b|\bdislikes\b", re.IGNORECASE)),
    ("decision", re.compile(r"\bdecisions?\b|\bADRs?\b", re.IGNORECASE)),
    ("principle", re.compile(r"\bprinciples?\b|\bphilosophy\b|\bvalues\b|\blessons?\b", re.IGNORECASE)),
    ("correction", re.compile(r"\bcorrections?\b|\bmistakes?\b", re.IGNORECASE)),
    ("commitment", re.compile(r"\bcommitments?\b|\bpromises?\b|\bto-?dos?\b|\bnext steps\b", re.IGNORECASE)),
    ("rule", re.compile(r"\brules?\b|\bconventions?\b|\bguidelines?\b|\bdo not\b|\bnever\b", re.IGNORECASE)),
)
_LABELLED: dict[Category, str] = {
    "preference": "preferences likes dislikes",
    "decision": "decided choice",
    "rule": "requirement constraint convention guideline policy",
    "principle": "value lesson insight",
    "procedure": "howto how-to workflow runbook",
    "commitment": "todo task action promise",
    "skill": "ability expertise",
    "correction": "fix",
    "entity": "person",
    "reasoning_trace": "reasoning-trace",
    "relationship": "relation",
    "fact": "moment section",
}
_LABELS: dict[str, Category] = {label: category for category, labels in _LABELLED.items() for label in labels.split()}
_PREFERENCE = re.compile(
    r"(?:the user |user |i |we |they |\w+ )?(?:really |always |generally |strongly )?"
    r"(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rs?|enjoys?)\b"
    r"|(?:my|our|the user'?s|user'?s) (?:favou?rite|preferred)\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"(?:never|always|do not|don['’]t|must(?: not)?|avoid)\b", re.IGNORECASE)
_OBLIGATION = re.compile(r"\b(?:must(?: not|n['’]t)?|(?:is|are) (?:forbidden|not allowed|required))\b", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"(?:please )?(?:add|apply|ask|build|bump|call|catch|check|choose|cite|clean|close|commit|configure|confirm|create"
    r"|declare|define|delete|deploy|describe|document|edit|enable|ensure|execute|explain|export|fix|follow|format"
    r"|generate|give|group|handle|import|include|install|keep|leave|limit|link|list|log|look|make|mark|match|merge|mock"
    r"|move|name|open|order|pass|pin|place|prefer|prefix|put|push|raise|read|rebase|record|refer|reject|remember|remove"
    r"|rename|replace|reply|report|return|reuse|review|run|save|see|send|separate|set|ship|show|skip|sort|split|squash"
    r"|start|stick|stop|store|style|tag|test|think|treat|try|update|upgrade|use|validate|verify|wait|wrap|write)\b"
    r"(?! (?:(?!it|that|this|there|each|every|all)\w+ )?(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)


def category_of_label(label: str) -> Category | None:
    """Return the category that another tool's label corresponds to; None if there is none.

    It is the one that lists the label in `_LABELLED` (`requirement` is a `rule`, `moment` and `section` are a `fact`),
    else the category of that name. Capitals do not matter, nor whether words are joined by spaces, `-` or, in a
    category's name, `_`.
    """
    word = label.strip().casefold().replace(" ", "-")
    return _LABELS.get(word) or next((each for each in CATEGORIES if each == word.replace("-", "_")), None)


def category_of_words(text: str, headings: tuple[str, ...]) -> Category | None:
    """Return the category that a statement's wording shows, else that of its nearest heading that names one, else None.

    The wording shows a `preference` at the beginning (`I prefer …`), else a `rule` (`never …` at the beginning, `must`
    anywhere). `headings` are those above the statement, the outermost first, so that the last is the nearest. An
    imperative (`Run …`) is a `rule` if no heading names a category.
    """
    if _PREFERENCE.match(text):
        return "preference"
    if _RULE.match(text) or _OBLIGATION.search(text):
        return "rule"
    for heading in reversed(headings):
        for category, pattern in _HEADINGS:
            if pattern.search(heading):
                return category
    return "rule" if _IMPERATIVE.match(text) else None


def is_standing_rule(text: str) -> bool:
    """Whether a sentence begins as a standing rule (`never`, `always`, `do not`, `must`, `avoid`), which in a numbered
    list is not a step.
    """
    return _RULE.match(text) is not None
