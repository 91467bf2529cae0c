"""Settings, read in one place: defaults, then `clew.toml`, then `CLEW_*`, then flags."""

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from clew.agent.trust import trusts
from clew.memory.errors import BadInput

DATABASE = "threads.sqlite"
"""In `Settings.home`: the threads, and the checkpoints of turns that are not over."""


OF_FOLDER = Path("clew.toml")
"""The file of the working folder."""

TAKEN = frozenset({"tool", "clues", "late_interaction", "unsupported", "port"})
"""What it may say without being trusted: closed choices and numbers; and `aligner` and `library` (`_harmless`)."""

ALIGNERS = re.compile(r"votes|centroid|words|(bi|mlp|gcn|sage|gin|rgcn)-(infonce|bce)")


def config_files() -> list[Path]:
    """Later ones win: the user's own file, then the one of the working folder."""
    return [user_config_path("clew") / "clew.toml", OF_FOLDER]


def folder_settings() -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the working folder's file says that is taken, and the names of what is ignored until the user trusts it: it
    was written by whoever made the folder. Names of no setting are taken, to be refused. Raises `ValueError` for broken
    TOML."""
    try:
        content = tomllib.loads(OF_FOLDER.read_text("utf-8"))
    except OSError:
        return {}, ()
    ignored = () if trusts(OF_FOLDER) else tuple(name for name, value in content.items() if not _harmless(name, value))
    return {name: value for name, value in content.items() if name not in ignored}, ignored


def _harmless(name: str, value: object) -> bool:
    if name == "library":
        here = Path.cwd().resolve()
        return isinstance(value, str) and (here / value).resolve().is_relative_to(here)
    if name == "aligner":
        return isinstance(value, str) and ALIGNERS.fullmatch(value) is not None
    return name in TAKEN or name not in Settings.model_fields


class Settings(BaseSettings):
    """`home` holds the threads and `cache` the embeddings: both are the user's, shared by all libraries. An empty
    `encoder` is the library's own, for a new library all-MiniLM-L6-v2. `reranker` is a cross-encoder that prunes the
    paths of the tool `clues`; empty: none. `clues` is what that tool walks over, and `aliases` a file of further names
    of relations for it (clues/clue_index.py); empty: none. `late_interaction` has the tool `walk` score
    nodes by their tokens too (memory/knowledge/walking/late_interaction.py); `aligner` chooses its partitions: votes,
    centroid, words, or one that `clew align train` made, as mlp-infonce. `llm` names the language models
    (agent/models.py); `unsupported` is what becomes of sentences of theirs that their passages do not support."""

    model_config = SettingsConfigDict(env_prefix="CLEW_", extra="forbid", frozen=True)

    library: Path = Path(".clew")
    encoder: str = ""
    reranker: str = ""
    aligner: str = "votes"
    late_interaction: bool = False
    clues: Literal["units", "triples"] = "units"
    aliases: str = ""
    tool: str = "auto"
    llm: str = "auto"
    unsupported: Literal["mark", "rewrite", "remove"] = "mark"
    port: int = Field(default=7860, ge=1, le=65535)
    home: Path = Field(default_factory=lambda: user_data_path("clew"))
    cache: Path = Field(default_factory=lambda: user_cache_path("clew"))

    @property
    def names_llm(self) -> bool:
        """Whether somebody said which language model: a measurement and an index use none that was merely found."""
        return "llm" in self.model_fields_set

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
    """Flags that are None were not given. Raises `BadInput` with the setting's name and what is wrong with it."""
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"the setting '{name}' is wrong: {first['msg']}", "clew --help") from error
    except ValueError as error:  # TOML that does not parse
        raise BadInput(f"clew.toml cannot be read: {error}", "mend that line") from error
