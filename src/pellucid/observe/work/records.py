"""A turn that a harness recorded in, what it says once and for all out: an answered question, a commit."""

import re

from pellucid.language.sentences import is_question, joined, sentences
from pellucid.model.turn import Turn
from pellucid.observe.extract.durability import load_table
from pellucid.observe.extract.statements import ObservedStatement

LONGEST = 420
COMMITTED = "Committed: "
"""How a memory of a commit begins."""
SETTLES = 0.5
"""The chance that an answered question, or its answer by itself, needs of settling something that lasts."""
_FEWEST_WORDS = 3
_ITEM = re.compile(r"\n(?=[^\S\n]*[-*#])")
_FIELD = re.compile(r"^(Question|Answer|Option): ", re.MULTILINE)


def recorded(turn: Turn) -> list[ObservedStatement]:
    """The statements in a record of answers or of a commit; none in any other turn."""
    if turn.kind == "answer":
        return [statement for asked in _dialogues(turn.content) if (statement := _settled_choice(*asked))]
    if turn.kind == "commit" and (told := _commit_summary(turn.content)):
        return [ObservedStatement(f"{COMMITTED}{told}", "fact", 0.9, 0.0, 0)]
    return []


def _dialogues(content: str) -> list[tuple[str, str]]:
    """Each question in a record of answers, with its answer and what the chosen option means."""
    out: list[tuple[str, str]] = []
    pieces = _FIELD.split(content)[1:]
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        said = " ".join(text.split())
        if name == "Question":
            out.append((said, ""))
        elif out:
            question, answer = out[-1]
            out[-1] = (question, f"{answer} – {said}" if answer else said)
    return out


def _settled_choice(question: str, answer: str) -> ObservedStatement | None:
    """The choice as a statement, if it settles how something shall be from now on; None if not, or if it asks back.

    `Which file shall I open?` asks for the next step, `Where should retries live?` for what holds from then on.
    """
    said = answer.partition(" – ")[0]
    if not said or is_question(said):
        return None
    lasting = load_table("questions").read(question, by_user=False).durable >= SETTLES
    if not lasting and load_table().read(said, by_user=True).durable < SETTLES:
        return None
    text = f"{question} – {answer}"
    return ObservedStatement(
        text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …", "decision", 0.95, 0.0, 0
    )


def _commit_summary(content: str) -> str:
    """A commit's subject with as many sentences behind it as fit; empty where the subject says too little."""
    subject, _, rest = content.strip().partition("\n")
    if len(subject.split()) < _FEWEST_WORDS:
        return ""
    told = subject.strip().rstrip(".")
    for sentence in (said for item in _ITEM.split(rest.strip()) for said in sentences(item)):
        said = " ".join(sentence.split()).lstrip("-*# ")
        if said and len(told) + len(said) + 2 > LONGEST:
            break
        if said:
            told = f"{told} {said.rstrip('.')}" if told.endswith(":") else joined((told, said.rstrip(".")))
    return told.rsplit(". ", 1)[0] if told.endswith(":") else told
