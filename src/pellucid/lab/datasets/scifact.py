"""SciFact's files in, one group out: a record an abstract, judged abstracts as labels."""

from pathlib import Path

from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record
from pellucid.lab.datasets.files import find, rows
from pellucid.model.turn import Turn


def load(path: Path) -> Dataset:
    """Load `corpus.jsonl[.xz]`, `queries*.jsonl[.xz]` and `qrels*.tsv` of a folder, or of folders one below, as one
    group.

    Only queries with a judged abstract of a grade above 0 become questions. InputError if a file is missing or a row of
    corpus or queries lacks a field; ValueError for a line of judgements that is not `query, document, whole number`.
    """
    labels: dict[str, dict[str, int]] = {}
    for line in find(path, "qrels*.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            labels.setdefault(query, {})[document] = int(grade)
    queries = rows(find(path, "queries*.jsonl*"), ("_id", "text"))
    questions = [LabelledQuestion(q["_id"], q["text"], labels[q["_id"]]) for q in queries if q["_id"] in labels]
    records = [
        Record(each["_id"], Turn("", 0, "user", f"{each['title']}. {each['text']}".strip()))
        for each in rows(find(path, "corpus.jsonl*"), ("_id", "title", "text"))
    ]
    return Dataset("scifact", (Group("scifact", tuple(records), tuple(questions)),))
