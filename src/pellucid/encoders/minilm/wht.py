"""Token states in, 128 numbers, sign bits or int8 rows out: the basis `wht128-v1` of late interaction.

A state of 384 numbers is cut into three blocks of 128. Block b is multiplied by ±1, number by number: the sign of
position i is bit i (most significant first) of SHA-256("pellucid/wht128-v1/b"), 1 for plus and 0 for minus. The
blocks are summed and Walsh–Hadamard transformed (natural order, unscaled). Nothing is fitted to any data.

Signs and row-scaled integers do not change when a state is multiplied by a positive number, so states need not be
brought to unit length first. Only additions of float32 take part, in a fixed order: equal states give equal bits.
"""

import hashlib
from functools import cache

import numpy as np

from pellucid.encoders.minilm.provision import BASIS
from pellucid.encoders.port import QueryTokens, TokenCodes, Vector

CODE_BYTES = 16
_WIDTH = 128
_BLOCKS = 3


@cache
def _block_signs() -> Vector:
    """Return the signs that the numbers of every block are multiplied by, ±1 as float32 (3, 128)."""
    digests = (hashlib.sha256(f"pellucid/{BASIS}/{block}".encode()).digest() for block in range(_BLOCKS))
    bits = np.stack([np.unpackbits(np.frombuffer(digest, np.uint8))[:_WIDTH] for digest in digests])
    return (bits.astype(np.float32) * 2 - 1).astype(np.float32)


def project(states: Vector) -> Vector:
    """Return token states, float32 (tokens, 384), as float32 (tokens, 128) by the projection that the module describes:
    signs, the sum of three blocks, a Walsh–Hadamard transform.
    """
    signed = states.reshape(-1, _BLOCKS, _WIDTH) * _block_signs()
    # numbers down, tokens across, so that every step of the transform adds long contiguous rows
    table: Vector = np.ascontiguousarray((signed[:, 0] + signed[:, 1] + signed[:, 2]).T, np.float32)
    half = _WIDTH // 2
    while half:
        pairs = table.reshape(_WIDTH // (2 * half), 2, half, len(states))
        table = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1)
        half //= 2
    return np.ascontiguousarray(table.reshape(_WIDTH, len(states)).T)


def sign_codes(states: Vector) -> TokenCodes:
    """Project a memory's token states, float32 (tokens, 384), and return their signs as bits (1 = not negative), 128 a
    token, most significant first: uint8 (tokens, 16).
    """
    return np.packbits(project(states) >= 0, axis=1)


def query_tokens(states: Vector) -> QueryTokens:
    """Project a query's token states, float32 (tokens, 384), scale each row so that its number farthest from 0 is ±127,
    and return them rounded: int8 (tokens, 128). A row of zeros stays so.
    """
    rows = project(states)
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    # a row of zeros stays zero; the smallest normal number only keeps the division defined
    return np.rint(rows * np.float32(127) / np.maximum(largest, np.finfo(np.float32).tiny)).astype(np.int8)
