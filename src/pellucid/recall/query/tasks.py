"""A query in, whether it starts or plans a task out: phrases in five languages, not their near misses.

The phrases, in each language's `tasks.toml`, are looked for sentence by sentence, outside code and quotations.
"""

import re
from collections.abc import Mapping

from pellucid.language.lexicon import phrases
from pellucid.language.sentences import has_question_form, own_sentences

_READ = 1_000
"""Characters of a query that are looked at: a task is named first, and its details follow."""


def starts_task(text: str) -> bool:
    """Whether a query starts or plans a task: `How do I …`, `Deploy the …`, `We are about to …`.

    The sentences in its first 1,000 characters count, outside code and quotations.
    """
    languages = phrases("tasks")
    sentences = (each.lower() for each in own_sentences(text[:_READ]))
    return any(_asks_for_procedure(sentence, language) for sentence in sentences for language in languages)


def _asks_for_procedure(sentence: str, kinds: Mapping[str, re.Pattern[str]]) -> bool:
    """Whether a sentence, in lower case, asks how to do something, plans it or orders it.

    `kinds` are a language's patterns: `how`, `plan`, `order` (which does not count in a question), and `near`, which
    matches near misses and rules the sentence out.
    """
    asks_for_it = kinds["how"].search(sentence) or kinds["plan"].search(sentence)
    is_order = not has_question_form(sentence) and kinds["order"].search(sentence)
    return bool(asks_for_it or is_order) and not kinds["near"].search(sentence)
