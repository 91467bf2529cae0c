"""Whole turns over small folders: what a refusal says, documents that differ and libraries of triples."""

from pathlib import Path

from clew.agent import doctor
from tests.agent.conftest import Opened

BAKERY = "# Bakery\n\nThe bakery in Mill Lane is run by Rosa Lindqvist. It bakes rye bread on Fridays.\n"
BROKEN = b"%PDF-1.4 broken"


def test_a_refusal_says_how_many_files_could_not_be_read(opened: Opened, tmp_path: Path) -> None:
    asked = opened({"bakery.md": BAKERY})
    refused = asked("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 0 and "clew doctor" not in refused.text
    asked = opened({"broken.pdf": BROKEN})  # a file that fails later is counted too
    refused = asked("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 1
    assert refused.text.endswith("1 file could not be read: broken.pdf (clew doctor says why).")
    auf_deutsch = asked("Wie viele Einwohner hat Innsbruck und wie alt ist sein Bürgermeister?")
    assert auf_deutsch.refused and "1 Datei konnte nicht gelesen werden" in auf_deutsch.text
    answered = asked("Who runs the bakery in Mill Lane?")
    assert (answered.outcome, answered.files_left_out) == ("answered", 0) and "could not" not in answered.text
    _, check = doctor.library(tmp_path / "library")
    assert check.state == "warning" and check.message.endswith("1 file could not be read")


def test_a_library_of_triples_is_asked_by_its_triples(opened: Opened) -> None:
    asked = opened({"triples.json": '[["mira solberg", "painted", "mural"], ["mural", "titled", "harbour"]]'})
    said = asked("Who painted the mural Harbour?")
    assert [claim.text for claim in said.claims] == [
        "Mira Solberg.",
        "mira solberg painted mural.",
        "mural titled harbour.",
    ]
    assert all(claim.verdict == "supported" for claim in said.claims)
    for question in ("What is the capital of France?", "Who sold the mural Harbour?", "Who painted the mural Pier?"):
        assert asked(question).refused, question
