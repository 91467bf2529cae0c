"""`ask_fake.py DATA [--interrupted QUESTION] ...`: the real `clew ask`, with the assistant of fakes.py."""

import sys

from clew.agent.assistant import Assistant
from clew.agent.settings import Settings
from tests.ui.fakes import FakeAssistant


def main(data: str, *arguments: str) -> None:
    import os

    from clew.ui.cli import main as clew

    os.environ["CLEW_HOME"] = data
    interrupted = ""
    if arguments[0] == "--interrupted":
        interrupted, arguments = arguments[1], arguments[2:]

    def opened(settings: Settings) -> Assistant:
        return FakeAssistant(settings, interrupted)

    Assistant.open = opened  # type: ignore[method-assign]
    clew(["ask", *arguments], prog_name="clew")


if __name__ == "__main__":
    main(*sys.argv[1:])
