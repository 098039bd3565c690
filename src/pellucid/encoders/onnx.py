"""ONNX Runtime, told before it is loaded to record and send nothing of what it runs.

From 1.29 on it reports to its maker, and writes a device's id and what is still to be sent to the user's cache, unless
`ORT_DISABLE_TELEMETRY` is set when it is loaded. A value that is set already is left alone.
"""

# onnxruntime carries no types
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportAttributeAccessIssue=false, reportUnknownArgumentType=false

import os
from pathlib import Path

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - a switch of the library's, not a setting of ours

import onnxruntime as onnxruntime  # noqa: PLC0414
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

onnxruntime.disable_telemetry_events()  # where another part of the process had loaded it before

__all__ = ["onnxruntime", "onnxruntime_state"]


def open_session(graph: Path, log_severity: int) -> onnxruntime.InferenceSession:
    """Return a session that runs a graph on the caller's thread alone, and logs from this severity on (0, everything,
    to 4, fatal). Raises the errors of `onnxruntime_state`, such as `NoSuchFile`, if the graph cannot be loaded.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # hardly two batches have the same shape, so a remembered memory plan is never used again
    options.enable_mem_pattern = False
    options.log_severity_level = log_severity
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
