"""Token states in, codes out: what `wht128-v1` promises."""

import hashlib

import numpy as np
import pytest

from pellucid.encoders.minilm import wht


@pytest.fixture
def states() -> np.ndarray:
    return np.random.default_rng(7).standard_normal((50, 384)).astype(np.float32)


def by_definition(states: np.ndarray) -> np.ndarray:
    """The basis written out as one 384 x 128 matrix, in float64."""
    hadamard = np.array([[1.0]])
    for _ in range(7):
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    blocks = []
    for block in range(3):
        digest = hashlib.sha256(f"pellucid/wht128-v1/{block}".encode()).digest()
        bits = [(digest[i // 8] >> (7 - i % 8)) & 1 for i in range(128)]
        blocks.append(np.diag([1.0 if bit else -1.0 for bit in bits]) @ hadamard)
    return states.astype(np.float64) @ np.concatenate(blocks)


def test_the_projection_is_the_documented_matrix(states: np.ndarray) -> None:
    np.testing.assert_allclose(wht.project(states), by_definition(states), rtol=1e-4, atol=1e-4)


def test_the_signs_never_change_under_the_same_name() -> None:
    ramp = np.arange(1, 385, dtype=np.float32)[None]
    assert wht.sign_codes(ramp).tobytes().hex() == "da14f17956d69ecb275f01ce1bec2430"


def test_codes_hold_one_bit_a_number_most_significant_first(states: np.ndarray) -> None:
    codes = wht.sign_codes(states)
    assert (codes.shape, codes.dtype) == ((50, 16), np.uint8)
    np.testing.assert_array_equal(np.unpackbits(codes, axis=1), by_definition(states) >= 0)


def test_query_rows_reach_exactly_127(states: np.ndarray) -> None:
    tokens = wht.query_tokens(states)
    assert (tokens.shape, tokens.dtype) == ((50, 128), np.int8)
    np.testing.assert_array_equal(np.abs(tokens.astype(int)).max(axis=1), 127)


def test_the_length_of_a_state_does_not_matter(states: np.ndarray) -> None:
    # a power of two, so that the scaling itself is exact
    np.testing.assert_array_equal(wht.sign_codes(states * 8), wht.sign_codes(states))
    np.testing.assert_array_equal(wht.query_tokens(states * 8), wht.query_tokens(states))


def test_a_token_answers_to_its_own_code_best(states: np.ndarray) -> None:
    signs = np.unpackbits(wht.sign_codes(states), axis=1).astype(int) * 2 - 1
    scores = wht.query_tokens(states).astype(int) @ signs.T
    np.testing.assert_array_equal(scores.argmax(axis=1), np.arange(50))


def test_a_token_has_the_same_bits_in_any_company(states: np.ndarray) -> None:
    together = wht.project(states)
    alone = np.concatenate([wht.project(state[None]) for state in states])
    assert together.tobytes() == alone.tobytes()


def test_no_tokens_and_zero_states_are_allowed() -> None:
    nothing, zero = np.zeros((0, 384), np.float32), np.zeros((1, 384), np.float32)
    assert wht.sign_codes(nothing).shape == (0, 16)
    assert wht.query_tokens(nothing).shape == (0, 128)
    assert not wht.query_tokens(zero).any()
