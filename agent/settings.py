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
from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from clew.memory.errors import BadInput, ClewError
from clew.memory.files import private_folder
from clew.memory.json_lines import replace_file
from clew.memory.knowledge.cluster.connection import Place, place
from clew.memory.text import Language

DATABASE = "threads.sqlite"
"""In `Settings.home`: the threads, and the checkpoints of turns that are not over."""


OF_FOLDER = Path("clew.toml")
"""The file of the working folder."""

GROUPS = ("tools", "rewrite", "walk", "late", "observe", "answer", "index")
"""The tables of parameters."""

TAKEN = frozenset({"tool", "late_interaction", "unsupported", "language", "port"})
"""What it may say without being trusted: closed choices and numbers; and `aligner` and `library` (`_harmless`)."""

ALIGNERS = re.compile(r"votes|centroid|words|(bi|mlp|gcn|sage|gin|rgcn)-(infonce|bce)")


def config_files() -> list[Path]:
    """Later ones win: the user's own file, then the one of the working folder."""
    return [user_config_path("clew") / "clew.toml", OF_FOLDER]


LONGEST = 1 << 14
"""Bytes of it: more is no file of settings, and reading it would take long."""


def folder_settings() -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the working folder's file says that is taken, and the names of what is ignored until the user trusts it: it
    was written by whoever made the folder. Raises `BadInput` for broken TOML and for names of no setting: pydantic
    would take `HOME` for `home`."""
    written = _written()
    try:
        content = tomllib.loads(written.decode())
        settings = flat(content)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadInput(f"clew.toml cannot be read: {why}", f"mend that line of {OF_FOLDER}") from error
    if unknown := next((name for name in content if name not in Settings.model_fields), ""):
        raise BadInput(f"the setting '{unknown}' is wrong: there is no setting of that name", f"mend {OF_FOLDER}")
    if _read("settings").get(_here()) == [hashlib.sha256(written).hexdigest()]:  # it was said yes to, as it is now
        return content, ()
    ignored = tuple(name for name, value in content.items() if name not in GROUPS and not _harmless(name, value))
    free = tuple(name for name in settings if name.split(".")[0] in GROUPS and _is_free(name))
    taken = {name: value for name, value in settings.items() if name not in free and name.split(".")[0] not in ignored}
    return nested(taken), (*ignored, *free)


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


def flat(groups: Mapping[str, object]) -> dict[str, object]:
    """`{"tools": {"clues": {"beam": 5}}}` as `{"tools.clues.beam": 5}`."""
    found: dict[str, object] = {}
    for name, value in groups.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{rest}": one for rest, one in flat(value).items()}
        else:
            found[name] = value
    return found


def nested(values: Mapping[str, object]) -> dict[str, Any]:
    """The other way round."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        *groups, own = name.split(".")
        place = found
        for group in groups:
            place = place.setdefault(group, {})
            if not isinstance(place, dict):
                raise BadInput(f"'{name}' is not in a table", "clew settings")
        place[own] = value
    return found


def _is_free(name: str) -> bool:
    """Whether it takes any text: the name of a model."""
    from clew.agent.parameters import parameters

    return name in parameters() and parameters()[name].free


def _harmless(name: str, value: object) -> bool:
    if name == "library":
        here = Path.cwd().resolve()
        if not isinstance(value, str) or "://" in value or "\0" in value:  # no host that a folder names gets a key
            return False
        return (here / value).resolve().is_relative_to(here)
    if name == "aligner":
        return isinstance(value, str) and ALIGNERS.fullmatch(value) is not None
    return name in TAKEN


class Settings(BaseSettings):
    """`home` holds the threads and `cache` the embeddings: both are the user's, shared by all libraries. An empty
    `encoder` is the library's own, for a new library all-MiniLM-L6-v2. `reranker` is a cross-encoder that prunes the
    paths of the tool `clues`; empty: none. `aliases` is a file of further
    names of relations for that tool (clues/clue_index.py); empty: none. `late_interaction` has the tool `walk`
    score nodes by their tokens too (memory/knowledge/walking/walker.py); `aligner` chooses its partitions:
    votes, centroid, words, or one that `clew align train` made, as mlp-infonce. `llm` names the language models
    (agent/models.py); `unsupported` is what becomes of sentences of theirs that their passages do not support.
    `language` is what Clew speaks where it says something itself; auto: that of the question."""

    model_config = SettingsConfigDict(env_prefix="CLEW_", env_nested_delimiter="__", extra="forbid", frozen=True)

    library: Annotated[Place, BeforeValidator(place)] = Path(".clew")
    encoder: str = ""
    reranker: str = ""
    aligner: str = "votes"
    late_interaction: bool = False
    aliases: str = ""
    tool: str = "auto"
    llm: str = "auto"
    unsupported: Literal["mark", "remove"] = "mark"
    language: Literal["auto", Language] = "auto"
    port: int = Field(default=7860, ge=1, le=65535)
    home: Path = Field(default_factory=lambda: user_data_path("clew"))
    cache: Path = Field(default_factory=lambda: user_cache_path("clew"))
    tools: dict[str, Any] = {}
    rewrite: dict[str, Any] = {}
    walk: dict[str, Any] = {}
    late: dict[str, Any] = {}
    observe: dict[str, Any] = {}
    answer: dict[str, Any] = {}
    index: dict[str, Any] = {}

    @property
    def given(self) -> dict[str, object]:
        """The parameters that somebody has set, by their whole names, as they were written."""
        return flat({name: getattr(self, name) for name in GROUPS})

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        users = TomlConfigSettingsSource(settings_cls, toml_file=config_files()[0])
        return init_settings, env_settings, InitSettingsSource(settings_cls, folder_settings()[0]), users


def read_settings(**flags: Any) -> Settings:
    """Flags that are None were not given; `given` has parameters as `tools.clues.beam=5`, and `num_sentences` is
    `rewrite.sentences`. Raises `BadInput` with the setting's name, and what is wrong with it or what is allowed."""
    written: dict[str, object] = dict(_named(one) for one in flags.pop("given", ()))
    if (sentences := flags.pop("num_sentences", None)) is not None:
        written["rewrite.sentences"] = sentences
    try:
        settings = Settings(**nested(written), **{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        place = next((place for place, values in sources() if name in values), "")  # it keeps `clew settings` away, too
        mend = f"unset CLEW_{name.upper()}" if place == "environment" else f"mend {place}" if place else "clew settings"
        raise BadInput(f"the setting '{name}' is wrong: {first['msg']}", mend) from error
    except SettingsError as error:  # of a variable
        raise BadInput(str(error), "mend or unset it") from error
    except ValueError as error:  # TOML that does not parse
        raise BadInput(f"{config_files()[0]} cannot be read: {error}", "mend that line") from error
    unknown = (name for name in os.environ if name.startswith("CLEW_") and "__" in name)
    for name in unknown:
        if name.removeprefix("CLEW_").split("__")[0].lower() not in GROUPS:
            raise BadInput(f"there is no setting {name}", f"unset {name}")
    if settings.given:
        from clew.agent.parameters import chosen

        chosen(settings.given)
    return settings


def _named(written: str) -> tuple[str, str]:
    """Raises `BadInput` for what has no name of a parameter in front of an equals sign."""
    name, equals, value = written.partition("=")
    if not equals or name.split(".")[0] not in GROUPS or "." not in name:
        raise BadInput(
            f"'{written}' does not set a parameter", "--set tools.clues.beam=5; clew settings --all names them"
        )
    return name.strip(), value.strip()


def sources() -> list[tuple[str, dict[str, object]]]:
    """What each place sets, by whole names, the one that wins first."""
    variables = EnvSettingsSource(Settings)
    users = TomlConfigSettingsSource(Settings, toml_file=config_files()[0])
    return [
        ("environment", flat(variables())),
        (str(OF_FOLDER), flat(folder_settings()[0])),
        (str(config_files()[0]), flat(users())),
    ]


KEPT = "trusted.json"


def _here() -> str:
    """The path of the working folder's file: one that is a link to a trusted file of another folder is not that one, as
    its paths would lead into this folder."""
    return str(Path.cwd().resolve() / OF_FOLDER)


def trust() -> None:
    """Take all that the working folder's file says, as it is now. Raises `BadInput` where that cannot be kept."""
    _write("settings", _here(), [hashlib.sha256(_written()).hexdigest()])


def distrust() -> None:
    _write("settings", _here(), [])


def indexed_here(library: str) -> list[str]:
    """The paths that were named for the library of this id, which may say others; none for one without."""
    return _read("indexed").get(library, []) if library else []


def note_indexed(library: str, paths: Iterable[str]) -> None:
    """Raises `BadInput` where that cannot be kept."""
    known = indexed_here(library)
    if library and (fresh := [path for path in paths if path not in known]):
        _write("indexed", library, [*known, *fresh])


def last_used() -> Place | None:
    """The library that was last asked or indexed; None where none was, or it is gone."""
    for name in _read("used").get("library", ()):
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
        if _read("used").get("library") != [name]:
            _write("used", "library", [name])


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
    with suppress(OSError):  # said when it is written
        private_folder(user_config_path("clew"))
    replace_file(user_config_path("clew") / KEPT, json.dumps(content, indent=1) + "\n")
