"""What every test may use: the real encoder, a library of examples/, the data sets where they are; no network."""

import gc
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import hypothesis
import pytest
from filelock import FileLock

from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from tests.cluster import HOW, Server, can_be_had, shared_server
from tests.ollama.playing import MODELS
from tests.ollama.server import OllamaDouble, serving
from tests.proxy import Proxy, proxy_before

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="clew-tests-")  # the user's own settings are not the tests'
os.environ["CLEW_LLM"] = "none"  # a server that runs on this machine is used by the tests that ask for it alone
os.environ.pop("OLLAMA_HOST", None)
os.environ["ES_TIMEOUT"] = "600"  # a machine with others at work answers late; what is slow on purpose sets its own

# The same examples every time: a run that fails fails again. `--hypothesis-profile hunt` looks for new ones.
# No deadline for one of them: a machine with others at work is slow, and what hangs is ended by pytest's own.
hypothesis.settings.register_profile("few", max_examples=50, derandomize=True, deadline=None)
hypothesis.settings.register_profile("many", max_examples=500, derandomize=True, deadline=None)  # of `make test-all`
hypothesis.settings.register_profile("hunt", max_examples=5000, deadline=None)
hypothesis.settings.load_profile("few")

# A shell starts its background jobs with Ctrl-C ignored, and what the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those that may take longer than others first: at the end no process waits for one of them."""

    def seconds(item: pytest.Item) -> float:
        mark = item.get_closest_marker("timeout")
        return float(max(600, *mark.args)) if mark else 600

    items.sort(key=seconds, reverse=True)


def pytest_collection_finish() -> None:
    """What was imported stays: no later collection of garbage looks at it again, which takes a tenth of the time."""
    gc.freeze()


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


def of_run(factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of the run share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process of the run to need it makes, for all of them; not to be changed."""
    path = of_run(factory) / name
    with FileLock(f"{path}.lock"):
        if not path.exists():
            making = path.with_name(f"{name}.making")
            making.mkdir()
            make(making)
            making.rename(path)
    return path


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of embeddings for the whole run, apart from the user's."""
    return made_once(tmp_path_factory, "cache", lambda path: None)


@pytest.fixture(scope="session")
def encoder(cache: Path) -> CachedEncoder:
    return load_encoder(MINILM, cache)


@pytest.fixture(scope="session")
def examples_path(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Path:
    """A library of examples/documents, made once; not to be changed."""

    def make(path: Path) -> None:
        *_, report = index([EXAMPLES / "documents"], path, encoder)
        assert isinstance(report, IndexReport)
        assert not report.failed

    return made_once(tmp_path_factory, "library", make)


@pytest.fixture
def examples(examples_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    library = open_library(examples_path, encoder)
    yield library
    library.store.close()


@pytest.fixture(scope="session", autouse=True)
def starting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Future[Server] | None:
    """An Elasticsearch takes 20 s to start: where one is needed, it does beside the tests before those that need it."""
    if not can_be_had() or not any("server" in getattr(item, "fixturenames", ()) for item in request.session.items):
        return None
    return ThreadPoolExecutor(1).submit(shared_server, of_run(tmp_path_factory))


@pytest.fixture(scope="session")
def server(starting: Future[Server] | None, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """An Elasticsearch for the whole run; each test makes libraries of its own on it."""
    if not can_be_had():
        pytest.skip(HOW)
    return starting.result() if starting else shared_server(of_run(tmp_path_factory))


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    if server.url.startswith("https"):
        pytest.skip("the proxy speaks no TLS")
    with proxy_before(server.url) as made:
        yield made


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
