"""Nothing in, an error out where the libraries of a server are not installed: the default install goes without them."""

from importlib.util import find_spec

from pellucid.errors import InputError

_MODULES = ("anyio", "jinja2", "mcp", "nh3", "prometheus_client", "starlette", "uvicorn", "watchfiles")


def has_server() -> bool:
    """Whether the libraries of the extra are installed."""
    return all(find_spec(name) for name in _MODULES)


def require_server() -> None:
    """See that the extra `server` is installed.

    Raises:
        InputError: it is not; says how to install it.
    """
    missing = [name for name in _MODULES if find_spec(name) is None]
    if missing:
        raise InputError(
            f"this needs the extra `server`, and {', '.join(missing)} is not installed",
            code="missing_extra",
            next_step="in a checkout: make server; else: pip install 'pellucid[server]'",
        )
