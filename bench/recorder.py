"""What does it cost to keep a recall, its receipt, event and audit rows: processor time, bytes, and room on the disk?

    python bench/recorder.py --memories 10000 --recalls 5000

Recalls and records alternate, as they do in life; only the history write is timed, in processor time: what is done
of it before the answer (the draft of the receipt, the event), and what the thread of the history does behind it (pack
receipts, insert them with their audit rows and events, several at a time). Queries were encoded beforehand, and every
one is new.
"""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import corpus
import machine
from pellucid.recall.recaller import Recaller
from pellucid.recall.receipt.event import event_of
from pellucid.recall.receipt.record import draft
from pellucid.settings.sections import HistorySettings
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.index.local_index import LocalIndex


def run(recaller: Recaller, queries: Sequence[corpus.Query]) -> dict[str, object]:
    """Alternate recalls and records; return the processor time of the records."""
    before_cpu: list[float] = []
    pack_cpu: list[float] = []
    sizes: list[int] = []
    threads_before: set[int] = {each.ident or 0 for each in threading.enumerate()}
    for number, query in enumerate(queries):
        state = recaller.run(corpus.request(query, number))
        cpu = time.thread_time_ns()
        receipt = draft(state)
        recaller.record(state, receipt, event_of(state, "python", 0.0))
        before_cpu.append((time.thread_time_ns() - cpu) / 1000)
        if number % 16 == 0:  # once more, by itself: its share and its size
            cpu = time.thread_time_ns()
            sizes.append(len(receipt.packed() + receipt.query))
            pack_cpu.append((time.thread_time_ns() - cpu) / 1000)
    writer = next(
        each.ident or 0 for each in threading.enumerate() if each.ident not in threads_before and each.name == "history"
    )
    writer_cpu = time.clock_gettime(time.pthread_getcpuclockid(writer)) * 1e6
    cpu = time.thread_time_ns()
    recaller.history.settle()
    writer_cpu = (writer_cpu + (time.thread_time_ns() - cpu) / 1000) / len(queries)
    return {
        "cpuMicrosARecall": round(sum(before_cpu) / len(queries) + writer_cpu, 1),
        "beforeTheAnswerCpuMicros": machine.spread(before_cpu, 1),
        "behindTheAnswerCpuMicrosARecall": round(writer_cpu, 1),
        "packByItselfCpuMicros": machine.spread(pack_cpu, 1),
        "receiptBytes": machine.spread(sizes, 0),
    }


def measure(count: int, recalls: int, seed: int) -> dict[str, object]:
    """Fill a throw-away home, recall in it, and weigh the history that remains."""
    texts, embedder = corpus.texts(count, seed, corpus.made_up_words(seed)), corpus.Projection(seed)
    queries = corpus.queries(texts, recalls, seed)
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        path = Path(folder) / "history.db"
        index, history = LocalIndex(Path(folder) / "index.db"), LocalHistory(path)
        corpus.fill(index, list(corpus.memories(texts, seed)), list(embedder.encode(texts)), embedder)
        result = run(Recaller(index, history, corpus.remembering(embedder, queries), HistorySettings()), queries)
        index.close()
        history.close()
        size = path.stat().st_size
    setting = {"memories": count, "recalls": recalls, "encoder": embedder.model}
    return setting | result | {"historyBytesARecall": round(size / recalls)}


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=5_000)
    options = parser.parse_args()
    result = measure(options.memories, options.recalls, options.seed)
    machine.publish({"question": __doc__.splitlines()[0]} | result, options.out, started)


if __name__ == "__main__":
    main()
