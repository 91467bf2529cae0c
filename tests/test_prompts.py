"""Prompts are rendered strictly."""

from pathlib import Path

import pytest

from clew.prompts import render


def test_a_prompt_takes_its_values_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "greet.txt").write_text("Say $word to $name. It costs $$5.\n", "utf-8")
    assert render("greet", folder=tmp_path, word="hello", name="Clew") == "Say hello to Clew. It costs $5.\n"
    for values in ({"word": "hello"}, {"word": "hello", "name": "Clew", "more": "no"}, {}):
        with pytest.raises(KeyError, match="greet takes"):
            render("greet", folder=tmp_path, **values)


def test_a_value_is_not_a_template(tmp_path: Path) -> None:
    (tmp_path / "quote.txt").write_text("Passage: $passage", "utf-8")
    assert render("quote", folder=tmp_path, passage="costs $5, see $word") == "Passage: costs $5, see $word"
