"""The language of a text, told by its commonest words."""

import pytest

from clew.memory.language.telling import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How much is the rent of the flat?", "en"),
        ("Wie hoch ist die Miete der Wohnung?", "de"),
        ("Quel est le loyer de l'appartement ?", "fr"),
        ("¿Cuánto es el alquiler del piso?", "es"),
        ("Quanto costa l'affitto dell'appartamento?", "it"),
        ("Kiom kostas la lupago de la loĝejo?", "eo"),
        ("Mizero instruas homojn", "eo"),  # without a common word
        ("Who was Maria de la Fuente?", "en"),  # words of another in a name
        ("月までの距離は?", ""),
        ("", ""),
    ],
)
def test_each_is_told_from_the_others(text: str, language: str) -> None:
    assert language_of(text) == language
