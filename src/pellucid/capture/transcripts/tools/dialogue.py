"""A tool's result in, the user's own words in it out: answers to questions, and why a call was refused.

Harnesses ask the user inside a tool call; the answer, or the words typed instead of permission, are in its result.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, object_in, text_at

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
    """A question put to the user; `name` is its id in the call; `options` maps each choice to its description or ""."""

    text: str
    name: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class DialogueAnswer:
    """The user's answer; `options` describe the chosen options, `notes` is what the user added."""

    question: str
    answer: str
    options: tuple[str, ...] = ()
    notes: str = ""

    def text(self) -> str:
        """Render question, answer and the chosen options' descriptions as lines `Question: …`, `Answer: …` and `Option:
        …`; notes follow the answer on lines of their own.
        """
        words = f"{self.answer}\n{self.notes}" if self.notes else self.answer
        options = [f"Option: {' '.join(option.split())}" for option in self.options]
        return "\n".join([f"Question: {' '.join(self.question.split())}", f"Answer: {words.strip()}", *options])


def questions_in(tool: str | None, arguments: object) -> tuple[DialogueQuestion, ...]:
    """Return the questions with a text that a call puts to the user; empty for a call of a tool not in `ASKING`.

    `arguments` has a list `questions`, or is itself one question; anything else has none.
    """
    if (tool or "").casefold() not in ASKING:
        return ()
    named = as_object(arguments)
    raw_questions = [as_object(each) for each in as_list(named.get("questions"))] or [named]
    return tuple(question for each in raw_questions if (question := _question(each)))


def answers(questions: Sequence[DialogueQuestion], output: str, details: JsonObject) -> list[DialogueAnswer]:
    """Return the user's answers in a call's result, in its order; for a question of which the result says nothing there
    is none.

    `output` is the result as the model was given it, of which the first 65,536 characters are read; `details` is the
    agent program's own record of it, which can be empty, and takes precedence. An answer on record that is neither text
    nor list is returned with an empty text.
    """
    texts = dict(_answer_texts(questions, output[:_LONGEST], details))
    notes = {name: text_at(as_object(each), "notes") for name, each in as_object(details.get("annotations")).items()}
    return [_answer(questions, question, text, notes.get(question) or "") for question, text in texts.items()]


def refusal(output: str) -> tuple[str, bool] | None:
    """Return the words by which the user refused a call, and whether they ask for clearer questions.

    `output` is the call's result, which tells a refusal by its form (`… rejected … the user said:`). None if the call
    was not refused, or refused without words.
    """
    refused = _REFUSED.match(output)
    if refused is None:
        return None
    words = output[refused.end() :].partition("\n\nNote: The user's next message")[0].strip()
    return (words, words.startswith(_CLARIFY)) if words else None


def answers_in_refusal(questions: Sequence[DialogueQuestion], words: str) -> list[DialogueAnswer]:
    """Return the answers in a refusal by which the user asks for clearer questions; for a question marked as unanswered
    there is none in the list.

    `words` are those that `refusal` returned.
    """
    return [
        _answer(questions, found["question"], found["answer"].removeprefix("Answer: "))
        for found in _ASKED_BACK.finditer(words)
        if not _UNANSWERED.fullmatch(found["answer"].strip())
    ]


def _question(raw: JsonObject) -> DialogueQuestion | None:
    """Parse a question from a call's arguments (`raw`); None if it has no text."""
    text = text_at(raw, "question", "prompt", "text")
    options = [as_object(each) for each in as_list(raw.get("options"))]
    described = {label: text_at(each, "description") or "" for each in options if (label := text_at(each, "label"))}
    return DialogueQuestion(text, text_at(raw, "id") or "", described) if text else None


def _answer_texts(questions: Sequence[DialogueQuestion], output: str, details: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) as texts: from the agent program's record `details`, else from JSON in the output, else
    from its prose.
    """
    recorded = as_object(details.get("answers"))
    if not recorded and output.lstrip().startswith("{"):
        recorded = as_object(object_in(output).get("answers"))
    names = {question.name: question.text for question in questions if question.name}
    for name, answer in recorded.items():
        yield names.get(name, name), _joined_answer(answer)
    if not recorded:
        yield from _answers_in_prose(questions, output)


def _answers_in_prose(questions: Sequence[DialogueQuestion], output: str) -> Iterator[tuple[str, str]]:
    """Yield (question, answer), parsed from `"question"="answer", …`; the user's notes follow the answer on a line of
    their own.

    An answer can contain quotes, and so is read up to the beginning of the next known question. If none of `questions`
    is found, the pairs are read without knowing them.
    """
    starts = [(at, question) for question in questions if (at := output.find(f'"{question.text}"="')) >= 0]
    if not starts:
        yield from _question_answer_pairs(output)
        return
    starts.sort(key=lambda start: start[0])
    for index, (at, question) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(output)
        answer = output[at + len(question.text) + 4 : end]
        stop = _AFTER_ANSWER.search(answer)
        words, rest = (answer[: stop.start()], answer[stop.start() :]) if stop else (answer, "")
        _, has_note, note = rest.partition("user notes: ")
        note = _AFTER_NOTE.split(note, maxsplit=1)[0].strip().removesuffix(".")
        yield question.text, f"{words}\n{note}" if has_note else words


def _question_answer_pairs(output: str) -> Iterator[tuple[str, str]]:
    """Yield (question, answer), parsed from `"question"="answer", …`, without knowing the questions of the call."""
    begin = _PAIR_BEGINS.search(output)
    while begin and (end := _PAIR_ENDS.search(output, begin.end())):
        yield begin[1], output[begin.end() : end.start()]
        begin = _PAIR_BEGINS.search(output, end.end())


def _answer(questions: Sequence[DialogueQuestion], question_text: str, words: str, notes: str = "") -> DialogueAnswer:
    """Return the answer to a question, with the descriptions of the options whose labels are the first line of `words`,
    or are in it, separated by commas.

    `question_text` is the question, also if it is not among `questions`; `words` and `notes` are the user's.
    """
    asked = (each for each in reversed(questions) if each.text == question_text)
    question = next(asked, DialogueQuestion(question_text))
    label = words.partition("\n")[0].strip()
    chosen = [label] if label in question.options else [part.strip() for part in label.split(",")]
    described = tuple(found for part in chosen if (found := question.options.get(part)))
    return DialogueAnswer(question.text, words.strip(), described, notes)


def _joined_answer(answer: object) -> str:
    """Return an answer, a text or a list, as text: the chosen options on one line, separated by commas, then each of
    the user's notes on one; "" for anything else.
    """
    inner = as_object(answer).get("answers", answer)
    if isinstance(inner, str):
        return inner
    parts = [str(part) for part in as_list(inner)]
    options = ", ".join(part for part in parts if not part.startswith("user_note: "))
    notes = [part.removeprefix("user_note: ") for part in parts if part.startswith("user_note: ")]
    return "\n".join([options, *notes]).strip()
