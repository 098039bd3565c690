"""What is asked of the recalls pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

RECALLS: tuple[Page, ...] = ()
