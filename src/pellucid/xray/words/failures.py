"""The health of legs and the notes of stages in, what failed in a recall in words out."""

from pellucid import errors
from pellucid.model.snapshot import FAILED, RecallXraySnapshot


def failures_in_words(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Say which legs were down or stages failed, and why (`rerank failed, and was left out: …`); empty if none."""
    legs = (f"{leg.name}: {leg.reason or 'down'}" for leg in snapshot.legs if leg.health == "degraded")
    failed = ((stage.name, failure_in_words(stage.note or "")) for stage in snapshot.stages if stage.failed)
    return (*legs, *(f"{name} failed, and was left out: {failure}" for name, failure in failed))


def failure_in_words(note: str) -> str:
    """Return what went wrong, by the note of a failed stage: without `FAILED` at its start and, after that, the name of
    an error class of ours.
    """
    name, _, message = note.removeprefix(FAILED).partition(": ")
    is_ours = (
        message and isinstance(known := getattr(errors, name, None), type) and issubclass(known, errors.PellucidError)
    )
    return message if is_ours else note.removeprefix(FAILED)


def note_in_words(note: str) -> str:
    """Return the note of a stage; if it begins with `FAILED`, without the name of an error class of ours after that."""
    return f"{FAILED}{failure_in_words(note)}" if note.startswith(FAILED) else note
