"""A query and who is named in it in, where it says people's names, and the query without them, out.

What somebody says carries their name as its label, so that all of it is near to a question with the name in it. That it
is by or about them is a term of its own (`named`): the legs and the reranker look for the rest of the question.
"""

import re
from collections.abc import Iterable, Sequence


def spans_of_people(text: str, named: Iterable[str]) -> list[tuple[int, int]]:
    """Where the text says one of the `named` by one word with a capital, with the ending of a genitive.

    Numbers of documents (`SPEC-3`) are no people, nor are titles (`Project Manager`), which say more than who it is.
    """
    names = (name for name in named if name[:1].isupper() and name.replace("-", "").isalpha())
    found = (re.finditer(rf"(?<!\w){re.escape(name)}(?:['’]s?)?(?!\w)", text) for name in names)
    return sorted(match.span() for matches in found for match in matches)


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without these half-open ranges of characters, which do not overlap; runs of spaces are one."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return " ".join(" ".join(text[end:start] for end, start in zip(ends, starts, strict=True)).split())
