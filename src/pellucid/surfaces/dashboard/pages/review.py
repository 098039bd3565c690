"""What is asked of the review pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

REVIEW: tuple[Page, ...] = ()
