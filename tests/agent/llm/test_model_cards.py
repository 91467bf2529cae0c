"""What a server shows of a model."""

from typing import Any

import pytest

from clew.agent.llm.ollama_server import DEFAULT_WINDOW, Card, card_of
from clew.memory.ports import Abilities

SHOWN: dict[str, Any] = {
    "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
    "capabilities": ["completion", "tools"],
}
OLD = {key: value for key, value in SHOWN.items() if key != "capabilities"}
SCHEMA = Abilities(schema=True)
WHOLE = Card(131072, abilities=SCHEMA)


@pytest.mark.parametrize(
    ("shown", "version", "card"),
    [
        (SHOWN, "0.12.6", WHOLE),
        (
            {**SHOWN, "capabilities": ["completion", "thinking"]},
            "0.12.6",
            Card(131072, abilities=Abilities(True, True)),
        ),
        ({**SHOWN, "capabilities": ["embedding"]}, "0.12.6", Card(131072, chats=False, abilities=SCHEMA)),
        ({**OLD, "model_info": {"general.architecture": "nomic-bert"}}, "0.4.7", Card(chats=False)),
        (OLD, "0.4.7", Card(131072)),  # an older server takes no schema
        (
            {**SHOWN, "details": {"parameter_size": "134.5M"}},
            "0.12.6",
            Card(131072, abilities=Abilities(True, parameters=134_500_000)),
        ),
        ({"model_info": None}, "", Card(DEFAULT_WINDOW, abilities=SCHEMA)),
    ],
)
def test_what_the_server_shows(shown: dict[str, Any], version: str, card: Card) -> None:
    assert card_of(shown, version) == card
