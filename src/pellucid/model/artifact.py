"""A path, a specification id or a link in, the artifact it names out: what memories come from or point at."""

import hashlib
from typing import Literal

from pydantic import Field

from pellucid.model.wire import Wire

ArtifactKind = Literal["file", "spec", "link"]
ArtifactRole = Literal["made", "changed", "mentioned"]


class Artifact(Wire):
    """A thing outside memory: a file, a specification or decision record, a link; and what a segment did with it."""

    kind: ArtifactKind
    name: str = Field(min_length=1)
    """A path as it was written, an id such as `SPEC-054`, or a URL."""
    role: ArtifactRole = "mentioned"

    def __str__(self) -> str:
        return f"{self.role} {self.kind} {self.name}"

    def id(self, namespace: str) -> str:
        """The artifact's id, `art_` and 32 hex digits: equal for the same thing in the same namespace."""
        named = f"{namespace}\0{self.kind}\0{self.name.casefold()}"
        return f"art_{hashlib.blake2b(named.encode(), digest_size=16).hexdigest()}"


def parse_artifact(text: str) -> Artifact | None:
    """The artifact that `str(artifact)` wrote as `role kind name`; None if the text is something else."""
    role, _, rest = text.partition(" ")
    kind, _, name = rest.partition(" ")
    try:
        return Artifact.model_validate({"kind": kind, "name": name, "role": role})
    except ValueError:
        return None
