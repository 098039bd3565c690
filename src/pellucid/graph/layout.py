"""Nodes by hop and each one's nearer node in, places on rings out: no two labels overlap; same input, same places."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

HEIGHT = 26.0
_GAP = 10.0
"""Pixels between two labels at least."""
_FIRST, _STEP = 110.0, 80.0
"""The vertical radius of the first ring, and by how much that of each further ring is larger, in pixels."""
_ASPECT = 1.5
"""How much wider than high a ring is: labels are."""
_GROWTH = 1.06
"""The factor by which a ring is widened while labels touch."""
_ROUNDS = 80
"""How many times a ring is widened at most."""
_PARTS = 720
"""The parts of a ring for which the room for labels is worked out."""
_TURNS = 48
"""The rotations of a ring that are tried."""
_TOP = -math.pi / 2
"""The angle of the top of a ring; y grows downwards."""


@dataclass(frozen=True, slots=True)
class Box:
    """A label's box in pixels: its centre and its width; every box is `HEIGHT` high."""

    x: float
    y: float
    width: float

    def is_near(self, other: "Box") -> bool:
        """Whether two boxes overlap or are closer than the gap of 10 pixels, both across and down."""
        across = abs(self.x - other.x) < (self.width + other.width) / 2 + _GAP
        return across and abs(self.y - other.y) < HEIGHT + _GAP

    def border(self, x: float, y: float) -> tuple[float, float]:
        """Return the point where a line from the box's centre towards the point (`x`, `y`) crosses the border of the
        box.

        Return the centre if that is the point.
        """
        dx, dy = x - self.x, y - self.y
        if not (dx or dy):
            return self.x, self.y
        share = min(self.width / 2 / abs(dx) if dx else math.inf, HEIGHT / 2 / abs(dy) if dy else math.inf)
        return self.x + dx * share, self.y + dy * share


def label_width(label: str) -> float:
    """Return the width of a label's box in pixels, estimated for 12 px, sans-serif: 7.1 a character, 12.5 a wide one
    (from U+2E80 on), and 20 of padding.
    """
    wide = sum(ord(char) >= 0x2E80 for char in label)
    return 20.0 + 7.1 * (len(label) - wide) + 12.5 * wide


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a drawing: `boxes` maps node keys to boxes, `rings` has the two radii of each ring."""

    boxes: Mapping[str, Box]
    rings: tuple[tuple[float, float], ...]

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The left, top, width and height of the smallest rectangle that contains every box."""
        across = [side for box in self.boxes.values() for side in (box.x - box.width / 2, box.x + box.width / 2)]
        down = [side for box in self.boxes.values() for side in (box.y - HEIGHT / 2, box.y + HEIGHT / 2)]
        return min(across), min(down), max(across) - min(across), max(down) - min(down)


def place_nodes(rings: Sequence[Sequence[str]], parents: Mapping[str, str], widths: Mapping[str, float]) -> Layout:
    """Place the nodes: the centre in the middle, each hop on a ring around it, no two labels touching.

    `rings` has the node keys by hop, the first ring the centre alone. `parents` maps every other node to the nearer
    node to place it beside, `widths` every node to the width of its label in pixels. A ring is widened up to 80 times;
    labels that touch even then stay so.
    """
    center = rings[0][0]
    boxes = {center: Box(0.0, 0.0, widths[center])}
    angles = {center: _TOP}
    radii: list[tuple[float, float]] = []
    for hop, ring in enumerate(rings[1:], 1):
        ordered = sorted(ring, key=lambda key: ((angles[parents[key]] - _TOP) % math.tau, key))
        angles |= _ring_angles(ordered, [angles[parents[key]] for key in ordered] if hop > 1 else [], widths)
        radius = _FIRST if hop == 1 else radii[-1][1] + _STEP
        for _ in range(_ROUNDS):
            fresh = {key: _box_at(angles[key], radius, widths[key]) for key in ring}
            if not _have_overlaps({**boxes, **fresh}):
                break
            radius *= _GROWTH
        boxes |= {key: _box_at(angles[key], radius, widths[key]) for key in ring}
        radii.append((radius * _ASPECT, radius))
    return Layout(boxes, tuple(radii))


def _ring_angles(
    ordered: Sequence[str], wanted_angles: Sequence[float], widths: Mapping[str, float]
) -> dict[str, float]:
    """Map the nodes of a ring, in their order around it, to angles in radians, spread as the widths of labels need.

    Of 48 rotations of the ring, that is taken at which nodes come nearest to `wanted_angles`; if these are empty, the
    first node is at the top.
    """
    shares = _cumulative_shares(sum(widths[key] for key in ordered) / len(ordered) + _GAP)
    best: tuple[float, list[float]] = (math.inf, [])
    for turn in range(_TURNS if wanted_angles else 1):
        angles = _evenly_spread_angles(len(ordered), turn / _TURNS, shares)
        distance = sum(1 - math.cos(angle - wanted) for angle, wanted in zip(angles, wanted_angles, strict=False))
        if distance < best[0] - 1e-9:
            best = (distance, angles)
    return dict(zip(ordered, best[1], strict=True))


def _cumulative_shares(width: float) -> list[float]:
    """Return, for each of the 720 parts of a ring, which share of its labels (0 to 1) fit up to the end of that part.

    Labels are `width` wide. Parts begin at the top; the last share is 1.
    """
    densities = [
        max(abs(_ASPECT * math.sin(angle)) / width, abs(math.cos(angle)) / (HEIGHT + _GAP))
        for angle in (_TOP + math.tau * (part + 0.5) / _PARTS for part in range(_PARTS))
    ]
    return list(accumulate(part / sum(densities) for part in densities))


def _evenly_spread_angles(count: int, turn: float, shares: Sequence[float]) -> list[float]:
    """Return the angles, in radians, that give `count` labels equal parts of a ring by `shares` (see
    `_cumulative_shares`).

    `turn` is the share (0 to 1) at which the first label is.
    """
    starts = ((turn + place / count) % 1.0 for place in range(count))
    return [_TOP + math.tau * min(bisect_left(shares, start), _PARTS - 1) / _PARTS for start in starts]


def _box_at(angle: float, radius: float, width: float) -> Box:
    """Return the box of a label on a ring of this vertical radius (across it is 1.5 times as wide), at an angle in
    radians; its centre is rounded to tenths of a pixel."""
    return Box(round(radius * _ASPECT * math.cos(angle), 1), round(radius * math.sin(angle), 1), width)


def _have_overlaps(boxes: Mapping[str, Box]) -> bool:
    """Whether any two of the boxes overlap or are closer than the gap (see `Box.is_near`); `boxes` maps node keys to
    them."""
    ordered = sorted(boxes.values(), key=lambda box: (box.y, box.x))
    for place, box in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if other.y - box.y >= HEIGHT + _GAP:
                break
            if box.is_near(other):
                return True
    return False
