"""An artifact that memories come from or mention (a path, a specification, a link) in, its id and its text form out."""

import hashlib
from typing import Literal

from pydantic import Field

from pellucid.model.wire import Wire

ArtifactKind = Literal["file", "spec", "link"]
ArtifactRole = Literal["made", "changed", "mentioned"]


class Artifact(Wire):
    """A file, a specification or decision record, or a link, and what a segment did with it."""

    kind: ArtifactKind
    name: str = Field(min_length=1)
    """A path as it was written, an id such as `SPEC-054`, or a URL."""
    role: ArtifactRole = "mentioned"

    def __str__(self) -> str:
        return f"{self.role} {self.kind} {self.name}"

    def id(self, namespace: str) -> str:
        """Return the artifact's id in a namespace: `art_` and 32 hex digits, the same for the same kind and name.

        The case of the name and the role make no difference.
        """
        identity = f"{namespace}\0{self.kind}\0{self.name.casefold()}"
        return f"art_{hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()}"


def parse_artifact(text: str) -> Artifact | None:
    """Parse the text `role kind name` that `str(artifact)` writes; return None if a part is missing or not known."""
    role, _, rest = text.partition(" ")
    kind, _, name = rest.partition(" ")
    try:
        return Artifact.model_validate({"kind": kind, "name": name, "role": role})
    except ValueError:
        return None
