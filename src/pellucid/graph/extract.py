"""What one vault file holds in, what it says of the graph out: a pure function, the same for the same bytes."""

from pellucid.documents.names.naming import Naming
from pellucid.graph.document_facts import document_facts
from pellucid.graph.facts import Gathered
from pellucid.graph.memory_facts import add_memory
from pellucid.model.entity import GraphFacts
from pellucid.vault.markdown import Parsed


def facts_of(parsed: Parsed, naming: Naming) -> GraphFacts:
    """The entities, edges, claims and other names that a file speaks of; each once, sorted.

    The series of a document's own id joins the names that are looked for in it.
    """
    if parsed.document is not None:
        return document_facts(parsed.document, parsed.sections, naming)
    out = Gathered()
    for memory, _ in parsed.memories:
        add_memory(out, memory, naming)
    return out.facts()
