"""Proxies of the environment: some packages make a client as they are imported, and one through SOCKS needs another
package, though nobody is asked anything yet."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from clew.memory.errors import NotSetUp


@contextmanager
def without_proxies() -> Iterator[None]:
    """To import such a package."""
    held = {name: os.environ.pop(name) for name in [*os.environ] if name.lower().endswith("_proxy")}
    try:
        yield
    finally:
        os.environ.update(held)


@contextmanager
def naming_proxy() -> Iterator[None]:
    """Raises `NotSetUp` where a client is made that goes through a SOCKS proxy and cannot."""
    try:
        yield
    except ImportError as error:
        wrong = "the proxy that the environment names (ALL_PROXY and the like) is a SOCKS proxy, which needs a package"
        raise NotSetUp(wrong, "pip install 'httpx[socks]', or unset it") from error
