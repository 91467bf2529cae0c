"""The error tree, and errors of packages that are missing. Every message says what is wrong; `hint` is the command or
step that puts it right.

ClewError                 the run failed                                  exit 1
|-- BadInput              a file, script or argument cannot be used       exit 2
|   `-- MuchWouldGo       more than half of a library, and nobody said so
|-- NotSetUp              something has to be made or installed first     exit 3
|   |-- NoLibrary         there is no library at that place
|   |-- LibraryMismatch   the library was made with another format or encoder, or has lost a part
|   `-- NoModel           the model's files are not on this machine
|-- LibraryBusy           another process is indexing this library        exit 1
|-- Unreadable            one source could not be read; the rest goes on  exit 1
|-- ServiceUnreachable    a server does not answer                        exit 4
|   `-- ModelFailed         it does, and its language model fails: not pulled, no memory, crashed, broken off
|       |-- PromptCut       the model was given less of the prompt than it was sent
|       `-- RequestRefused  the server does not take a request that is made so
|-- Cancelled             the person stopped it                           exit 1
`-- DeadlineExceeded      the query's time is over                        exit 1
"""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


class ClewError(Exception):
    """`message` in one line; `hint`, where there is one, is what to type or do."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}. Try: {self.hint}" if self.hint else self.message


class BadInput(ClewError):
    exit_code = 2


class MuchWouldGo(BadInput): ...


class NotSetUp(ClewError):
    exit_code = 3


class NoLibrary(NotSetUp): ...


class LibraryMismatch(NotSetUp): ...


class NoModel(NotSetUp):
    """`model` is what can be pulled, where the server is there and only lacks it."""

    def __init__(self, message: str, hint: str = "", model: str = "") -> None:
        super().__init__(message, hint)
        self.model = model


class LibraryBusy(ClewError): ...


class Unreadable(ClewError): ...


class ServiceUnreachable(ClewError):
    exit_code = 4


class ModelFailed(ServiceUnreachable): ...


class PromptCut(ModelFailed): ...


class RequestRefused(ModelFailed): ...


class Cancelled(ClewError): ...


class DeadlineExceeded(ClewError): ...


def library_flag(library: object) -> str:
    """`--library PLACE` for a command that a hint names, quoted as a shell needs it."""
    return f"--library {shlex.quote(str(library))}"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of Clew."""
    return f"pip install 'clew[{extra}]'"


def required(module: str, purpose: str, extra: str) -> ModuleType:
    """The module, imported. Raises `NotSetUp` with the command that installs it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise NotSetUp(f"{purpose} needs the package {package}", install_command(extra)) from error


@contextmanager
def without_proxies() -> Iterator[None]:
    """To import a package that makes a client as it is imported: one through a SOCKS proxy of the environment needs
    another package, though nobody is asked anything yet."""
    held = {name: os.environ.pop(name) for name in [*os.environ] if name.lower().endswith("_proxy")}
    try:
        yield
    finally:
        os.environ.update(held)


@contextmanager
def naming_proxy() -> Iterator[None]:
    """Raises `NotSetUp` where a client is made that goes through a SOCKS proxy and cannot."""
    try:
        yield
    except ImportError as error:
        wrong = "the proxy that the environment names (ALL_PROXY and the like) is a SOCKS proxy, which needs a package"
        raise NotSetUp(wrong, "pip install 'httpx[socks]', or unset it") from error
