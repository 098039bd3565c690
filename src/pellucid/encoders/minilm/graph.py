"""MiniLM's weights in, an ONNX graph of its forward pass out: ids (batch, length) to states (batch, length, 384).

BERT with six layers, norms after the sums, exact GELU (Devlin et al. 2019). There is no padding and so no mask: every
text of a batch has the same number of tokens. Two variants: `float`, and `int8`, where dense layers multiply integers
whose scale is either known beforehand or found from one token's row alone, so that no text depends on its neighbours.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from onnx import TensorProto, helper
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

from pellucid.encoders.minilm.dense import FUSED, Dense, FloatDense, Int8Dense, Norm, OnnxGraph
from pellucid.encoders.minilm.session import Variant
from pellucid.encoders.port import Vector

_LAYERS, _HEADS, _HIDDEN, _LONGEST = 6, 12, 384, 256
_EPSILON = 1e-12


def build(weights: Path, variant: Variant, stamp: dict[str, str]) -> bytes:
    """Return the serialised ONNX graph of a variant, made from a file of weights; `stamp` becomes its metadata.

    Its input is `ids`, int64 (batch, length); its output `states`, float32 (batch, length, 384).
    """
    graph = OnnxGraph()
    _Network(load_file(weights), graph, Int8Dense(graph) if variant == "int8" else FloatDense(graph)).forward()
    body = helper.make_graph(
        graph.nodes,
        "minilm",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", _HIDDEN])],
        graph.constants,
    )
    # old enough for every onnxruntime we accept
    versions = [helper.make_opsetid("", 19), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(body, opset_imports=versions, ir_version=9)
    helper.set_model_props(model, stamp)
    return model.SerializeToString()


@dataclass(frozen=True, slots=True)
class _Network:
    """The forward pass; outside attention, the tokens of all texts are the rows of one matrix.

    Values are known by their names in the graph. Methods return the name of a layer's rows, and the norm that made
    them.
    """

    weights: dict[str, Vector]
    graph: OnnxGraph
    dense: Dense

    def forward(self) -> None:
        """Add the whole pass to the graph, from the input `ids` to the output `states`."""
        graph = self.graph
        shape = graph.apply("Concat", graph.apply("Shape", "ids"), graph.ints(_HIDDEN), axis=0)
        rows, norm = self._embed()
        for layer in range(_LAYERS):
            rows, norm = self._layer(rows, norm, f"encoder.layer.{layer}.", shape)
        graph.apply("Reshape", rows, shape, out="states")

    def _embed(self) -> tuple[str, Norm]:
        """Add the embeddings of words and positions, summed and normalised; return the name of their rows, and the norm
        that made them.
        """
        graph, weights = self.graph, self.weights
        # half precision halves the largest table and moves no cosine in its first six digits
        words = graph.constant(weights["embeddings.word_embeddings.weight"].astype(np.float16))
        places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        length = graph.apply("Shape", "ids", start=1)
        word_rows = graph.apply("Cast", graph.apply("Gather", words, "ids"), to=TensorProto.FLOAT)
        place_rows = graph.apply("Slice", graph.constant(places[:_LONGEST]), graph.ints(0), length, graph.ints(0))
        rows = graph.apply("Reshape", graph.apply("Add", word_rows, place_rows), graph.ints(-1, _HIDDEN))
        return self._normalise(rows, "embeddings.LayerNorm")

    def _layer(self, rows: str, norm: Norm, name: str, shape: str) -> tuple[str, Norm]:
        """Add one layer over `rows`, which `norm` made; return the name of its rows, and the norm that made them.

        The names of its weights begin with `name`; `shape` is the name of the value (batch, length, 384).
        """
        graph = self.graph
        mixed = self._attention(rows, norm, f"{name}attention.self.", shape)
        attended = self._project(mixed, f"{name}attention.output.dense", "attention")
        rows, norm = self._normalise(graph.apply("Add", attended, rows), f"{name}attention.output.LayerNorm")
        [wide] = self.dense(rows, [self._matrix(f"{name}intermediate.dense")], norm)
        bias = graph.constant(self.weights[f"{name}intermediate.dense.bias"])
        narrow = self._project(graph.apply("BiasGelu", wide, bias, domain=FUSED), f"{name}output.dense", "gelu")
        return self._normalise(graph.apply("Add", narrow, rows), f"{name}output.LayerNorm")

    def _attention(self, rows: str, norm: Norm, name: str, shape: str) -> str:
        """Add the self-attention of a layer over `rows`, which `norm` made, without its output projection; return the
        name of its rows.

        The names of its weights begin with `name`; `shape` is the name of the value (batch, length, 384).
        """
        graph = self.graph
        query, key, value = (f"{name}{part}" for part in ("query", "key", "value"))
        products = self.dense(rows, [self._matrix(part) for part in (query, key, value)], norm)
        heads = [graph.apply("Reshape", product, shape) for product in products]
        bias = graph.constant(np.concatenate([self.weights[f"{part}.bias"] for part in (query, key, value)]))
        mixed = graph.apply("MultiHeadAttention", *heads, bias, domain=FUSED, num_heads=_HEADS)
        return graph.apply("Reshape", mixed, graph.ints(-1, _HIDDEN))

    def _project(self, rows: str, name: str, source: Literal["attention", "gelu"]) -> str:
        """Add the dense layer over `rows` with the weights and bias of this name, and return the name of its rows.
        `source` is what `rows` come from, which decides how they are rounded.
        """
        [product] = self.dense(rows, [self._matrix(name)], source)
        return self.graph.apply("Add", product, self.graph.constant(self.weights[f"{name}.bias"]))

    def _normalise(self, rows: str, name: str) -> tuple[str, Norm]:
        """Add the layer norm over `rows` with the weights of this name; return the name of its rows, and the norm that
        made them.
        """
        norm = Norm(self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], rows, _EPSILON)
        return norm.apply(self.graph), norm

    def _matrix(self, name: str) -> Vector:
        """Return the weights (in, out) of the dense layer of this name."""
        return self.weights[f"{name}.weight"].T
