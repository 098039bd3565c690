"""Golden texts in, cosines out: how close each variant is to the reference implementation.

`vectors.npy` holds what torch and transformers computed for `texts.json` from the same weights, in float64, without
padding: mean of the last hidden states, at unit length.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.session import Variant

GOLDEN = Path(__file__).parents[2] / "golden" / "encoder"


@pytest.mark.parametrize(("variant", "floor", "mean"), [("float", 0.99999, 0.99999), ("int8", 0.997, 0.999)])
def test_vectors_agree_with_the_reference_implementation(
    model_cache: Path, variant: Variant, floor: float, mean: float
) -> None:
    texts = json.loads((GOLDEN / "texts.json").read_text("utf-8"))
    reference = np.load(GOLDEN / "vectors.npy")
    ours = np.stack([encoding.vector for encoding in MiniLM(model_cache, variant=variant).encode(texts)])
    cosines = (ours * reference).sum(axis=1)
    assert cosines.min() >= floor
    assert cosines.mean() >= mean
