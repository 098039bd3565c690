"""Who may ask in, what they may do out: principals, their tokens as keyed hashes, and their grants."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from pellucid.model.wire import Instant, Wire
from pellucid.settings.sections import NAMESPACE_PATTERN

Access = Literal["read", "write", "admin"]
"""The kinds of access that a grant can give; each includes those before it."""
EVERYWHERE = "*"
_LEVELS: tuple[Access, ...] = get_args(Access)


def _checked_place(text: str) -> str:
    """Return the text unchanged if it is `tenant/project`, `tenant/*` or `*`; raise ValueError otherwise."""
    tenant, _, project = text.partition("/")
    if text == EVERYWHERE or re.fullmatch(NAMESPACE_PATTERN, f"{tenant}/x" if project == "*" else text):
        return text
    raise ValueError(f"tenant/project, tenant/* or *; got {text!r}")


class Grant(Wire):
    """An access to a namespace, to all of a tenant (`tenant/*`), or everywhere (`*`)."""

    namespace: Annotated[str, AfterValidator(_checked_place)]
    access: Access

    def covers(self, namespace: str) -> bool:
        """Whether the grant applies to this namespace, whatever access it gives."""
        if self.namespace.endswith("/*"):
            return namespace.startswith(self.namespace[:-1])
        return self.namespace in (namespace, EVERYWHERE)


def is_allowed(grants: Iterable[Grant], access: Access, namespace: str) -> bool:
    """Whether a grant among these gives this access, or a higher one, in the namespace."""
    return any(each.covers(namespace) and _LEVELS.index(each.access) >= _LEVELS.index(access) for each in grants)


class Principal(Wire):
    """A person or program that asks with a token."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    token_id: str
    digest: str
    """The keyed digest of the token's secret; the secret itself is stored nowhere."""
    grants: tuple[Grant, ...] = Field(min_length=1)
    created: Instant
    rotated: Instant | None = None
    last_used: Instant | None = None
    """The time of the last use, to the minute."""


class AccessList(Wire):
    """All principals that are allowed to ask."""

    principals: tuple[Principal, ...] = ()

    def find(self, name: str) -> Principal | None:
        """Return the principal with this name; None if there is none."""
        return next((each for each in self.principals if each.name == name), None)

    def with_principal(self, principal: Principal) -> "AccessList":
        """Return a copy of the list with this principal at the end, in place of any other with its name."""
        return AccessList(principals=(*self.without(principal.name).principals, principal))

    def without(self, name: str) -> "AccessList":
        """Return a copy of the list without the principal of this name; an equal list if there is none."""
        return AccessList(principals=tuple(each for each in self.principals if each.name != name))

    def principal_of_token(self, token: str, key: bytes) -> Principal | None:
        """Return the principal that a token (`pel_<id>_<secret>`: 12 and 64 hex digits) belongs to; None if it is
        malformed or nobody's.

        `key` is the vault's. An unknown token takes as long to refuse as a known id with a wrong secret.
        """
        match = re.fullmatch(r"pel_([0-9a-f]{12})_([0-9a-f]{64})", token)
        token_id, secret = match.groups() if match else ("", "")
        principal = next((each for each in self.principals if each.token_id == token_id), None)
        stored_digest = principal.digest if principal else "0" * 64
        return principal if hmac.compare_digest(stored_digest, secret_digest(secret, key)) else None


def format_token(token_id: str, secret: str) -> str:
    """Return the token `pel_<id>_<secret>` that its owner is given.

    Only an id of 12 and a secret of 64 hex digits in lower case make a token that is recognised; this is not checked.
    """
    return f"pel_{token_id}_{secret}"


def secret_digest(secret: str, key: bytes) -> str:
    """Return the HMAC-SHA-256 of a token's secret by the vault's `key`, as 64 hex digits: all that is stored of it."""
    return hmac.new(key, b"pellucid token\0" + secret.encode(), hashlib.sha256).hexdigest()
