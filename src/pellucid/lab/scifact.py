"""SciFact's files in, one group out: a record an abstract, judged abstracts as labels."""

import json
import lzma
from pathlib import Path

from pellucid.lab.dataset import Dataset, Group, Question, Record
from pellucid.lab.files import find
from pellucid.model.turn import Turn


def load(path: Path) -> Dataset:
    """The folder's `corpus.jsonl[.xz]`, `queries*.jsonl` and `qrels*.tsv`; queries without a judgement are left out."""
    labels: dict[str, dict[str, int]] = {}
    for line in find(path, "qrels*.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            labels.setdefault(query, {})[document] = int(grade)
    queries = [json.loads(line) for line in find(path, "queries*.jsonl").read_text("utf-8").splitlines()]
    questions = [Question(q["_id"], q["text"], labels[q["_id"]]) for q in queries if q["_id"] in labels]
    corpus = find(path, "corpus.jsonl*")
    with (
        lzma.open(corpus, "rt", encoding="utf-8") if corpus.suffix == ".xz" else corpus.open(encoding="utf-8") as lines
    ):
        documents = [json.loads(line) for line in lines]
    records = [Record(d["_id"], Turn("", 0, "user", f"{d['title']}. {d['text']}".strip())) for d in documents]
    return Dataset("scifact", (Group("scifact", tuple(records), tuple(questions)),))
