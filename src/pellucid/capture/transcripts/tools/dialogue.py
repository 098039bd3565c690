"""What a tool's result says of the user in, the user's own words out: answers to questions, and why a call was refused.

Harnesses ask the user inside a tool call; what was answered, or typed instead of permission, stands in its result.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at

ASKING = frozenset({"askuserquestion", "request_user_input", "ask_user", "ask_question"})
"""The tools that put questions to the user, in small letters."""
_REFUSED = re.compile(r"[^\n]{0,600}\brejected\b[^\n]{0,600}\bthe user said:\n", re.IGNORECASE)
_ASKED_BACK = re.compile(r"^- \"(?P<question>.+)\"\n[ \t]+(?P<answer>.+)", re.MULTILINE)
_UNANSWERED = re.compile(r"\(no answer provided\)", re.IGNORECASE)
_LONGEST = 64 * 1024
_CLARIFY = "The user wants to clarify these questions."
_PAIR_BEGINS = re.compile(r"\"([^\"]+)\"=\"")
_PAIR_ENDS = re.compile(r"\"(?=, \"|\. You can now|\.?\s*$)")
_AFTER_ANSWER = re.compile(r"\"(?:, $| (?:user notes|selected \w+):|\. You can now|\.?\s*$)")
_AFTER_NOTE = re.compile(r", \"|\. You can now")


@dataclass(frozen=True, slots=True)
class DialogueQuestion:
    """A question of a dialogue; `options` has the description of each choice, empty where it has none."""

    text: str
    name: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class DialogueAnswer:
    """What the user answered; `options` are the descriptions of what was chosen, `notes` what was typed beside it."""

    question: str
    answer: str
    options: tuple[str, ...] = ()
    notes: str = ""

    def text(self) -> str:
        """Question, answer, and what the choice meant, each on a line of its own."""
        said = f"{self.answer}\n{self.notes}" if self.notes else self.answer
        return "\n".join(
            [
                f"Question: {' '.join(self.question.split())}",
                f"Answer: {said.strip()}",
                *(f"Option: {' '.join(option.split())}" for option in self.options),
            ]
        )


def questions_in(tool: str | None, arguments: object) -> tuple[DialogueQuestion, ...]:
    """The questions a call puts to the user; none for a call of another tool."""
    if (tool or "").casefold() not in ASKING:
        return ()
    named = as_object(arguments)
    asked = [as_object(each) for each in as_list(named.get("questions"))] or [named]
    return tuple(found for each in asked if (found := _question(each)))


def answers(questions: Sequence[DialogueQuestion], output: str, details: JsonObject) -> list[DialogueAnswer]:
    """What the user answered; questions left open are not among them.

    Args:
        output: the result as the model was given it.
        details: the harness's own form of the result, if the transcript has it.
    """
    given = dict(_answers_given(questions, output[:_LONGEST], details))
    notes = {name: text_at(as_object(each), "notes") for name, each in as_object(details.get("annotations")).items()}
    known = {question.text: question for question in questions}
    return [
        _answer(known.get(asked, DialogueQuestion(asked)), said, notes.get(asked) or "")
        for asked, said in given.items()
    ]


def refusal(output: str) -> tuple[str, bool] | None:
    """What the user typed when refusing a call, and whether it asks for other questions; None if it was no refusal."""
    refused = _REFUSED.match(output)
    if refused is None:
        return None
    words = output[refused.end() :].partition("\n\nNote: The user's next message")[0].strip()
    return (words, words.startswith(_CLARIFY)) if words else None


def asked_back(questions: Sequence[DialogueQuestion], words: str) -> list[DialogueAnswer]:
    """The answers already given in a refusal by which the user wants the questions put otherwise."""
    known = {question.text: question for question in questions}
    return [
        _answer(
            known.get(found["question"], DialogueQuestion(found["question"])),
            found["answer"].removeprefix("Answer: "),
            "",
        )
        for found in _ASKED_BACK.finditer(words)
        if not _UNANSWERED.fullmatch(found["answer"].strip())
    ]


def _question(asked: JsonObject) -> DialogueQuestion | None:
    """A question that a call puts to the user, with its options; None where it has no text."""
    text = text_at(asked, "question", "prompt", "text")
    options = [as_object(each) for each in as_list(asked.get("options"))]
    described = {label: text_at(each, "description") or "" for each in options if (label := text_at(each, "label"))}
    return DialogueQuestion(text, text_at(asked, "id") or "", described) if text else None


def _answers_given(
    questions: Sequence[DialogueQuestion], output: str, details: JsonObject
) -> Iterator[tuple[str, str]]:
    """Each question's text with its answer: from the harness's own record, else as the output tells it."""
    told = as_object(details.get("answers")) or as_object(_json_object(output).get("answers"))
    if told:
        names = {question.name: question.text for question in questions if question.name}
        for name, said in told.items():
            yield names.get(name, name), _joined_answer(said)
    else:
        yield from _in_prose(questions, output)


def _in_prose(questions: Sequence[DialogueQuestion], output: str) -> Iterator[tuple[str, str]]:
    """Each question with its answer, read from `"question"="answer", …`.

    An answer may hold quotes, so it goes on to where the next known question begins.
    """
    starts = [(at, question) for question in questions if (at := output.find(f'"{question.text}"="')) >= 0]
    if not starts:
        yield from _question_answer_pairs(output)
        return
    starts.sort(key=lambda start: start[0])
    for index, (at, question) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(output)
        said = output[at + len(question.text) + 4 : end]
        stop = _AFTER_ANSWER.search(said)
        words, behind = (said[: stop.start()], said[stop.start() :]) if stop else (said, "")
        _, noted, note = behind.partition("user notes: ")
        note = _AFTER_NOTE.split(note, maxsplit=1)[0].strip().removesuffix(".")
        yield question.text, f"{words}\n{note}" if noted else words


def _question_answer_pairs(output: str) -> Iterator[tuple[str, str]]:
    """Questions and answers where no question is known; each is looked for behind the one before, so none twice."""
    begin = _PAIR_BEGINS.search(output)
    while begin and (end := _PAIR_ENDS.search(output, begin.end())):
        yield begin[1], output[begin.end() : end.start()]
        begin = _PAIR_BEGINS.search(output, end.end())


def _answer(question: DialogueQuestion, said: str, notes: str) -> DialogueAnswer:
    """An answer with what each chosen option means; `notes` are what the user added."""
    label = said.partition("\n")[0].strip()
    chosen = [label] if label in question.options else [part.strip() for part in label.split(",")]
    described = tuple(found for part in chosen if (found := question.options.get(part)))
    return DialogueAnswer(question.text, said.strip(), described, notes)


def _joined_answer(said: object) -> str:
    """An answer as text: the chosen options in one line, and each note of the user on one of its own."""
    found = as_object(said).get("answers", said)
    if isinstance(found, str):
        return found
    parts = [str(part) for part in as_list(found)]
    return "\n".join(
        [
            ", ".join(part for part in parts if not part.startswith("user_note: ")),
            *(part.removeprefix("user_note: ") for part in parts if part.startswith("user_note: ")),
        ]
    ).strip()


def _json_object(text: str) -> JsonObject:
    """The JSON object that a text is; empty where it is none."""
    try:
        return as_object(json.loads(text)) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
