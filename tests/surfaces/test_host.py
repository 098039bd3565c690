"""A process that stays: calls in namespaces that they name, and a home that is looked after."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pellucid.errors import InputError
from pellucid.operations.browsing import LIST
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.settings import load
from pellucid.surfaces.host import Host


def test_calls_at_once_keep_to_the_namespace_that_each_names(tmp_path: Path) -> None:
    with Host(load(home=tmp_path / "home")) as host, ThreadPoolExecutor(4) as clients:

        def keep(number: int) -> str:
            call = host.call(f"team/n{number % 2}")
            return REMEMBER(call, content=f"The relay of rack {number} listens on port {9000 + number}.").path

        assert len(set(clients.map(keep, range(8)))) == 8
        assert [LIST(host.call(f"team/n{each}")).total for each in (0, 1, 2)] == [4, 4, 0]


def test_a_namespace_that_is_none_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with Host(load(home=tmp_path / "home")) as host, pytest.raises(InputError, match="expects tenant/project"):
        host.call("../escape")
