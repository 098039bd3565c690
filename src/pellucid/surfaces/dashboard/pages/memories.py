"""What is asked of the memories pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

MEMORIES: tuple[Page, ...] = ()
