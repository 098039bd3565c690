"""The kit of the property tests in, its fixture within reach of this room out."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "property"))

from vault_kit import house

__all__ = ["house"]
