"""An HTML page in, what it holds out: its elements, its tables by section, and the numbers of each result."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Node:
    """An element with its attributes, and what stands in it."""

    tag: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.children)

    def all(self, tag: str, **attributes: str) -> list["Node"]:
        """The elements of this kind below, in their order; `class_` is matched as a word."""
        found: list[Node] = []
        for each in self.children:
            if isinstance(each, Node):
                if each.tag == tag and all(value in each.words(name.strip("_")) for name, value in attributes.items()):
                    found.append(each)
                found += each.all(tag, **attributes)
        return found

    def one(self, tag: str, **attributes: str) -> "Node":
        (found,) = self.all(tag, **attributes)
        return found

    def words(self, name: str) -> list[str]:
        return (self.attributes.get(name) or "").split()

    def shape(self) -> Any:
        """The elements and attributes without any text."""
        below = [each.shape() for each in self.children if isinstance(each, Node)]
        return self.tag, sorted(self.attributes.items(), key=str), below


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        closed = self.open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(page: str) -> Node:
    """The page as a tree; fails if an element is closed that is not open."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert parser.open == [parser.root], "an element is left open"
    return parser.root


def fields(node: Node) -> dict[str, str]:
    """The rows of the field table below, as the text form writes them: label and value."""
    rows = [row for table in node.all("table", class_="fields") for row in table.all("tr")]
    return {row.one("th").text.lower().replace(" ", "-"): row.one("td").text.replace(" → ", " -> ") for row in rows}


def listed(page: Node, section: str) -> list[dict[str, str]]:
    """The rows of a section's tables by column title."""
    return [
        dict(zip((head.text for head in table.one("thead").all("th")), _cells(row), strict=True))
        for table in page.one("section", id=section).all("table", class_="listed")
        for row in table.one("tbody").all("tr")
    ]


def _cells(row: Node) -> list[str]:
    return [row.one("th").text, *(cell.text for cell in row.all("td"))]


def terms(card: Node) -> dict[str, str]:
    """The terms beside the bar of a result, by name."""
    items = [item.text.removesuffix(" subtracted") for item in card.one("ul", class_="terms").all("li")]
    return dict(item.rsplit(" ", 1) for item in items)
