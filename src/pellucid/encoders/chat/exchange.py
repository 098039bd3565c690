"""A question in, a reply or a failure out: the types that every way to a chat model shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ChatCode = Literal[
    "llm_timeout",
    "llm_rate_limited",
    "llm_refused",
    "llm_bad_answer",
    "llm_unreachable",
    "llm_failed",
    "llm_cost_cap",
    "llm_call_cap",
    "llm_not_installed",
]
JsonSchema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """Instructions, data, and the JSON schema (strict subset) that the answer must follow; `name` names the schema."""

    system: str
    user: str
    schema: JsonSchema
    name: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None if it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's words, not yet checked; `usage` is None if the way does not count tokens."""

    text: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply; `again` says whether asking again can help, `wait_s` how many seconds to wait before."""

    code: ChatCode
    words: str
    next_step: str = ""
    again: bool = False
    wait_s: float | None = None
    usage: Usage | None = None
    """Present if an endpoint did answer, and so will charge."""
    complaint: str = ""
    """The end of what a program wrote to its standard error: to be shown, never stored."""
