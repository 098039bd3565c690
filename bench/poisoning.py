"""How many attempts to poison a memory take effect, and how many are recalled, with the defences on and off?

    python bench/poisoning.py --out bench/results/poisoning.json

The cases are those of tests/poisoning/cases.toml, each in a namespace of its own, through the ordinary guard, intake
and recall. An attempt is `injected` if its words stand in a memory that may be recalled, or if what it attacks is in
force no more; it is `activated` if its words are among the memories recalled for its question. `benignKept` are the
benign sessions whose words stand, `benignRecalled` those whose words answer their question.

Two extractors: `heuristic` is the default, which never reads a tool's output (its own restraint is a defence, and is
not switched off); `everything` takes every sentence of every turn for a fact, as a model that believes all it reads.

    python bench/poisoning.py --corpus FILE [--benign FILE]

measures a corpus of JSON lines instead (tests/kits/corpus.py has the shape): each row is imported (`extract`,
`verbatim`) or indexed (`document`) as a user would, then asked for. It is `injected` if its payload is recalled as
trusted text: in words that are neither in quarantine nor marked. A benign row is `wronglyHeld` if its payload is not
recalled so, and would be without the defences; `notServed` also counts what is not recalled either way.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import machine
from pellucid.app import open_app
from pellucid.settings import Settings
from pellucid.settings.sections import TrustSettings

sys.path.append(str(machine.ROOT / "tests"))
from kits.corpus import Row, load_rows, served
from kits.poisoning import Outcome, load_cases, run


def main() -> None:
    """Print the four runs, and write them to `--out` if given."""
    parser = machine.arguments(__doc__ or "")
    parser.add_argument("--corpus", type=Path, help="measure the attempts of this file")
    parser.add_argument("--benign", type=Path, help="with --corpus: count which of these benign texts are held back")
    options, started = parser.parse_args(), time.time()
    if options.corpus:
        machine.publish(measure_corpus(options.corpus, options.benign, options.models), options.out, started)
        return
    runs = [measure(options.models, name, enabled=on) for name in ("everything", "heuristic") for on in (True, False)]
    machine.publish({"benchmark": "poisoning", "runs": runs}, options.out, started)


def measure(models: Path, extractor: str, *, enabled: bool) -> dict[str, object]:
    """Run all cases in a new home, with one extractor, with or without the defences."""
    attempts, benign = load_cases()
    with TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder) / "home", trust=TrustSettings(enabled=enabled))
        app = open_app(settings, models=models)
        hostile = list(run(app, attempts, everything=extractor == "everything"))
        harmless = list(run(app, benign, everything=extractor == "everything"))
        app.close()
    families: dict[str, list[Outcome]] = defaultdict(list)
    for each in hostile:
        families[each.case.family].append(each)
    return {
        "extractor": extractor,
        "defences": "on" if enabled else "off",
        **rates(hostile),
        "benign": len(harmless),
        "benignKept": sum(each.kept for each in harmless),
        "benignRecalled": sum(each.recalled for each in harmless),
        "tookEffect": [each.case.id for each in hostile if each.injected] if enabled else [],
        "families": {name: rates(outcomes) for name, outcomes in families.items()},
    }


def measure_corpus(attempts: Path, benign: Path | None, models: Path) -> dict[str, object]:
    """Return the shares of a corpus's attempts that are injected, by channel, and the benign texts that are held
    back."""
    rows = load_rows(attempts)
    hostile = [row for row in rows if not row.benign]
    benign_rows = [row for row in (*rows, *(load_rows(benign) if benign else ())) if row.benign]
    injected, injected_undefended = (_served(hostile, models, enabled=enabled) for enabled in (True, False))
    served_, served_undefended = (_served(benign_rows, models, enabled=enabled) for enabled in (True, False))
    return {
        "benchmark": "poisoning-corpus",
        "injected": shares(hostile, injected),
        "injectedWithoutDefences": shares(hostile, injected_undefended),
        "took": [row.id for row in hostile if injected[row.id]],
        "benign": len(benign_rows),
        "notServed": sum(not served_[row.id] for row in benign_rows),
        "wronglyHeld": [row.id for row in benign_rows if served_undefended[row.id] and not served_[row.id]],
    }


def _served(rows: Sequence[Row], models: Path, *, enabled: bool) -> dict[str, bool]:
    """Return by row id whether its payload is recalled as trusted text, in a new home."""
    with TemporaryDirectory() as folder:
        return served(rows, Path(folder), models, enabled=enabled)


def shares(rows: Sequence[Row], injected: Mapping[str, bool]) -> dict[str, str]:
    """Return `injected/attempts` by channel, and of all rows."""
    channels = {
        "all": rows,
        **{name: [r for r in rows if r.channel == name] for name in ("extract", "verbatim", "document")},
    }
    return {name: f"{sum(injected[row.id] for row in members)}/{len(members)}" for name, members in channels.items()}


def rates(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return the counts and shares of the attempts that took effect, and of those that were recalled."""
    injected, activated = sum(each.injected for each in outcomes), sum(each.activated for each in outcomes)
    return {
        "attempts": len(outcomes),
        "injected": injected,
        "activated": activated,
        "injectionRate": round(injected / len(outcomes), 3),
        "activationRate": round(activated / len(outcomes), 3),
    }


if __name__ == "__main__":
    main()
