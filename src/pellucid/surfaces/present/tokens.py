"""Tokens in, text for a person out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.surfaces.columns import table
from pellucid.surfaces.commands import quoted

if TYPE_CHECKING:
    from datetime import datetime

    from pellucid.operations.admin.tokens import NewToken, TokensOutput, TokenView


def made(outcome: NewToken) -> str:
    """The token, alone on its line, and what it may do."""
    return f"{outcome.token}\nfor {outcome.name}: {', '.join(outcome.grants)}. It is shown this once."


def listed(outcome: TokensOutput) -> str:
    """A line a token."""
    rows = [(each.name, _day(each.created), _day(each.last_used), ", ".join(each.grants)) for each in outcome.tokens]
    lines = table(("NAME", "MADE", "LAST USED", "MAY"), rows)
    return "\n".join(lines) or f"no token was made: {quoted('token create')}"


def ended(outcome: TokenView) -> str:
    """That a token is of no use any more."""
    return f"the token of {outcome.name} has ended"


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else "never"
