"""ONNX Runtime, told before it is loaded that nothing of what it runs is to be written down or sent.

From 1.29 on it reports to its maker, and keeps a device's id and what is still to be sent in the user's cache, unless
`ORT_DISABLE_TELEMETRY` is set when it is loaded. Who has set that already is left alone.
"""

# onnxruntime carries no types
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportAttributeAccessIssue=false

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - a switch of the library's, not a setting of ours

import onnxruntime as onnxruntime  # noqa: PLC0414
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

onnxruntime.disable_telemetry_events()  # where another part of the process had loaded it before

__all__ = ["onnxruntime", "onnxruntime_state"]
