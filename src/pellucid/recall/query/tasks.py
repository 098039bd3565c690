"""A query in, whether it starts or plans a task out: phrases in five languages, not their near misses.

Looked for sentence by sentence, outside code and quotations. They are each language's `tasks.toml`.
"""

import re
from collections.abc import Mapping

from pellucid.language.lexicon import phrases
from pellucid.language.sentences import is_question, own_sentences

_READ = 1_000
"""Characters of a query that are looked at: a task is named first, and what belongs to it follows."""


def starts_task(text: str) -> bool:
    """Whether somebody starts or plans a task: `How do I …`, `Deploy the …`, `We are about to …`."""
    languages = phrases("tasks")
    sentences = (sentence.lower() for sentence in own_sentences(text[:_READ]))
    return any(_asks_for_procedure(said, language) for said in sentences for language in languages)


def _asks_for_procedure(said: str, kinds: Mapping[str, re.Pattern[str]]) -> bool:
    """Whether a sentence asks for the way, says what is to be done, or tells to do it, and does not only seem to."""
    asks_for_it = kinds["how"].search(said) or kinds["plan"].search(said)
    told = not is_question(said) and kinds["order"].search(said)
    return bool(asks_for_it or told) and not kinds["near"].search(said)
