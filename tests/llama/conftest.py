from collections.abc import Iterator

import pytest

from tests.llama.server import HOW, model, program, serving


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The address of a server for all tests of a process, started by the first that needs it; without `/v1`."""
    if not program() or not model():
        pytest.skip(HOW)
    with serving() as (url, _):
        yield url
