"""What has to be read before SPEC-054 is built? Run it where `examples/` lies: `python examples/plan_a_port.py`.

It indexes the example specifications into a home that is gone afterwards, recalls what SPEC-054 depends on, and says of
each document by which way it was found.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from pellucid import Pellucid

SPECS = Path(__file__).parent / "specs"


def main() -> None:
    """Index, recall, explain."""
    with TemporaryDirectory() as home, Pellucid(home) as memory:
        done = memory.graph.index_docs(SPECS)
        print(f"{done.new} documents, {done.sections_opened} sections\n")
        answer = memory.recall("what does SPEC-054 depend on?", top_k=8)
        for found, result in zip(answer.memories, memory.xray(answer.recall_id).results, strict=True):
            way = ", ".join(result.graph_edges or ("by its words",))
            print(f"{found.memory.entity_ref}  {result.score_decomposition.final:7.3f}  {way}")


if __name__ == "__main__":
    main()
