"""What is asked of the health pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

HEALTH: tuple[Page, ...] = ()
