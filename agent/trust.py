"""What this user has said yes to, in a file beside the user's own `clew.toml`: files of settings, by path and content,
and the folders that were indexed here, by library."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_config_path

from clew.memory.json_lines import replace_file

KEPT = "trusted.json"


def trusts(settings: Path) -> bool:
    """Whether this file, as it is now, was said yes to."""
    return _read("settings").get(str(settings.resolve())) == [_digest(settings)]


def trust(settings: Path) -> None:
    """Raises `BadInput` where that cannot be kept."""
    _write("settings", str(settings.resolve()), [_digest(settings)])


def forget(settings: Path) -> None:
    _write("settings", str(settings.resolve()), [])


def indexed_here(library: str) -> list[str]:
    """The paths that were named for the library of this id, which may say others; none for one without."""
    return _read("indexed").get(library, []) if library else []


def note_indexed(library: str, paths: Iterable[str]) -> None:
    """Raises `BadInput` where that cannot be kept."""
    known = indexed_here(library)
    if library and (fresh := [path for path in paths if path not in known]):
        _write("indexed", library, [*known, *fresh])


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _all() -> dict[str, dict[str, list[str]]]:
    try:
        content = json.loads((user_config_path("clew") / KEPT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read(what: str) -> dict[str, list[str]]:
    return _all().get(what, {})


def _write(what: str, key: str, values: list[str]) -> None:
    content = _all()
    content[what] = {**content.get(what, {}), key: values}
    replace_file(user_config_path("clew") / KEPT, json.dumps(content, indent=1) + "\n")
