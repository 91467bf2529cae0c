from pathlib import Path
from typing import Any

from clew.agent.llm.ollama_server import DEFAULT_WINDOW, Card, Cards, card_of

SHOWN: dict[str, Any] = {
    "template": "{{ .Prompt }}",
    "details": {"parameter_size": "8.0B"},
    "model_info": {
        "general.architecture": "llama",
        "llama.context_length": 131072,
        "general.parameter_count": 8030261248,
    },
    "capabilities": ["completion", "tools"],
}


def test_what_the_server_shows() -> None:
    card = card_of(SHOWN, "0.12.6")
    assert card == Card(window=131072, chats=True, tools=True, schema=True, thinks=False)
    assert card_of({**SHOWN, "capabilities": ["completion", "thinking"]}, "0.12.6").thinks


def test_an_encoder_does_not_chat() -> None:
    assert not card_of({**SHOWN, "capabilities": ["embedding"]}, "0.12.6").chats
    old = {"template": "{{ .Prompt }}", "model_info": {"general.architecture": "nomic-bert"}}
    assert not card_of(old, "0.5.1").chats


def test_an_older_server_tells_of_tools_by_its_template() -> None:
    old = {key: value for key, value in SHOWN.items() if key != "capabilities"}
    assert not card_of(old, "0.5.1").tools
    assert card_of({**old, "template": "{{ if .Tools }}x{{ end }}"}, "0.5.1").tools
    assert card_of(old, "0.5.1").chats


def test_schemas_came_with_0_5() -> None:
    assert not card_of(SHOWN, "0.4.7").schema
    assert card_of(SHOWN, "0.5.0").schema
    assert card_of(SHOWN, "0.0.0").schema, "a server that is built from source"
    assert card_of(SHOWN, "").schema


def test_a_model_that_says_nothing() -> None:
    card = card_of({"details": {"parameter_size": "494M"}, "model_info": None, "template": None}, "0.12.6")
    assert (card.window, card.chats, card.tools) == (DEFAULT_WINDOW, True, False)


def test_a_card_is_asked_for_once_for_each_digest(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask() -> Card:
        asked.append("asked")
        return Card(window=2048, tools=True)

    path = tmp_path / "cache" / "models.json"
    for digest in ("one", "one", "two"):
        assert Cards(path).of("llama3.2:3b", digest, ask) == Card(window=2048, tools=True)
    assert len(asked) == 2


def test_a_file_that_is_broken_or_of_another_version_is_asked_anew(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    for content in ("{", "[]", '{"m@d": {"colour": "blue"}}', '{"m@d": 3}'):
        path.write_text(content)
        assert Cards(path).of("m", "d", lambda: Card(window=1)) == Card(window=1)
        assert Cards(path).of("m", "d", lambda: Card(window=2)) == Card(window=1)


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_asking(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Cards(tmp_path / "file" / "models.json").of("m", "d", lambda: Card(window=1)) == Card(window=1)
