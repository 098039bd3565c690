"""What is asked of the days pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

DAYS: tuple[Page, ...] = ()
