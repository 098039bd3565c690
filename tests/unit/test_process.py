"""A process that opens a home in, its limits out: set once, for all of its threads; and no module that holds state."""

import ast
import resource
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from threadpoolctl import threadpool_info

import pellucid
from pellucid.app import open_app
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput
from pellucid.process import OPEN_FILES
from pellucid.settings import load

SRC = Path(pellucid.__file__).parent
STATE = (
    *(type(make()) for make in (threading.Lock, threading.RLock, threading.Condition, threading.Event)),
    *(threading.local, WeakSet, WeakKeyDictionary, WeakValueDictionary, deque),
)
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from pellucid.app import open_app
from pellucid.settings import load
open_app(load(home=sys.argv[1])).close()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def threads_of_products() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_matrix_products_run_in_one_thread_while_and_after_many_recall(tmp_path: Path, model_cache: Path) -> None:
    app = open_app(load(home=tmp_path / "home"), models=model_cache.parent)
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(recall, app, RecallInput(query="crane", namespace="load/a")) for _ in range(12)]
        asked[0].result()
        assert threads_of_products() == {1}
        for each in asked:
            each.result()
    assert threads_of_products() == {1}
    app.close()


def test_a_process_may_open_the_files_that_many_threads_need(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "home")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(printed) == (OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard))


def modules() -> list[ModuleType]:
    names = (each.name for each in walk_packages([str(SRC)], "pellucid."))
    return [import_module(each) for each in names if "__main__" not in each and ".adapters." not in each]


def test_no_module_holds_state() -> None:
    """Caches of pure functions, tables of characters and what a call tells those beneath it (a `ContextVar`) apart.

    What a process remembers hangs on its app.
    """
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("__") or getattr(value, "__module__", module.__name__) != module.__name__:
                continue
            assert not isinstance(value, STATE), f"{module.__name__}.{name} is state"
            waits = type(value) in (list, dict, set) and not value
            assert not waits, f"{module.__name__}.{name} waits to be filled"


def test_no_function_sets_a_name_of_its_module() -> None:
    for path in SRC.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Global)], path
