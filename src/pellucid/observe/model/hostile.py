"""A text in, whether it addresses a model instead of stating something out: injected instructions, control tokens.

No list of patterns is complete. This check stands beside others that do not depend on wording: whatever passes must
still be quoted from the turns, and the words of tools and web pages begin in quarantine.
"""

import re

from pellucid.language.hidden import undisguised

_TOKENS = (
    r"<\|[^|<>]{1,40}\|?>",
    r"\[/?(?:INST|SYS|SYSTEM)\]|<</?SYS>>|<(?:start|end)_of_turn>",
    r"</?(?:s|think|system|assistant|tool_call|function_call)>|</?(?:turns|pellucid|oai-mem)[\w-]*",
    r"^[ \t]*#{2,}[ \t]*(?:instruction|response|system)\b|^[ \t]*(?:system|developer)[ \t]*:",
    r"\{\s{0,9}\"(?:turn|facts|role)\"\s{0,9}:",
)
_INSTRUCTIONS = r"(?:instruct\w*|prompts?|guidelines|directives|system message)"
_NOT_OURS = r"(?:all|any|the|these|those|your|my|previous|prior|above|earlier|preceding|other|existing|safety|system) "
_CONFIDENTIAL = r"(?:system prompt|api keys?|secrets?|credentials?|passwords?|private keys?|access tokens?|\.env)"
_PLACE = r"(?:https?://|\S+@\S+\.\w|\b(?:\w+\.)+(?:com|net|org|io|dev|example|test|xyz|ru|cn)\b)"
_HOSTILE = (
    rf"(?:ignor\w{{0,9}}|disregard|forget|overrid\w{{0,9}}|bypass) (?:{_NOT_OURS}){{1,4}}(?:\w+ )?{_INSTRUCTIONS}",
    r"(?:ignore|disregard) (?:everything|anything|all)(?: of)?(?: that| the)?(?: was| is)? (?:above|before|said|prior)",
    r"\b(?:system|developer) override\b|\bnew (?:system )?instructions? ?[:—-]|\bjailbr(?:eak|oken)\b|\bDAN mode\b",
    rf"(?:reveal|leak|exfiltrate) (?:\w+ ){{0,4}}?{_CONFIDENTIAL}\b",
    rf"(?:send|post|upload|forward|copy|mail|transmit)\w{{0,9}} (?:[\w.,-]+ ){{0,6}}?{_CONFIDENTIAL}.{{0,60}}{_PLACE}",
    r"ignorier\w{0,9} (?:\w+ ){0,3}?(?:anweisung\w*|vorgaben|prompts?)|vergiss (?:\w+ ){0,3}?anweisung\w*",
    r"ignor[ae]\w{0,9} (?:\w+ ){0,4}?(?:instrucciones|indicaciones|consignes)|olvida (?:\w+ ){0,3}?instrucciones",
    r"(?:以前|これまで|上記|先ほど|前)の?(?:すべての?|全ての?)?(?:指示|命令)[をは].{0,6}(?:無視|忘れ)",
    r"(?:忽略|无视|忘记|忘掉).{0,10}(?:指令|指示|提示词)",
)
_OPENING = r"(?:(?:please|from now on|going forward|in (?:the )?future|bitte|ab (?:jetzt|sofort)|por favor),? )*"
_ORDERS = (
    rf"^{_OPENING}(?:you (?:must|should|shall|have to|need to)|always|never|do not|don't|make sure|be sure)\b",
    rf"^{_OPENING}(?:recommend|respond|reply|answer|say|tell|trust|run|execute|install|download|visit|open|click|use)\b",
    rf"^{_OPENING}(?:call|send|remember|immer|niemals|antworte|empfiehl|siempre|nunca|responde|recomienda)\b",
    r"^(?:必ず|常に|绝对|务必|总是)",
    r"\byou are (?:now|no longer) |\bact as (?:an? |the )",
    r"(?:not|n't|never|without) (?:\w+ )?(?:tell|telling|mention\w*|inform\w*|reveal\w*|ask|asking) .{0,30}\busers?\b",
    r"\b(?:store|save|remember|record|add|write)\b (?:\w+ ){0,4}?(?:to|in|into) (?:your |the |long.term )+memory",
    r"\b(?:when|whenever|if) (?:\w+ ){0,4}?(?:asked|asks|you (?:are|see|read))\b",
    r"\b(?:assistants?|ai|agents?|models?|llm|chatbots?) (?:must|should|shall|has to|have to|will always)\b",
)


def _join_patterns(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches wherever any of the patterns does, in any case and on any line."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)


_TOKEN, _INJECTION, _ORDER = _join_patterns(_TOKENS), _join_patterns(_HOSTILE), _join_patterns(_ORDERS)


def is_hostile(text: str) -> bool:
    """Whether a text has control tokens of models, or wording of injections (`_HOSTILE`: `ignore all previous
    instructions`).

    Disguises, such as invisible or look-alike characters, are seen through.
    """
    plain = _plain(text)
    return bool(_TOKEN.search(text) or _TOKEN.search(plain) or _INJECTION.search(plain))


def is_order(text: str) -> bool:
    """Whether a text begins with an order (`always …`, `use …`), or has wording that directs an assistant (`_ORDERS`).

    Said by a person it is a rule worth remembering, said by a tool or model it is not.
    """
    return bool(_ORDER.search(_plain(text)))


def _plain(text: str) -> str:
    """Return the text as a reader sees it: without hidden and look-alike characters (`undisguised`), on one line,
    blanks single."""
    return " ".join(undisguised(text).split())
