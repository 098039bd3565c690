"""The name of a file in, the format of documents that its suffix stands for out: what it is called and how it is read.

A new format is its reader, one entry of `_ALL`, and its name in `FormatName`, which a type checker asks for. Whatever
must know suffixes takes them from here.
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
    """Small letters, each with its dot."""
    header: Callable[[str, Sequence[str]], tuple[Header, int]]
    """A text and its lines in, the header at the very top and the number of lines that it takes out."""
    outline: Callable[[Sequence[str], int], Outline]
    """Lines and the one at which the text begins in, its headings out."""
    markup: FindMarkup
    """A text in, its comments and code out."""
    comment: str
    """A sign that stands in every comment."""
    below_title: Callable[[Sequence[str], int], tuple[Header, int]] | None = None
    """Lines and the one below the title in, a header that stands there and the line after it out; None: none does."""


_ALL = (
    DocumentFormat(
        "markdown", "Markdown", (".md", ".markdown", ".mdx"), markdown_header, markdown_outline, markdown_markup, "<!--"
    ),
    DocumentFormat("rst", "reStructuredText", (".rst", ".rest"), rst_header, rst_outline, rst_markup, "..", rst_fields),
)
FORMATS: dict[str, DocumentFormat] = {suffix: each for each in _ALL for suffix in each.suffixes}
"""The format of each suffix."""
CALLED = " or ".join(each.called for each in _ALL)
"""What a document may be, for people."""
SUFFIX = rf"\.(?:{'|'.join(sorted((suffix[1:] for suffix in FORMATS), key=len, reverse=True))})(?![\w.])"
"""A regular expression of a suffix with which a name ends; for a search without regard to case."""


def format_of(name: str) -> DocumentFormat | None:
    """The format of a file by the suffix of its name or path; None if that is no document's."""
    return FORMATS.get(splitext(name)[1].lower())
