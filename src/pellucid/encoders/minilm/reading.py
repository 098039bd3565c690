"""A text in, the text as all-MiniLM-L6-v2 reads it out, and the tokenizer that makes its tokens."""

import re
from itertools import accumulate
from pathlib import Path

from tokenizers import Tokenizer

from pellucid.encoders import cachefolder
from pellucid.encoders.minilm.provision import TOKENIZER, TOKENIZER_SHA256, Report, provision
from pellucid.errors import EncoderError
from pellucid.language.words import joined_words

_MAX_TOKENS = 256
_MAX_CHARACTERS = 16_384
"""Far more than 256 tokens of any prose; a tokenizer takes seconds for a text of megabytes."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def open_tokenizer(cache: Path, report: Report | None) -> Tokenizer:
    """Return the model's own tokenizer from the folder `cache`, fetched with the weights if it is missing or damaged.

    It cuts a text at 256 tokens. `report` is told of what is fetched. Raises EncoderError if it cannot be had, or
    changes while it is read.
    """
    # what is hashed is what is loaded: nobody can change the file in between
    data = cachefolder.read_verified(cache / TOKENIZER, TOKENIZER_SHA256)
    if data is None:
        data = cachefolder.read_verified(provision(cache, report).tokenizer, TOKENIZER_SHA256)
    if data is None:
        raise EncoderError(f"{cache / TOKENIZER} changes while it is read", next_step="look who writes to that folder")
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType] -- its stub leaves **kwargs untyped
    return tokenizer


def read(text: str, tokenizer: Tokenizer) -> tuple[str, list[int]]:
    """Return the text as the model reads it, with blanks added, and the indices of these blanks in it, rising.

    Only the first 16,384 characters are read; half surrogate pairs become U+FFFD. The blanks separate the words of a
    camel-case name that the model does not know as one word: `HookAgent` becomes hook and agent, and not `hooka` and
    `gent`; PlayStation stays.
    """
    # half a surrogate pair cannot leave Python; one character for another keeps every position
    text = _SURROGATE.sub("\ufffd", text[:_MAX_CHARACTERS])
    pieces, added, at = list[str](), list[int](), 0
    for place, parts in joined_words(text):
        if tokenizer.token_to_id("".join(parts).lower()) is None:
            for end in accumulate(map(len, parts[1:-1]), initial=place + len(parts[0])):
                pieces.append(text[at:end])
                added.append(end + len(added))
                at = end
    return " ".join((*pieces, text[at:])), added
