"""What is asked of the activity pages in, what their templates are given out."""

from pellucid.surfaces.dashboard.view import Page

ACTIVITY: tuple[Page, ...] = ()
