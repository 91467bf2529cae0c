"""Settings, read in one place: defaults, then `clew.toml`, then `CLEW_*`, then flags. Those in tables are parameters
of tools and steps (agent/parameters.py): `[tools.clues]` in a file, `CLEW_TOOLS__CLUES__BEAM`, `--set`."""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from clew.memory.errors import BadInput, ClewError
from clew.memory.files import private_folder
from clew.memory.json_lines import replace_file
from clew.memory.knowledge.cluster.connection import Place, place
from clew.memory.text import Language

DATABASE = "threads.sqlite"
"""The file in `Settings.home` with the threads, and with the checkpoints of turns that are not finished."""

OF_FOLDER = Path("clew.toml")
"""The file of settings in the working folder."""

LONGEST = 1 << 14
"""Bytes that this file may have."""

GROUPS = ("tools", "rewrite", "walk", "late", "observe", "answer", "index")
"""The tables of parameters."""

TAKEN = frozenset({"tool", "late_interaction", "unsupported", "language", "port"})
"""The settings that this file may change before the person has trusted it: numbers, and choices from a list; within
limits also `aligner` and `library` (`_harmless`)."""

ALIGNERS = re.compile(r"votes|centroid|words|(bi|mlp|gcn|sage|gin|rgcn)-(infonce|bce)")

Values = dict[str, object]
"""Values of settings and parameters by their full names: `{"port": 7860, "tools.clues.beam": 5}`."""


class Settings(BaseModel):
    """`home` holds the threads and `cache` the embeddings: both are the user's, shared by all libraries. An empty
    `encoder` is the library's own, for a new library all-MiniLM-L6-v2. What the others are stands in parameters.txt.
    `given` are the parameters that somebody has set, as they were written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    library: Annotated[Place, BeforeValidator(place)] = Path(".clew")
    encoder: str = ""
    aligner: str = "votes"
    late_interaction: bool = False
    tool: str = "auto"
    llm: str = "auto"
    unsupported: Literal["mark", "remove"] = "mark"
    language: Literal["auto", Language] = "auto"
    port: int = Field(default=7860, ge=1, le=65535)
    home: Path = Field(default_factory=lambda: user_data_path("clew"))
    cache: Path = Field(default_factory=lambda: user_cache_path("clew"))
    given: Values = {}


NAMES = tuple(name for name in Settings.model_fields if name != "given")
"""The settings that are no parameters."""


def read_settings(**flags: Any) -> Settings:
    """Flags that are None were not given; `given` has parameters as `tools.clues.beam=5`, and `num_sentences` is
    `rewrite.sentences`. Raises `BadInput` with the setting's name, and what is wrong with it or what is allowed."""
    written: Values = dict(_named(one) for one in flags.pop("given", ()))
    if (sentences := flags.pop("num_sentences", None)) is not None:
        written["rewrite.sentences"] = sentences
    values: Values = {}
    for _, said in reversed(sources()):
        values |= said
    values |= {name: value for name, value in flags.items() if value is not None} | written
    given = {name: value for name, value in values.items() if _group(name) in GROUPS}
    own: Values = {name: value for name, value in values.items() if name not in given}
    try:
        settings = Settings.model_validate({**own, "given": given})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        where = next((where for where, said in sources() if name in said), "")
        mend = f"unset CLEW_{name.upper()}" if where == "environment" else f"mend {where}" if where else "clew settings"
        raise BadInput(f"the setting '{name}' is wrong: {first['msg']}", mend) from error
    if given:
        from clew.agent.parameters import chosen

        chosen(given)
    return settings


def sources() -> list[tuple[str, Values]]:
    """What each place sets, the one that wins first. Raises `BadInput` for a file that cannot be read."""
    users, _ = config_files()
    content = users.read_bytes() if users.is_file() else b""
    return [
        ("environment", _environment()),
        (str(OF_FOLDER), folder_settings()[0]),
        (str(users), _parsed(content, users)),
    ]


def config_files() -> list[Path]:
    """Later ones win: the user's own file, then the one of the working folder."""
    return [user_config_path("clew") / "clew.toml", OF_FOLDER]


def folder_settings() -> tuple[Values, tuple[str, ...]]:
    """What the working folder's file says that is taken, and the names of what is ignored until the user trusts it: it
    was written by whoever made the folder. Raises `BadInput` for broken TOML and for names of no setting."""
    written = _written()
    content = _parsed(written, OF_FOLDER)
    if unknown := next((name for name in content if _group(name) not in (*NAMES, *GROUPS)), ""):
        raise BadInput(f"the setting '{unknown}' is wrong: there is no setting of that name", f"mend {OF_FOLDER}")
    if _read("settings", _here()) == [hashlib.sha256(written).hexdigest()]:  # it was said yes to, as it is now
        return content, ()
    ignored = [name for name, value in content.items() if not _harmless(name, value)]
    taken = {name: value for name, value in content.items() if name not in ignored}
    return taken, tuple(name if _group(name) in GROUPS else _group(name) for name in ignored)


def _written() -> bytes:
    """The working folder's file; nothing where there is none, or what is no file: reading a pipe never ends."""
    content = b""
    with suppress(OSError):
        if OF_FOLDER.is_file():
            with OF_FOLDER.open("rb") as file:
                content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise BadInput(f"clew.toml is longer than {LONGEST:,} bytes", "move everything that is not a setting out of it")
    return content


def _parsed(content: bytes, path: Path) -> Values:
    try:
        return _flat(tomllib.loads(content.decode()))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadInput(f"{path} cannot be read: {why}", f"mend that line of {path}") from error


def _environment() -> Values:
    """Raises `BadInput` for a name with `__` that is no parameter's. Others may be another program's."""
    found: Values = {}
    for name, value in os.environ.items():
        group, *own = name.removeprefix("CLEW_").lower().split("__")
        if not name.startswith("CLEW_") or not (own or group in (*NAMES, *GROUPS)):
            continue
        if own and group not in GROUPS:
            raise BadInput(f"there is no setting {name}", f"unset {name}")
        found[".".join([group, *own])] = value
    return found


def _named(written: str) -> tuple[str, str]:
    """Raises `BadInput` for what has no name of a parameter in front of an equals sign."""
    name, equals, value = written.partition("=")
    if not equals or _group(name) not in GROUPS or "." not in name:
        raise BadInput(
            f"'{written}' does not set a parameter", "--set tools.clues.beam=5; clew settings --all names them"
        )
    return name.strip(), value.strip()


def _flat(groups: Mapping[str, object]) -> Values:
    """`{"tools": {"clues": {"beam": 5}}}` as `{"tools.clues.beam": 5}`."""
    found: Values = {}
    for name, value in groups.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{rest}": one for rest, one in _flat(value).items()}
        else:
            found[name] = value
    return found


def _group(name: str) -> str:
    """The table of a parameter."""
    return name.partition(".")[0]


def _harmless(name: str, value: object) -> bool:
    """Whether a stranger may set it: no free text, such as the name of a model, and no path elsewhere."""
    if _group(name) in GROUPS:
        from clew.agent.parameters import parameters

        return name not in parameters() or not parameters()[name].free
    if name == "library":
        here = Path.cwd().resolve()
        if not isinstance(value, str) or "://" in value or "\0" in value:  # no host that a folder names gets a key
            return False
        return (here / value).resolve().is_relative_to(here)
    if name == "aligner":
        return isinstance(value, str) and ALIGNERS.fullmatch(value) is not None
    return name in TAKEN


KEPT = "trusted.json"


def _here() -> str:
    """The path of the working folder's file: one that is a link to a trusted file of another folder is not that one, as
    its paths would lead into this folder."""
    return str(Path.cwd().resolve() / OF_FOLDER)


def trust() -> None:
    """Take all that the working folder's file says, as it is now. Raises `BadInput` where that cannot be kept."""
    _write("settings", _here(), [hashlib.sha256(_written()).hexdigest()])


def indexed_here(library: str) -> list[str]:
    """The paths that were named for the library of this id, which may say others; none for one without."""
    return _read("indexed", library) if library else []


def note_indexed(library: str, paths: Iterable[str]) -> None:
    """Raises `BadInput` where that cannot be kept."""
    known = indexed_here(library)
    if library and (fresh := [path for path in paths if path not in known]):
        _write("indexed", library, [*known, *fresh])


def last_used() -> Place | None:
    """The library that was last asked or indexed; None where none was, or it is gone."""
    for name in _read("used", "library"):
        found: Place = place(name)
        if not isinstance(found, Path) or found.is_dir():
            return found
    return None


def note_used(library: Place) -> None:
    """Where it is not there, or that cannot be kept, nothing is noted."""
    if isinstance(library, Path) and not library.is_dir():
        return
    name = str(library.absolute() if isinstance(library, Path) else library)
    with suppress(ClewError):
        if _read("used", "library") != [name]:
            _write("used", "library", [name])


def _kept() -> dict[str, dict[str, list[str]]]:
    try:
        content = json.loads((user_config_path("clew") / KEPT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read(what: str, key: str) -> list[str]:
    return _kept().get(what, {}).get(key, [])


def _write(what: str, key: str, values: list[str]) -> None:
    content = _kept()
    content[what] = {**content.get(what, {}), key: values}
    with suppress(OSError):  # said when it is written
        private_folder(user_config_path("clew"))
    replace_file(user_config_path("clew") / KEPT, json.dumps(content, indent=1) + "\n")
