"""Every page of the dashboard: a new page is a row beside the function that fills it, and its place here.

If two fit a path, the first is taken.
"""

from pellucid.surfaces.dashboard.pages.activity import ACTIVITY
from pellucid.surfaces.dashboard.pages.days import DAYS
from pellucid.surfaces.dashboard.pages.health import HEALTH
from pellucid.surfaces.dashboard.pages.memories import MEMORIES
from pellucid.surfaces.dashboard.pages.recalls import RECALLS
from pellucid.surfaces.dashboard.pages.review import REVIEW
from pellucid.surfaces.dashboard.view import Page

PAGES: tuple[Page, ...] = (*DAYS, *MEMORIES, *RECALLS, *ACTIVITY, *REVIEW, *HEALTH)
