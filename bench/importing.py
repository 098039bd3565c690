"""How fast are transcripts imported, measured against the encoder alone, and how much memory does a home take?

    python bench/importing.py --turns 5000 --home-turns 10000 --recalls 100

`importTurnsPerSecond` is `import_transcripts` in mode verbatim, end to end: read, redact, cut, write, file, encode,
index. `encoderTextsPerSecond` is `encode` of the same texts, a thousand before each thousand imported, so that both see
the same machine. Peak memory is VmHWM of two new processes: one that imports and then recalls, one that opens that home
and recalls (`ru_maxrss` would count the parent that forked them).

With `--sessions FOLDER` (transcripts, or `.xz` of them) nothing else is measured: the whole process of `pellucid import
--mode extract`, and the processor time of an import in mode both over that of the encoder alone, which encodes the very
texts that the import had encoded, in the same batches.
"""

import argparse
import json
import lzma
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import corpus
import machine
from pellucid.app import App, open_app
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.provision import MODEL_NAME
from pellucid.encoders.port import Encoding
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.settings import Settings

PART = 1_000


def write_transcript(path: Path, texts: list[str], first: int = 0) -> Path:
    """Write a transcript of these texts, one message a line, thirty a session; `first` is the first turn's number."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts, start=first):
            session, turn = divmod(number, corpus.SESSION_TURNS)
            at = corpus.BEGINNING + timedelta(minutes=20 * session + turn / 2)
            role = "assistant" if turn % 2 else "user"
            line = {"session": f"session-{session:05}", "role": role, "content": text, "ts": at.isoformat()}
            file.write(json.dumps(line) + "\n")
    return path


def open_home(home: Path, models: Path) -> App:
    """Open a home of this benchmark."""
    return open_app(Settings(home=home, namespace=corpus.NAMESPACE), models=models)


def import_verbatim(app: App, path: Path) -> None:
    """Import a transcript in mode `verbatim`."""
    request = ImportInput(paths=(path,), mode="verbatim", namespace=corpus.NAMESPACE, transcript_format=None)
    done = import_transcripts(app, request)
    assert done.memories == done.turns_read > 0, done


def throughput(folder: Path, turns: int, seed: int, models: Path) -> dict[str, object]:
    """Time the encoder alone and the import, in turn on the same texts, a thousand at a time."""
    texts, app = corpus.texts(turns, seed, corpus.ordinary_words(models, seed)), open_home(folder / "measured", models)
    encoder, tokens, encoding, importing = MiniLM(models / MODEL_NAME), list[int](), Spent(), Spent()
    for embedder in (encoder, app.embedder):
        list(embedder.encode(texts[:64]))  # loads the model
    for start in range(0, turns, PART):
        part = texts[start : start + PART]
        with encoding.counting():
            tokens += [len(each.tokens) for each in encoder.encode(part)]
        path = write_transcript(folder / f"part-{start}.jsonl", part, first=start)
        with importing.counting():
            import_verbatim(app, path)
    app.close()
    return {
        "turns": turns,
        "tokensATurn": round(sum(tokens) / turns, 1),
        "importTurnsPerSecond": round(turns / importing.wall, 1),
        "encoderTextsPerSecond": round(turns / encoding.wall, 1),
        "ratio": round(encoding.wall / importing.wall, 3),
        "ratioOfCpu": round(encoding.cpu / importing.cpu, 3),
        "importCpuMsATurn": round(importing.cpu * 1000 / turns, 3),
        "encoderCpuMsATurn": round(encoding.cpu * 1000 / turns, 3),
    }


def over_sessions(folder: Path, sessions: Path, models: Path) -> dict[str, object]:
    """Time imports of real transcripts: in mode `extract` as a process, in mode `both` against the encoder."""
    transcripts = folder / "sessions"
    transcripts.mkdir()
    for path in sorted(sessions.rglob("*.jsonl*")):
        text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        (transcripts / path.name.removesuffix(".xz")).write_bytes(text)
    app, batches, encoding, importing = open_home(folder / "both", models), list[list[str]](), Spent(), Spent()
    list(app.embedder.encode(["loads the model"]))
    encode = app.embedder.encode

    def record_batch(texts: Sequence[str]) -> Iterator[Encoding]:
        """Record a batch of texts, and encode it."""
        batches.append(list(texts))
        return encode(texts)

    request = ImportInput(paths=(transcripts,), mode="both", namespace=corpus.NAMESPACE, by_folder=True)
    with patch.object(app.embedder, "encode", record_batch), importing.counting():
        done = import_transcripts(app, request)
    with encoding.counting():
        for batch in batches:
            list(encode(batch))
    app.close()
    return {
        "turns": done.turns_taken,
        "textsEncoded": sum(map(len, batches)),
        "bothCpuSeconds": round(importing.cpu, 2),
        "encoderCpuSeconds": round(encoding.cpu, 2),
        "bothOverEncoder": round(importing.cpu / encoding.cpu, 3),
        "extract": as_a_process(folder / "extract", transcripts, models),
    }


def as_a_process(home: Path, transcripts: Path, models: Path) -> dict[str, float]:
    """Return the seconds that `pellucid import --mode extract` takes into a new home that has its model."""
    shutil.copytree(models / MODEL_NAME, home / "models" / MODEL_NAME)
    command = [sys.executable, "-c", "from pellucid.surfaces.cli import main; main()", "import", str(transcripts)]
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--mode", "extract", "--home", str(home)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(time.perf_counter() - begun, 2), "cpuSeconds": round(cpu, 2)}


@dataclass(slots=True)
class Spent:
    """Seconds of wall time, and of processor time of all threads."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def counting(self) -> Generator[None]:
        """Add the time that the block takes."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def live(options: argparse.Namespace) -> dict[str, object]:
    """Import if the home is new, then recall, in this process; return its peak memory and times."""
    texts = corpus.texts(options.home_turns, options.seed, corpus.ordinary_words(options.models, options.seed))
    queries, peak_at_start = corpus.queries(texts, options.recalls, options.seed), peak_mb()
    is_new, app = not options.live.exists(), open_home(options.live, options.models)
    if is_new:
        import_verbatim(app, write_transcript(options.live / "turns.jsonl", texts))
    peak_after_import, times = peak_mb(), list[float]()
    del texts
    for query in queries:
        app.embedder.encode_query(query.text)
        start = time.perf_counter()
        recall(app, RecallInput(query=query.text, namespace=corpus.NAMESPACE))
        times.append((time.perf_counter() - start) * 1000)
    app.close()
    return {
        "memories": options.home_turns,
        "recalls": options.recalls,
        "peakMb": peak_mb(),
        "peakBeforeRecallsMb": peak_after_import,
        "peakBeforeOpeningMb": peak_at_start,
        "wholeRecallMs": machine.spread(times[1:], 2),
        "firstRecallMs": round(times[0], 1),
    }


def peak_mb() -> float:
    """Return the peak resident memory of this process in MB."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return next(round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith("VmHWM"))


def in_a_fresh_process(options: argparse.Namespace, home: Path) -> dict[str, object]:
    """Measure with `live` in a new process."""
    sizes = [
        f"--{name}={getattr(options, name.replace('-', '_'))}" for name in ("home-turns", "recalls", "seed", "models")
    ]
    words = [sys.executable, __file__, f"--live={home}", *sizes]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--home-turns", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=100)
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--live", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.live:
        sys.stdout.write(json.dumps(live(options)))
        return
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        if options.sessions:
            result = over_sessions(Path(folder), options.sessions, options.models)
            machine.publish({"question": __doc__.splitlines()[0]} | result, options.out, started)
            return
        result = throughput(Path(folder), options.turns, options.seed, options.models)
        home = Path(folder) / "home"
        result["importAndRecall"] = in_a_fresh_process(options, home)
        result["openAndRecall"] = in_a_fresh_process(options, home)
    machine.publish({"question": __doc__.splitlines()[0]} | result, options.out, started)


if __name__ == "__main__":
    main()
