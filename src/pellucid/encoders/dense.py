"""Rows and weights in, ONNX nodes that multiply them out: dense layers in float32, or in integers with row scales."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from pellucid.encoders.port import Vector

FUSED = "com.microsoft"
"""The domain of ONNX Runtime's own operators."""
# exact GELU never goes below -0.17
_GELU_FLOOR = 0.17
_GELU_ZERO = 32
_ZERO = 128


@dataclass
class Graph:
    """Nodes and constants in the making; every value is known by its name."""

    nodes: list[onnx.NodeProto] = field(default_factory=list[onnx.NodeProto])
    constants: list[onnx.TensorProto] = field(default_factory=list[onnx.TensorProto])

    def constant(self, array: NDArray[np.generic]) -> str:
        """Keep an array and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def scalar(self, value: float) -> str:
        """Keep a float32 number."""
        return self.constant(np.full((), value, np.float32))

    def ints(self, *values: int) -> str:
        """Keep a row of int64: a shape, axes, or an index."""
        return self.constant(np.array(values, np.int64))

    def apply(
        self, operator: str, *inputs: str, domain: str = "", out: str = "", **attributes: float | onnx.TensorProto
    ) -> str:
        """Add a node and return the name of its value."""
        out = out or f"{operator}{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [out], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return out


@dataclass(frozen=True, slots=True)
class Norm:
    """The scale and shift of a layer norm."""

    gamma: Vector
    beta: Vector

    @property
    def reach(self) -> Vector:
        """How far each channel goes, roughly: two standard deviations beyond its shift."""
        return 2 * np.abs(self.gamma) + np.abs(self.beta)


Source = Norm | Literal["attention", "gelu"]
"""What the rows come from, which says how their numbers are spread."""


class Dense(Protocol):
    """How a dense layer multiplies."""

    def __call__(self, rows: str, weights: Sequence[Vector], source: Source, /) -> list[str]:
        """Multiply the rows by each of `weights` (in, out); biases are added by the caller."""
        ...


@dataclass(frozen=True, slots=True)
class FloatDense:
    """The products themselves."""

    graph: Graph

    def __call__(self, rows: str, weights: Sequence[Vector], _source: Source, /) -> list[str]:
        return [self.graph.apply("MatMul", rows, self.graph.constant(weight)) for weight in weights]


@dataclass(frozen=True, slots=True)
class Int8Dense:
    """Rows as uint8 with a scale each, weights as int8 with a scale a column, their products as exact integers."""

    graph: Graph

    def __call__(self, rows: str, weights: Sequence[Vector], source: Source, /) -> list[str]:
        graph = self.graph
        if isinstance(source, Norm):
            rows, weights = self._balance(rows, weights, source)
        scale, zero = self._gelu_scale(rows) if source == "gelu" else self._scale(rows)
        zeros = graph.apply("ConstantOfShape", graph.apply("Shape", scale), value=_uint8(zero, shape=(1,)))
        codes = graph.apply("QuantizeLinear", rows, scale, zeros, axis=0)
        by_row = graph.apply("Unsqueeze", scale, graph.ints(1))
        return [graph.apply("Mul", self._product(codes, zero, weight), by_row) for weight in weights]

    def _product(self, codes: str, zero: int, weight: Vector) -> str:
        graph = self.graph
        scale = np.abs(weight).max(axis=0) / np.float32(127)
        rounded = graph.constant(np.rint(weight / scale).astype(np.int8))
        zero_point = graph.constant(numpy_helper.to_array(_uint8(zero)))
        inputs = (codes, rounded, graph.scalar(1), graph.constant(scale), zero_point)
        return graph.apply("MatMulIntegerToFloat", *inputs, domain=FUSED)

    def _balance(self, rows: str, weights: Sequence[Vector], norm: Norm) -> tuple[str, list[Vector]]:
        """Divide wide channels, and multiply their weights by as much, so that one scale a row suits every channel.

        SmoothQuant's idea (Xiao et al. 2023, eq. 4, alpha = 1/2), with a channel's range taken from its layer norm
        instead of from data, and the root mean square of its weights in place of their maximum.
        """
        strength = np.sqrt(np.square(np.concatenate(weights, axis=1)).mean(axis=1))
        divisor = np.sqrt(norm.reach / strength)
        balanced = self.graph.apply("Mul", rows, self.graph.constant(1 / divisor))
        return balanced, [weight * divisor[:, None] for weight in weights]

    def _scale(self, rows: str) -> tuple[str, int]:
        """The scale of each row and the zero point of all."""
        graph = self.graph
        largest = graph.apply("ReduceMax", graph.apply("Abs", rows), graph.ints(1), keepdims=0)
        return graph.apply("Mul", largest, graph.scalar(1 / 127)), _ZERO

    def _gelu_scale(self, rows: str) -> tuple[str, int]:
        """GELU's output is nearly one-sided: a low zero point leaves more codes for the positive side."""
        graph = self.graph
        largest = graph.apply("ReduceMax", rows, graph.ints(1), keepdims=0)
        above = graph.apply("Mul", largest, graph.scalar(1 / (255 - _GELU_ZERO)))
        return graph.apply("Max", above, graph.scalar(_GELU_FLOOR / _GELU_ZERO)), _GELU_ZERO


def _uint8(value: int, shape: tuple[int, ...] = ()) -> onnx.TensorProto:
    return numpy_helper.from_array(np.full(shape, value, np.uint8))
