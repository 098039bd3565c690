"""The texts of a request in, the same texts out without secrets, and no longer than can be read.

Every request whose texts are stored is a `SafeInput`, so that a new field is redacted unless it is named in `RAW`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast

from pydantic import PrivateAttr, model_validator

from pellucid.capture.names import clean_pairs
from pellucid.capture.secrets.redact import redact
from pellucid.errors import InputError, field_name, step
from pellucid.model.wire import Wire
from pellucid.recall.query.limits import MAX_CHARACTERS

LONGEST_CONTENT = 20_000
"""Characters of a memory: ten pages. What is longer is a document."""
LONGEST_TEXT = 1_000
"""Characters of any other text: a tag, a name, a reason, a value."""


class SafeInput(Wire):
    """A request whose texts are redacted when it is made; `InputError` for too long a text."""

    RAW: ClassVar[frozenset[str]] = frozenset({"namespace"})
    """Fields that are not redacted here: names of places, and texts that are redacted piece by piece later."""
    LONGEST: ClassVar[Mapping[str, int]] = {"content": LONGEST_CONTENT, "query": MAX_CHARACTERS}
    _redactions: Counter[str] = PrivateAttr(default_factory=Counter[str])

    @property
    def redactions(self) -> dict[str, int]:
        """Return the number of secrets that were taken out, by type of secret."""
        return dict(self._redactions)

    @model_validator(mode="after")
    def _redact_fields(self) -> Self:
        """Replace every field but those in `RAW` by its redacted value, and return this input; InputError for too long
        a text."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name not in self.RAW and isinstance(value, (str, tuple, dict)):
                object.__setattr__(self, name, self._safe_value(name, value))
        return self

    def _safe_value(self, field: str, value: Any) -> Any:
        """Return a field's value redacted: a text, the texts of a tuple, or a dict of texts; other dicts and other
        items of a tuple are returned unchanged. Counts the secrets; InputError for too long a text (in a dict, a name
        or text of more than 1,000 characters)."""
        if isinstance(value, str):
            return self._redact_text(field, value)
        if isinstance(value, tuple):
            items = cast("tuple[Any, ...]", value)
            return tuple(self._redact_text(field, each) if isinstance(each, str) else each for each in items)
        pairs = cast("dict[str, Any]", value)
        if not all(isinstance(each, str) for each in pairs.values()):
            return pairs
        for each in (*pairs, *pairs.values()):
            _check_length(field, each, LONGEST_TEXT)
        cleaned, counts = clean_pairs(pairs)
        self._redactions.update(counts)
        return cleaned

    def _redact_text(self, field: str, text: str) -> str:
        """Return one text of a field redacted, and count the secrets found; InputError if the text, before that, is
        longer than `LONGEST` says of the field, or else than 1,000 characters."""
        _check_length(field, text, self.LONGEST.get(field, LONGEST_TEXT))
        redacted = redact(text)
        self._redactions.update(redacted.counts)
        return redacted.text


def _check_length(field: str, text: str, max_chars: int) -> None:
    """Raise an `InputError` about `field` for a text longer than `max_chars` characters."""
    if len(text) > max_chars:
        raise InputError(
            f"{field.replace('_', ' ')} has {len(text)} characters, and {max_chars} are the most",
            code=f"invalid_{field}",
            next_step=_shorter(field),
        )


def _shorter(field: str) -> str:
    """Return the advice for a field whose text is too long; `content` and `query` have advice of their own."""
    if field == "content":
        return f"put it into a file and {step('document.index')} it, or remember what matters of it"
    if field == "query":
        return f"ask a shorter question; a diff or a list of files is for {field_name('review')}"
    return "say it shorter"
