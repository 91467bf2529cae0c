"""What every test may use: the real encoder, a library of examples/, the data sets where they are; no network."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from tests.ollama.playing import MODELS
from tests.ollama.server import OllamaDouble, serving

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["CLEW_LLM"] = "none"  # a server that runs on this machine is used by the tests that ask for it alone
os.environ.pop("OLLAMA_HOST", None)

# A shell starts its background jobs with Ctrl-C ignored, and what the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """A connection to anywhere else raises: nothing here may need it, or do it unseen."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        local = self.family == socket.AF_UNIX or (
            isinstance(address, tuple) and str(address[0]) in ("127.0.0.1", "::1", "localhost")
        )
        if not local:
            raise AssertionError(f"a test connects to {address}")
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of embeddings for the whole run, apart from the user's."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def encoder(cache: Path) -> CachedEncoder:
    return load_encoder(MINILM, cache)


@pytest.fixture(scope="session")
def examples_path(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Path:
    """A library of examples/documents, made once; not to be changed."""
    path = tmp_path_factory.mktemp("library")
    *_, report = index([EXAMPLES / "documents"], path, encoder)
    assert isinstance(report, IndexReport)
    assert not report.failed
    return path


@pytest.fixture
def examples(examples_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    library = open_library(examples_path, encoder)
    yield library
    library.store.close()


@pytest.fixture
def data() -> Path:
    """The folder of the data sets."""
    folder = Path(os.environ.get("CLEW_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the data sets are not at {folder} (set CLEW_DATA)")
    return folder


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaDouble]:
    """A server with all the models of `tests/ollama/playing.py`, that `OLLAMA_HOST` names."""
    with serving(MODELS) as double:
        monkeypatch.setenv("OLLAMA_HOST", double.host)
        yield double
