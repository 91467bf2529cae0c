"""Optional packages: those of the extras in pyproject.toml, which `pip install clew` leaves out."""

from importlib import import_module
from types import ModuleType

from clew.memory.errors import NotSetUp


def install_command(extra: str) -> str:
    return f"pip install 'clew[{extra}]'"


def required(module: str, purpose: str, extra: str) -> ModuleType:
    """The module, imported. Raises `NotSetUp` with the command that installs it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise NotSetUp(f"{purpose} needs the package {package}", install_command(extra)) from error
