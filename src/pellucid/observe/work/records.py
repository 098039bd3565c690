"""A turn that a harness recorded in, the statements in it out: an answered question, a commit."""

import re

from pellucid.language.sentences import has_question_form, join_sentences, sentences
from pellucid.model.turn import Turn
from pellucid.observe.extract.durability import load_table
from pellucid.observe.extract.statements import ObservedStatement
from pellucid.observe.prose import without_emphasis
from pellucid.observe.work.answering import shortened

LONGEST = 420
LONGEST_ANSWER = 630
"""Characters of an answered question: what a person typed is rarely longer, and half of it can say the opposite."""
LEAST_ANSWER = 200
"""Characters that its answer may have beside a question, however long that is."""
COMMITTED = "Committed: "
"""The beginning of a memory of a commit."""
SETTLES = 0.5
"""The durability from which an answered question, or its answer alone, settles something that lasts."""
_FEWEST_WORDS = 3
_ITEM = re.compile(r"\n(?=[^\S\n]*[-*#])")
_FIELD = re.compile(r"^(Question|Answer|Option): ", re.MULTILINE)


def statements_of_record(turn: Turn) -> list[ObservedStatement]:
    """Return the statements in a record of answers (decisions) or of a commit (one fact); `[]` if nothing in it lasts,
    and for any other turn.

    A record is a turn of the kind `answer` or `commit`, which the program that runs the agent wrote, and nobody spoke.
    """
    if turn.kind == "answer":
        return [statement for pair in _dialogues(turn.content) if (statement := _settled_choice(*pair))]
    if turn.kind == "commit" and (summary := _commit_summary(turn.content)):
        return [ObservedStatement(f"{COMMITTED}{summary}", "fact", 0.9)]
    return []


def _dialogues(content: str) -> list[tuple[str, str]]:
    """Return (question, answer) for each question in a record of answers, in order; `""` for a missing answer.

    The text of a chosen option follows the answer after a dash.
    """
    out: list[tuple[str, str]] = []
    pieces = _FIELD.split(content)[1:]
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        line = " ".join(text.split())
        if name == "Question":
            out.append((line, ""))
        elif out:
            question, answer = out[-1]
            out[-1] = (question, f"{answer} – {line}" if answer else line)
    return out


def _settled_choice(question: str, answer: str) -> ObservedStatement | None:
    """Return an answered question as a decision `question – answer`; None if it has no answer or settles nothing
    lasting.

    It settles something if the question, or the answer without its option's text, has a durability (the probability of
    being worth keeping) of at least 0.5 (`SETTLES`): `Where should retries live?`, not `Which file shall I open?`. An
    answer that is a question settles nothing. A long answer is shortened.
    """
    reply = answer.partition(" – ")[0]
    if not reply or has_question_form(reply):
        return None
    lasting = load_table("questions").read(question, by_user=False).durable >= SETTLES
    if not lasting and load_table().read(reply, by_user=True).durable < SETTLES:
        return None
    room = max(LONGEST_ANSWER - len(question), LEAST_ANSWER)
    return ObservedStatement(f"{question} – {shortened(answer, room)}", "decision", 0.95)


def _commit_summary(content: str) -> str:
    """Return a commit's subject, and the sentences after it, up to the first that does not fit into 420 characters.

    Empty if the subject has under three words. A final full stop is left out, and a last sentence that ends in a colon.
    """
    subject, _, rest = "\n".join(map(without_emphasis, content.strip().splitlines())).partition("\n")
    if len(subject.split()) < _FEWEST_WORDS:
        return ""
    summary = subject.strip().rstrip(".")
    for sentence in (each for item in _ITEM.split(rest.strip()) for each in sentences(item)):
        line = " ".join(sentence.split()).lstrip("-*# ")
        if line and len(summary) + len(line) + 2 > LONGEST:
            break
        if line:
            is_list = summary.endswith(":")
            summary = f"{summary} {line.rstrip('.')}" if is_list else join_sentences((summary, line.rstrip(".")))
    return summary.rsplit(". ", 1)[0] if summary.endswith(":") else summary
