"""The name of a file in, the format of documents that its suffix means out: the format's name and its readers.

A new format costs its reader, one entry of `_ALL`, and its name in `FormatName`. Other modules take suffixes from here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os.path import splitext

from pellucid.documents.formats.markdown import markdown_markup, markdown_outline
from pellucid.documents.formats.markup import FindMarkup
from pellucid.documents.formats.rst import rst_markup, rst_outline
from pellucid.documents.header import Header, markdown_header, rst_fields, rst_header
from pellucid.documents.sections import Outline
from pellucid.model.document import FormatName


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format of documents: its names, its suffixes, and the functions that read its header and headings."""

    name: FormatName
    called: str
    suffixes: tuple[str, ...]
    """Lower-case, each with its dot."""
    header: Callable[[str, Sequence[str]], tuple[Header, int]]
    """A text and its lines in, the header at the very top and the index of the line after it out."""
    outline: Callable[[Sequence[str], int], Outline]
    """Lines and the index at which the text begins in, its headings out."""
    markup: FindMarkup
    """A text in, its comments and code out."""
    comment: str
    """A sign that every comment contains."""
    below_title: Callable[[Sequence[str], int], tuple[Header, int]] | None = None
    """Lines and the index below the title in, the header there and the index after it out; None if never there."""


_ALL = (
    DocumentFormat(
        "markdown", "Markdown", (".md", ".markdown", ".mdx"), markdown_header, markdown_outline, markdown_markup, "<!--"
    ),
    DocumentFormat("rst", "reStructuredText", (".rst", ".rest"), rst_header, rst_outline, rst_markup, "..", rst_fields),
)
FORMATS: dict[str, DocumentFormat] = {suffix: each for each in _ALL for suffix in each.suffixes}
"""The format of each suffix."""
CALLED = " or ".join(each.called for each in _ALL)
"""The names of all formats, for messages."""
SUFFIX = rf"\.(?:{'|'.join(sorted((suffix[1:] for suffix in FORMATS), key=len, reverse=True))})(?![\w.])"
"""A regular expression for a document's suffix at the end of a name; use it without regard to case."""


def format_of(path: str) -> DocumentFormat | None:
    """Return the format of a document by the suffix of its name or path, in capitals or not; None for a suffix that no
    document has.
    """
    return FORMATS.get(splitext(path)[1].lower())
