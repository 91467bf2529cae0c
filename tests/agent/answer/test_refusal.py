"""The question back, and what is refused in the language of documents that are not English."""

from collections.abc import Sequence

from clew.agent.answer.judge import ask_back
from clew.agent.state import Answer
from clew.memory.datatypes import Passage


def passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(f"{name}#0", name, title, text, 0.5, "hybrid")


LANG = passage("a", "Fritz Lang was a director of films.", "Fritz Lang")
GAGARIN = passage("b", "Yuri Gagarin flew into space.", "Yuri Gagarin")
MELIES = passage("c", "Georges Méliès\nHe was a director and a magician.")
SENTENCE = passage("d", "A director is in charge.\nSo it is.")


def back_to(question: str, passages: Sequence[Passage]) -> Answer:
    made = ask_back(question, [], passages)
    assert made
    return made


def test_it_names_the_noun_and_offers_what_speaks_of_it_first() -> None:
    back = back_to("Where was the director born?", [GAGARIN, LANG, MELIES, SENTENCE, LANG])
    assert back.outcome == "unclear" and not back.refused and not back.sources
    assert back.plain == "Which director do you mean: Fritz Lang; Georges Méliès; or Yuri Gagarin?"
    assert back.nearest == ("Fritz Lang", "Georges Méliès", "Yuri Gagarin")


def test_without_a_noun_it_asks_which_of_these_and_offers_at_most_four_and_never_one() -> None:
    both = back_to("And born?", [LANG, GAGARIN])
    assert both.plain == "Which of these do you mean: Fritz Lang; or Yuri Gagarin?"
    one = back_to("Where was the director born?", [LANG])
    assert one.plain == "Which director do you mean?" and one.nearest == ()
    many = [passage(str(n), "text", f"Title {n}") for n in range(9)]
    assert back_to("Which?", many).nearest == ("Title 0", "Title 1", "Title 2", "Title 3")


def test_nobody_is_asked_where_one_document_alone_is_called_so() -> None:
    van, bill = passage("v", "Serviced in May.", "The van (2016)"), passage("w", "The van's windscreen.", "Windscreen")
    assert ask_back("When was the van serviced?", [], [bill, van]) is None
    assert ask_back("When was the van serviced?", [], [bill, LANG]) is not None
