"""Questions in Esperanto that lean on those before."""

import pytest

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.esperanto_follow_ups import in_esperanto, standing_alone

BRIDGE = ("Kiu konstruis la ponton?", "La ponton konstruis Johano Silber.")
BOOK = ("Kiu verkis la Fundamentan Krestomation?", "La Fundamentan Krestomation verkis Zamenhof en 1903.")
MAGE = ("Kiu estas Mitrandiro?", "Mitrandiro estas magiisto.")


def said(*turns: tuple[str, ...]) -> list[Sentence]:
    """`turns` are questions with the sentences of their answers."""
    return [
        Sentence(text, "agent" if place else "user", number)
        for number, turn in enumerate(turns, 1)
        for place, text in enumerate(turn)
    ]


@pytest.mark.parametrize(
    ("before", "question", "alone"),
    [
        ([MAGE], "Kie li loĝas?", "Kie Mitrandiro loĝas?"),
        ([MAGE], "Kiu vidis lin?", "Kiu vidis Mitrandiron?"),
        ([MAGE, ("Kie li loĝas?",)], "Kaj lia frato?", "Kie la frato de Mitrandiro loĝas?"),
        ([MAGE, ("Kie li loĝas?",)], "Kiam li mortis?", "Kiam Mitrandiro mortis?"),
        ([MAGE], "Kiu estas lia plej bona amiko?", "Kiu estas la plej bona amiko de Mitrandiro?"),
        ([BOOK], "Kie li loĝis?", "Kie Zamenhof loĝis?"),
        ([BOOK], "Kial li verkis ĝin?", "Kial Zamenhof verkis la Fundamentan Krestomation?"),
        ([BRIDGE], "Kie li naskiĝis?", "Kie Johano Silber naskiĝis?"),
        ([BRIDGE], "Kiom ĝi kostis?", "Kiom la ponto kostis?"),
        ([BRIDGE], "Kiam?", "Kiam oni konstruis la ponton?"),
        ([BRIDGE, ("Kie li naskiĝis?",)], "Kiom alta ĝi estas?", "Kiom alta la ponto estas?"),
        ([("Kiom da loĝantoj havas Parizo?",)], "Kaj Berlino?", "Kiom da loĝantoj havas Berlino?"),
        ([("Kie oni vendas panon?",)], "Kaj lakton?", "Kie oni vendas lakton?"),
        ([("Kiom kostas la trajno al Parizo?",)], "Kaj al Berlino?", "Kiom kostas la trajno al Berlino?"),
        ([("Kiam venis la pastro?",)], "Kaj kun kato?", "Kiam venis la pastro kun kato?"),
        ([("Kie okazis la unua kongreso?",)], "Kaj la dua?", "Kie okazis la dua kongreso?"),
        ([("Kiam mortis la reĝino?",)], "Kial?", "Kial mortis la reĝino?"),
        ([("Kiam mortis la reĝino?",)], "Kiu estis ŝia filo?", "Kiu estis la filo de la reĝino?"),
        ([("Kion faras la bakisto kaj la lernantino?",)], "Kie ili loĝas?", "Kie la bakisto kaj la lernantino loĝas?"),
        ([("Kial la reĝo elspezis sian monon?",)], "Kiun li sendis?", "Kiun la reĝo sendis?"),
        ([("Kie estas la ponto?", BRIDGE[1])], "Kie li naskiĝis?", "Kie Johano Silber naskiĝis?"),
        ([BRIDGE], "Kiu estas la urbestro?", "Kiu estas la urbestro?"),
        ([], "Kie li loĝas?", "Kie li loĝas?"),
    ],
)
def test_a_question_stands_alone(before: list[tuple[str, ...]], question: str, alone: str) -> None:
    text, why = standing_alone(question, said(*before))
    assert text == alone
    assert bool(why) == (text != question)


def test_what_is_in_esperanto() -> None:
    assert in_esperanto("Kie li loĝas?", []) and in_esperanto("Kial?", said(MAGE))
    assert not in_esperanto("Where does he live?", said(MAGE)) and not in_esperanto("Why?", said(("Who is he?",)))
