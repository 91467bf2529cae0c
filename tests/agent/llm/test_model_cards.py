"""What a server shows of a model, and the file that keeps it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.agent.llm.ollama_server import DEFAULT_WINDOW, Card, Cards, card_of

SHOWN: dict[str, Any] = {
    "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
    "capabilities": ["completion", "tools"],
}
OLD = {key: value for key, value in SHOWN.items() if key != "capabilities"}
WHOLE = Card(window=131072, schema=True)


@pytest.mark.parametrize(
    ("shown", "version", "card"),
    [
        (SHOWN, "0.12.6", WHOLE),
        ({**SHOWN, "capabilities": ["completion", "thinking"]}, "0.12.6", Card(131072, schema=True, thinks=True)),
        ({**SHOWN, "capabilities": ["embedding"]}, "0.12.6", Card(131072, chats=False, schema=True)),
        ({**OLD, "model_info": {"general.architecture": "nomic-bert"}}, "0.4.7", Card(chats=False)),
        (OLD, "0.4.7", Card(131072)),  # an older server takes no schema
        ({**SHOWN, "details": {"parameter_size": "134.5M"}}, "0.12.6", replace(WHOLE, parameters=134_500_000)),
        (SHOWN, "0.0.0", WHOLE),  # a server that is built from source
        ({"model_info": None}, "", Card(DEFAULT_WINDOW, schema=True)),
    ],
)
def test_what_the_server_shows(shown: dict[str, Any], version: str, card: Card) -> None:
    assert card_of(shown, version) == card


def test_a_card_is_asked_for_once_for_each_digest(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask() -> Card:
        asked.append("asked")
        return Card(window=2048)

    path = tmp_path / "cache" / "models.json"
    for digest in ("one", "one", "two"):
        assert Cards(path).of("llama3.2:3b", digest, ask) == Card(window=2048)
    assert len(asked) == 2


def test_a_file_that_cannot_be_used_or_written_costs_nothing_but_the_asking(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    for content in ("{", "[]", '{"m@d": {"colour": "blue"}}', '{"m@d": 3}'):
        path.write_text(content)
        assert Cards(path).of("m", "d", lambda: Card(window=1)) == Card(window=1)
        assert Cards(path).of("m", "d", lambda: Card(window=2)) == Card(window=1)
    (tmp_path / "file").write_text("")
    assert Cards(tmp_path / "file" / "models.json").of("m", "d", lambda: Card(window=1)) == Card(window=1)
