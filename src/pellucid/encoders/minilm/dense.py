"""Rows and weights in, ONNX nodes that multiply them out: dense layers in float32, or in integers."""

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
# finer remainders are rounded less themselves, but leave fewer bits to the weights they meet: ten suits both
_FINER = 10


@dataclass
class OnnxGraph:
    """A graph being made: its nodes and constants; every value is known by its name."""

    nodes: list[onnx.NodeProto] = field(default_factory=list[onnx.NodeProto])
    constants: list[onnx.TensorProto] = field(default_factory=list[onnx.TensorProto])

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant array of any type and shape, and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def scalar(self, value: float) -> str:
        """Add a constant float32 number, and return its name."""
        return self.constant(np.full((), value, np.float32))

    def ints(self, *values: int) -> str:
        """Add a constant row of int64 (a shape, axes, or an index), and return its name."""
        return self.constant(np.array(values, np.int64))

    def apply(
        self, operator: str, *inputs: str, domain: str = "", out: str = "", **attributes: float | onnx.TensorProto
    ) -> str:
        """Add a node that applies an operator to the values named `inputs`, and return the name of its output: `out`,
        or if that is empty a new one. `domain` is the operator's, empty for ONNX's own; `attributes` are the node's.
        """
        out = out or f"{operator}{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [out], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return out


@dataclass(frozen=True, slots=True)
class Norm:
    """The scale and shift of a layer norm, and the name of the rows that went into it."""

    gamma: Vector
    beta: Vector
    before: str
    epsilon: float

    def apply(self, graph: OnnxGraph, divisor: Vector | None = None) -> str:
        """Add the norm to a graph, each channel divided by its `divisor` if there is one; return the output's name."""
        scale = np.float32(1) if divisor is None else divisor
        inputs = (self.before, graph.constant(self.gamma / scale), graph.constant(self.beta / scale))
        return graph.apply("LayerNormalization", *inputs, axis=-1, epsilon=self.epsilon)

    @property
    def typical_size(self) -> Vector:
        """Return, for each channel, the absolute value that it rarely exceeds: 2·|gamma| + |beta|, two standard
        deviations beyond its shift.
        """
        return 2 * np.abs(self.gamma) + np.abs(self.beta)

    @property
    def largest_size(self) -> Vector:
        """Return, for each channel, the absolute value that it never exceeds: sqrt(n)·|gamma| + |beta|, as n numbers of
        variance 1 are within sqrt(n) of their mean.
        """
        return np.sqrt(np.float32(self.gamma.size)) * np.abs(self.gamma) + np.abs(self.beta)


Source = Norm | Literal["attention", "gelu"]
"""What the rows come from, which decides how their numbers are spread."""


class Dense(Protocol):
    """A way to multiply a dense layer."""

    def __call__(self, rows: str, weights: Sequence[Vector], source: Source, /) -> list[str]:
        """Add nodes that multiply the value named `rows` by each of `weights` (in, out); return the products' names.

        Biases are added by the caller.
        """
        ...


@dataclass(frozen=True, slots=True)
class FloatDense:
    """Multiplies in float32."""

    graph: OnnxGraph

    def __call__(self, rows: str, weights: Sequence[Vector], _source: Source, /) -> list[str]:
        """See `Dense`: float32 products."""
        return [self.graph.apply("MatMul", rows, self.graph.constant(weight)) for weight in weights]


@dataclass(frozen=True, slots=True)
class Int8Dense:
    """Multiplies rows as uint8 by weights as int8 with a scale a column: exact integer products.

    After a norm, rounding the rows costs most accuracy, so the remainders of the rows are multiplied as well; after
    GELU, rounding the weights costs more, so the remainders of the weights are.
    """

    graph: OnnxGraph

    def __call__(self, rows: str, weights: Sequence[Vector], source: Source, /) -> list[str]:
        """See `Dense`: products of rounded rows and weights, scaled back to float32."""
        if isinstance(source, Norm):
            return self._after_norm(weights, source)
        graph = self.graph
        scale, zero = self._gelu_scale(rows) if source == "gelu" else self._row_scales(rows)
        zeros = graph.apply("ConstantOfShape", graph.apply("Shape", scale), value=_uint8(zero, shape=(1,)))
        codes = graph.apply("QuantizeLinear", rows, scale, zeros, axis=0)
        product = self._fine_product if source == "gelu" else self._matrix_product
        by_row = graph.apply("Unsqueeze", scale, graph.ints(1))
        return [graph.apply("Mul", product(codes, zero, _Columns.of(weight)), by_row) for weight in weights]

    def _matrix_product(self, codes: str, zero: int, columns: "_Columns") -> str:
        """Add the product of uint8 rows (`codes`, their name, and `zero`, their zero point) and int8 weights, scaled by
        column, as float32; return its name.
        """
        add = self.graph.constant
        inputs = (codes, add(columns.codes), self.graph.scalar(1), add(columns.scale), self._zero_point(zero))
        return self.graph.apply("MatMulIntegerToFloat", *inputs, domain=FUSED)

    def _fine_product(self, codes: str, zero: int, columns: "_Columns") -> str:
        """Add the sum of two `_matrix_product`s of the rows `codes`, with the zero point `zero`: one with the weights
        rounded, one with what rounding them lost (`_Columns.rest`); return its name.
        """
        rest = self._matrix_product(codes, zero, columns.rest)
        return self.graph.apply("Add", self._matrix_product(codes, zero, columns), rest)

    def _after_norm(self, weights: Sequence[Vector], norm: Norm) -> list[str]:
        """Add to the graph the products of a norm's output with each of the weights; return their names, in the order
        of `weights`.

        The norm is added once more, its channels divided (`_channel_divisors`) so that one fixed scale serves all rows.
        The rows rounded, and what rounding lost in steps a tenth as large, stand side by side: one product multiplies
        both."""
        graph = self.graph
        divisor = _channel_divisors(weights, norm)
        rows, step, zero = norm.apply(graph, divisor), graph.scalar(1), self._zero_point(_ZERO)
        whole = graph.apply("QuantizeLinear", rows, step, zero)
        remainder = graph.apply("Sub", rows, graph.apply("DequantizeLinear", whole, step, zero))
        fine = graph.apply("QuantizeLinear", remainder, graph.scalar(1 / _FINER), zero)
        codes = graph.apply("Concat", whole, fine, axis=1)
        columns = [_Columns.of(weight * divisor[:, None]) for weight in weights]
        return [self._matrix_product(codes, _ZERO, one.with_finer_rows()) for one in columns]

    def _row_scales(self, rows: str) -> tuple[str, int]:
        """Add, for each row, the scale at which its largest absolute value is 127 steps.

        Return the name of the scales, and the zero point of all rows: 128, in the middle, as values go in both
        directions.
        """
        graph = self.graph
        largest = graph.apply("ReduceMax", graph.apply("Abs", rows), graph.ints(1), keepdims=0)
        return graph.apply("Mul", largest, graph.scalar(1 / 127)), _ZERO

    def _gelu_scale(self, rows: str) -> tuple[str, int]:
        """Add, for each row of GELU's output, the scale at which its largest value is 223 steps, but at least the one
        at which GELU's lowest value, -0.17, is 32 steps.

        Return the name of the scales, and the zero point of all rows: 32, as few values are negative.
        """
        graph = self.graph
        largest = graph.apply("ReduceMax", rows, graph.ints(1), keepdims=0)
        above = graph.apply("Mul", largest, graph.scalar(1 / (255 - _GELU_ZERO)))
        return graph.apply("Max", above, graph.scalar(_GELU_FLOOR / _GELU_ZERO)), _GELU_ZERO

    def _zero_point(self, zero: int) -> str:
        """Add a zero point as a constant, and return its name."""
        return self.graph.constant(numpy_helper.to_array(_uint8(zero)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Weights (in, out) in steps of their column's scale, and those steps rounded to int8."""

    steps: Vector
    scale: Vector

    @classmethod
    def of(cls, weight: Vector) -> "_Columns":
        """Return weights divided, column by column, by a scale at which the column's largest size is 127; the quotients
        (`steps`) are not rounded yet, see `codes`.
        """
        scale = np.abs(weight).max(axis=0) / np.float32(127)
        return cls(weight / scale, scale)

    @property
    def codes(self) -> NDArray[np.int8]:
        """Return the steps, rounded to whole numbers."""
        return np.rint(self.steps).astype(np.int8)

    @property
    def rest(self) -> "_Columns":
        """Return what rounding the steps to `codes` lost, at most half a step each, as weights in steps 254 times as
        fine.
        """
        return _Columns((self.steps - self.codes) * np.float32(254), self.scale / np.float32(254))

    def with_finer_rows(self) -> "_Columns":
        """Return the weights twice, one below the other, the second time a tenth as large: these meet inputs that are
        remainders, in steps a tenth as large.
        """
        return _Columns(np.concatenate([self.steps, self.steps / np.float32(_FINER)]), self.scale)


def _channel_divisors(weights: Sequence[Vector], norm: Norm) -> Vector:
    """Return, for each channel, a number by which the norm's output is to be divided and the channel's weights
    multiplied; so divided, no channel exceeds 127.

    SmoothQuant's idea (Xiao et al. 2023, eq. 4, alpha = 1/2): narrow wide channels, so that one scale suits all. A
    channel's range is taken from its layer norm instead of from data, and the root mean square of its weights in place
    of their maximum.
    """
    strength = np.sqrt(np.square(np.concatenate(weights, axis=1)).mean(axis=1))
    divisor = np.sqrt(norm.typical_size / strength)
    return divisor * (norm.largest_size / divisor).max() / np.float32(127)


def _uint8(value: int, shape: tuple[int, ...] = ()) -> onnx.TensorProto:
    """Return a constant array of one number repeated; a single number if `shape` is ()."""
    return numpy_helper.from_array(np.full(shape, value, np.uint8))
