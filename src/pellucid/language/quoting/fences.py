"""A line that begins with a code fence in, the fence that is open after it out."""


def fence_after(open_fence: str, mark: str) -> str:
    """Return the code fence that is open after a line that begins with the fence `mark`; "" if none is.

    Fences are backticks or tildes with the blanks before them. `open_fence` is the one open before that line ("" if
    none); it is closed by a mark of its kind, as long at least and indented no further: further in, such a mark belongs
    to what is shown (an unchanged line of a diff).
    """
    if not open_fence:
        return mark
    bare, open_bare = mark.lstrip(), open_fence.lstrip()
    is_within = len(mark) - len(bare) > len(open_fence) - len(open_bare)
    return open_fence if is_within or not bare.startswith(open_bare) else ""
