"""The wheel: what is in it, and that it answers where other packages have the names of its folders."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
PRODUCT = ("prompts", "memory", "tools", "agent", "ui")
OTHERS = ("tests", "docs", "examples")
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "constraints.txt", "__init__.py")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, without the network; the checkout stays as it is."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for folder in (*PRODUCT, *OTHERS):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in NEEDED:
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, *"-m pip wheel --no-deps --no-build-isolation -q".split(), "-w", str(made), str(source)]
    subprocess.run(pip, check=True, capture_output=True, env={**os.environ, "PIP_NO_INDEX": "1"})
    (built,) = made.glob("clew-*.whl")
    return built


def test_it_holds_the_product_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
    files = {path for folder in PRODUCT for path in (ROOT / folder).rglob("*") if path.is_file()}
    wanted = {f"clew/{path.relative_to(ROOT)}" for path in files if "__pycache__" not in path.parts}
    assert names == {*wanted, "clew/__init__.py"}


def test_what_others_made_is_in_it_with_its_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (notice,) = (opened.read(name).decode() for name in names if name.endswith("/licenses/NOTICE"))
        drawing = opened.read("clew/ui/web/cytoscape.min.js").decode()
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE", "cytoscape.LICENSE.txt"}
    (version,) = re.findall(r"Cytoscape\.js ([\d.]+) ", notice)
    assert f'"{version}"' in drawing and not re.search(r"\beval\(|new Function\b", drawing)


def test_it_answers_in_a_folder_that_has_packages_of_the_same_names(
    wheel: Path, examples_path: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    work = tmp_path / "work"
    for name in PRODUCT:
        (work / name).mkdir(parents=True)
        (work / name / "__init__.py").write_text("raise ImportError('this is not Clew')\n")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CLEW_")},
        "PYTHONPATH": str(tmp_path / "installed"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    command = [sys.executable, *"-m clew.ui.cli ask --library".split(), str(examples_path), "How far away is the Moon?"]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "384,400" in done.stdout, done.stderr


def test_what_is_pinned_is_for_the_python_of_debian_12_too() -> None:
    pinned = {line.partition("==")[0].casefold() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    installed = [one for one in metadata.distributions() if one.metadata["Name"].casefold() in pinned]
    needs = {one.metadata["Name"]: one.metadata["Requires-Python"] or "" for one in installed}
    assert not {name: versions for name, versions in needs.items() if not SpecifierSet(versions).contains("3.11.2")}
