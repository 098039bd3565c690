"""Made-up secrets and harmless lines in, what redaction catches, what it harms and how fast it is out, as JSON.

python bench/redaction.py [--seed 1] [--variants 40] [--harmless 20000]
"""

import argparse
import json
import platform
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "unit" / "capture"))

from kits.secret_samples import harmless, leaked, samples
from pellucid.capture.secrets.redact import redact


def caught(seed: int, variants: int) -> dict[str, float]:
    """For each type, the share of its secret bytes that are absent from the output."""
    total, left = Counter[str](), Counter[str]()
    for sample in samples(seed, variants):
        total[sample.type] += len(sample.secret)
        left[sample.type] += leaked(sample, redact(sample.text).text)
    return {"all": 1 - left.total() / total.total()} | {name: 1 - left[name] / total[name] for name in sorted(total)}


def harmed(seed: int, count: int) -> dict[str, object]:
    """The share of harmless lines that were touched, and by which types."""
    types = Counter[str]()
    touched = 0
    for line in harmless(seed, count):
        counts = redact(line).counts
        touched += bool(counts)
        types.update(counts)
    return {"lines": count, "rate": touched / count, "types": dict(types)}


def microseconds_per_100_characters(text: str, rounds: int = 15) -> float:
    """The best of some rounds, in CPU time of this process."""
    best = min(_seconds(text) for _ in range(rounds))
    return round(best * 1e8 / len(text), 2)


def _seconds(text: str) -> float:
    begun = time.process_time()
    redact(text)
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", type=int, default=40)
    parser.add_argument("--harmless", type=int, default=20_000)
    given = parser.parse_args()
    root = Path(__file__).parents[1]
    texts = {
        "prose": (root / "docs" / "capture.md").read_text("utf-8") * 8,
        "code": (root / "src" / "pellucid" / "capture" / "transcripts" / "blocks.py").read_text("utf-8") * 8,
        "telling": (root / "src" / "pellucid" / "capture" / "secret_assignments.py").read_text("utf-8") * 4,
        "digests": "\n".join(harmless(given.seed, 1000)),
    }
    result = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "absent": {name: round(rate, 5) for name, rate in caught(given.seed, given.variants).items()},
        "false_positives": harmed(given.seed, given.harmless),
        "microseconds_per_100_characters": {
            name: microseconds_per_100_characters(text) for name, text in texts.items()
        },
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
