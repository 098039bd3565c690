"""Checks for the libraries of a server, which the default install does not have."""

from importlib.util import find_spec

from pellucid.errors import InputError

_MODULES = ("anyio", "jinja2", "mcp", "nh3", "prometheus_client", "starlette", "uvicorn", "watchfiles")


def has_server() -> bool:
    """Whether every library of the extra `server` is installed."""
    return all(find_spec(name) for name in _MODULES)


def require_server() -> None:
    """Raise an `InputError` that says how to install the extra `server`, if any of its libraries is not installed."""
    missing = [name for name in _MODULES if find_spec(name) is None]
    if missing:
        raise InputError(
            f"this needs the extra `server`, and {', '.join(missing)} is not installed",
            code="missing_extra",
            next_step="in a checkout: make server; else: pip install 'pellucid[server]'",
        )
