"""How many packages does a default install bring, and how much room do they take?

    python bench/footprint.py

Counts the pins of `constraints.txt` that apply to this system and Python; sizes are of the files those packages have
here, in the environment that runs this (byte code that Python writes later is left out).
"""

import time
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

import machine

HEAVY = ("torch", "tensorflow", "jax", "transformers")
SHOWN = 8


def pinned_packages() -> list[Requirement]:
    """Return the packages that a default install brings on this system."""
    lines = (machine.ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [Requirement(line.rstrip("\\ ")) for line in lines if line and not line.startswith((" ", "#"))]
    return [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]


def size_mb(name: str) -> float | None:
    """Return the size of a package's files; None if it is not installed here."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    paths = (Path(file.locate()) for file in files if "__pycache__" not in file.parts)
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def measure() -> dict[str, object]:
    """Count the packages and sum their sizes."""
    names = [pin.name for pin in pinned_packages()]
    sizes = {name: size for name in names if (size := size_mb(name)) is not None}
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:SHOWN]
    return {
        "packages": len(names),
        "heavyFrameworks": [name for name in names if name in HEAVY],
        "notInstalledHere": sorted(set(names) - sizes.keys()),
        "installedMb": round(sum(sizes.values()), 1),
        "largestMb": {name: round(size, 1) for name, size in largest},
        "pellucidMb": round(sum(file.stat().st_size for file in (machine.ROOT / "src").rglob("*.[ps]*[yl]")) / 1e6, 2),
    }


def main() -> None:
    """Measure and publish."""
    started, options = time.time(), machine.arguments(__doc__).parse_args()
    machine.publish({"question": __doc__.splitlines()[0]} | measure(), options.out, started)


if __name__ == "__main__":
    main()
