"""What a server shows of a model."""

from typing import Any

import pytest

from clew.agent.llm.ollama_writer import DEFAULT_WINDOW, Card, card_of
from clew.memory.ports import Abilities

INFO = {"general.architecture": "llama", "llama.context_length": 131072, "general.parameter_count": 8_030_261_248}
ABLE = Abilities(8_030_261_248)


@pytest.mark.parametrize(
    ("info", "capabilities", "card"),
    [
        (INFO, ["completion", "tools"], Card(131072, abilities=ABLE)),
        (INFO, ["completion", "thinking"], Card(131072, thinks=True, abilities=ABLE)),
        (INFO, ["embedding"], Card(131072, chats=False, abilities=ABLE)),
        (None, ["completion"], Card(DEFAULT_WINDOW)),
    ],
)
def test_what_the_server_shows(info: dict[str, Any] | None, capabilities: list[str], card: Card) -> None:
    assert card_of({"model_info": info, "capabilities": capabilities}) == card
