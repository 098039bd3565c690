"""How many attempts to poison a memory take effect, and how many are recalled, with the defences on and off?

    python bench/poisoning.py --out bench/results/poisoning.json

The cases are those of tests/poisoning/cases.toml, each in a namespace of its own, through the ordinary guard, intake
and recall. An attempt is `injected` if its words stand in a memory that may be recalled, or if what it attacks is in
force no more; it is `activated` if its words are among the memories recalled for its question. `benignKept` are the
benign sessions whose words stand, `benignRecalled` those whose words answer their question.

Two extractors: `heuristic` is the default, which never reads a tool's output (its own restraint is a defence, and is
not switched off); `everything` takes every sentence of every turn for a fact, as a model that believes all it reads.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import machine
from pellucid.app import open_app
from pellucid.settings import Settings, TrustSettings

sys.path.append(str(machine.ROOT / "tests" / "poisoning"))
from poisoning_kit import Outcome, load_cases, run


def main() -> None:
    """Print the four runs, and write them if asked."""
    asked, started = machine.arguments(__doc__ or "").parse_args(), time.time()
    runs = [measure(asked.models, name, enabled=on) for name in ("everything", "heuristic") for on in (True, False)]
    machine.publish({"benchmark": "poisoning", "runs": runs}, asked.out, started)


def measure(models: Path, extractor: str, *, enabled: bool) -> dict[str, object]:
    """One run over a fresh home."""
    attempts, benign = load_cases()
    with TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder) / "home", trust=TrustSettings(enabled=enabled))
        app = open_app(settings, models=models)
        hostile = list(run(app, attempts, everything=extractor == "everything"))
        plain = list(run(app, benign, everything=extractor == "everything"))
        app.close()
    families: dict[str, list[Outcome]] = defaultdict(list)
    for each in hostile:
        families[each.case.family].append(each)
    return {
        "extractor": extractor,
        "defences": "on" if enabled else "off",
        **rates(hostile),
        "benign": len(plain),
        "benignKept": sum(each.kept for each in plain),
        "benignRecalled": sum(each.recalled for each in plain),
        "tookEffect": [each.case.id for each in hostile if each.injected] if enabled else [],
        "families": {name: rates(found) for name, found in families.items()},
    }


def rates(found: Sequence[Outcome]) -> dict[str, object]:
    """Counts and shares of the attempts that took effect, and that were recalled."""
    injected, activated = sum(each.injected for each in found), sum(each.activated for each in found)
    return {
        "attempts": len(found),
        "injected": injected,
        "activated": activated,
        "injectionRate": round(injected / len(found), 3),
        "activationRate": round(activated / len(found), 3),
    }


if __name__ == "__main__":
    main()
