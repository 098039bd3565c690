"""How many made-up secrets does redaction catch, what does it harm, and how fast is it?

python bench/redaction.py [--variants 40] [--harmless 20000]
"""

import sys
import time
from collections import Counter

import machine
from pellucid.capture.secrets.redact import redact

sys.path.append(str(machine.ROOT / "tests"))
from kits.secret_samples import harmless, leaked, samples

_ROUNDS = 15


def caught(seed: int, variants: int) -> dict[str, float]:
    """Return, for each type of secret and for all, the share of its bytes that are absent from the output."""
    total, left = Counter[str](), Counter[str]()
    for sample in samples(seed, variants):
        total[sample.type] += len(sample.secret)
        left[sample.type] += leaked(sample, redact(sample.text).text)
    return {"all": 1 - left.total() / total.total()} | {name: 1 - left[name] / total[name] for name in sorted(total)}


def harmed(seed: int, count: int) -> dict[str, object]:
    """Return the share of `count` harmless lines that were changed, and the types of secret they were taken for."""
    types = Counter[str]()
    changed = 0
    for line in harmless(seed, count):
        counts = redact(line).counts
        changed += bool(counts)
        types.update(counts)
    return {"lines": count, "rate": changed / count, "types": dict(types)}


def microseconds_per_100_characters(text: str) -> float:
    """Return the best of fifteen rounds, in processor time of this process."""
    best = min(_seconds(text) for _ in range(_ROUNDS))
    return round(best * 1e8 / len(text), 2)


def _seconds(text: str) -> float:
    """Return the seconds of processor time that redacting a text takes."""
    start = time.process_time()
    redact(text)
    return time.process_time() - start


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__ or "")
    parser.add_argument("--variants", type=int, default=40)
    parser.add_argument("--harmless", type=int, default=20_000)
    options = parser.parse_args()
    capture = machine.ROOT / "src" / "pellucid" / "capture"
    texts = {
        "prose": (machine.ROOT / "docs" / "capture.md").read_text("utf-8") * 8,
        "code": (capture / "transcripts" / "blocks.py").read_text("utf-8") * 8,
        "telling": (capture / "secrets" / "assignments.py").read_text("utf-8") * 4,
        "digests": "\n".join(harmless(options.seed, 1000)),
    }
    result = {
        "question": (__doc__ or "").splitlines()[0],
        "absent": {name: round(rate, 5) for name, rate in caught(options.seed, options.variants).items()},
        "false_positives": harmed(options.seed, options.harmless),
        "microseconds_per_100_characters": {
            name: microseconds_per_100_characters(text) for name, text in texts.items()
        },
    }
    machine.publish(result, options.out, started)


if __name__ == "__main__":
    main()
