"""Rows and weights in, products out: how close integers come, on ordinary and on extreme rows."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from pellucid.encoders.minilm.dense import FUSED, Dense, FloatDense, Int8Dense, Norm, OnnxGraph
from pellucid.encoders.onnx import onnxruntime

WIDTH, OUT = 384, 48
rng = np.random.default_rng(7)
GAMMA = np.exp(rng.normal(size=WIDTH)).astype(np.float32)
BETA = rng.normal(size=WIDTH).astype(np.float32)
WEIGHT = rng.normal(size=(WIDTH, OUT)).astype(np.float32)
ORDINARY = rng.normal(size=(20, WIDTH)).astype(np.float32)
# all of a row's variance in one channel is as far as a norm can reach
EXTREME = np.eye(WIDTH, dtype=np.float32)


def product_after_norm(dense_type: type[FloatDense] | type[Int8Dense], rows: np.ndarray) -> np.ndarray:
    graph = OnnxGraph()
    dense: Dense = dense_type(graph)
    norm = Norm(GAMMA, BETA, "rows", 1e-12)
    [out] = dense(norm.apply(graph), [WEIGHT], norm)
    body = helper.make_graph(
        graph.nodes,
        "dense",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", WIDTH])],
        [helper.make_tensor_value_info(out, TensorProto.FLOAT, ["n", OUT])],
        graph.constants,
    )
    versions = [helper.make_opsetid("", 19), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(body, opset_imports=versions, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run([out], {"rows": rows})[0]


@pytest.mark.parametrize("rows", [ORDINARY, EXTREME, -EXTREME], ids=["ordinary", "one channel high", "one channel low"])
def test_integers_after_a_norm_never_clip_and_stay_near_the_product(rows: np.ndarray) -> None:
    exact = product_after_norm(FloatDense, rows)
    error = np.linalg.norm(product_after_norm(Int8Dense, rows) - exact, axis=1)
    # a row of one channel has its weights' rounding undiluted; clipped to half its reach it would be off by half
    assert (error / np.linalg.norm(exact, axis=1)).max() < 0.05
