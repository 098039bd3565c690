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
"""What may be granted in a namespace; each holds those before it."""
EVERYWHERE = "*"
_LEVELS: tuple[Access, ...] = get_args(Access)


def _checked_place(text: str) -> str:
    """The text unchanged if it is `tenant/project`, `tenant/*` or `*`; ValueError for any other."""
    tenant, _, project = text.partition("/")
    if text == EVERYWHERE or re.fullmatch(NAMESPACE_PATTERN, f"{tenant}/x" if project == "*" else text):
        return text
    raise ValueError(f"tenant/project, tenant/* or *; got {text!r}")


class Grant(Wire):
    """What may be done in a namespace, in all of a tenant (`tenant/*`), or everywhere (`*`)."""

    namespace: Annotated[str, AfterValidator(_checked_place)]
    access: Access

    def covers(self, namespace: str) -> bool:
        """Whether the grant applies to this namespace."""
        if self.namespace.endswith("/*"):
            return namespace.startswith(self.namespace[:-1])
        return self.namespace in (namespace, EVERYWHERE)


def is_allowed(grants: Iterable[Grant], access: Access, namespace: str) -> bool:
    """Whether any of these grants gives this access, or a higher one, in the namespace."""
    return any(each.covers(namespace) and _LEVELS.index(each.access) >= _LEVELS.index(access) for each in grants)


class Principal(Wire):
    """Somebody who asks with a token."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    token_id: str
    digest: str
    """Of the token's secret, keyed: the secret itself is kept nowhere."""
    grants: tuple[Grant, ...] = Field(min_length=1)
    created: Instant
    rotated: Instant | None = None
    last_used: Instant | None = None
    """To the minute."""


class AccessList(Wire):
    """Everybody who may ask."""

    principals: tuple[Principal, ...] = ()

    def find(self, name: str) -> Principal | None:
        """The principal of this name; None if there is none."""
        return next((each for each in self.principals if each.name == name), None)

    def with_principal(self, principal: Principal) -> "AccessList":
        """A copy of the list with this principal at the end, in place of another of its name."""
        others = tuple(each for each in self.principals if each.name != principal.name)
        return AccessList(principals=(*others, principal))

    def without(self, name: str) -> "AccessList":
        """A copy of the list without the principal of this name."""
        return AccessList(principals=tuple(each for each in self.principals if each.name != name))

    def principal_of_token(self, token: str, key: bytes) -> Principal | None:
        """The principal that a token (`pel_…`) belongs to, by the vault's key; None if it is nobody's.

        It takes the same time whether the token's id is known or not.
        """
        parts = re.fullmatch(r"pel_([0-9a-f]{12})_([0-9a-f]{64})", token)
        token_id, secret = parts.groups() if parts else ("", "")
        found = next((each for each in self.principals if each.token_id == token_id), None)
        kept = found.digest if found else "0" * 64
        return found if hmac.compare_digest(kept, secret_digest(secret, key)) else None


def format_token(token_id: str, secret: str) -> str:
    """The token `pel_<id>_<secret>` as its owner gets it."""
    return f"pel_{token_id}_{secret}"


def secret_digest(secret: str, key: bytes) -> str:
    """The keyed SHA-256 of a token's secret in hex: all that is stored of it."""
    return hmac.new(key, b"pellucid token\0" + secret.encode(), hashlib.sha256).hexdigest()
