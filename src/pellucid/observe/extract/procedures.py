"""The blocks of a turn in, its procedures out: a heading with trigger wording and at least two ordered steps."""

from dataclasses import dataclass

from pellucid.observe.language import Language
from pellucid.observe.prose import ProseBlock, sentences

_LEAST_STEPS = 2
_LONGEST = 1200


@dataclass(frozen=True, slots=True)
class Procedure:
    """Its text (heading and numbered steps, one a line) and the positions of the blocks it was made of."""

    text: str
    blocks: frozenset[int]


def procedures(found: tuple[ProseBlock, ...], language: Language) -> tuple[Procedure, ...]:
    """Every run of ordered items whose heading names what they are for; other lists are no procedures."""
    made: list[Procedure] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and found[end].marker == "ordered":
            end += 1
        if end - at >= _LEAST_STEPS and at > 0:
            heading = _heading(found[at - 1], language)
            steps = "\n".join(f"{number}. {block.text}" for number, block in enumerate(found[at:end], 1))
            if heading and len(steps) <= _LONGEST:
                made.append(Procedure(f"{heading}\n{steps}", frozenset(range(at - 1, end))))
        at = max(end, at + 1)
    return tuple(made)


def inline_procedure(sentence: str, language: Language) -> bool:
    """Whether one sentence tells steps in order: `To deploy, first … then … finally …`."""
    lowered = sentence.lower()
    return bool(language.procedure.inline.search(lowered) and language.procedure.trigger.search(lowered))


def _heading(block: ProseBlock, language: Language) -> str:
    """The last sentence before the list, if it triggers; empty if it does not or announces some other list."""
    spoken = sentences(block.text)
    lowered = spoken[-1].lower() if spoken else ""
    procedure = language.procedure
    if not procedure.trigger.search(lowered) or procedure.not_trigger.search(lowered):
        return ""
    return spoken[-1][0].upper() + spoken[-1][1:]
