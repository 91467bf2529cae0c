"""The question back, and what is refused in the language of documents that are not English."""

from clew.agent.answer.judge import ask_back
from clew.memory.datatypes import Passage
from tests.agent.conftest import Opened


def passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(f"{name}#0", name, title, text, 0.5, "hybrid")


LANG = passage("a", "Fritz Lang was a director of films.", "Fritz Lang")
GAGARIN = passage("b", "Yuri Gagarin flew into space.", "Yuri Gagarin")
MELIES = passage("c", "He was a director and a magician.", "Georges Méliès")
SENTENCE = passage("d", "A director is in charge.\nSo it is.")


def test_it_names_the_noun_and_offers_what_speaks_of_it_first() -> None:
    back = ask_back("Where was the director born?", [], [GAGARIN, LANG, MELIES, SENTENCE, LANG], "en")
    assert back.outcome == "unclear" and not back.refused and not back.sources
    assert back.plain == "Which director do you mean: Fritz Lang; Georges Méliès; or Yuri Gagarin?"
    assert back.nearest == ("Fritz Lang", "Georges Méliès", "Yuri Gagarin")


def test_without_a_noun_it_asks_which_of_these_and_offers_at_most_four_and_never_one() -> None:
    both = ask_back("And born?", [], [LANG, GAGARIN], "en")
    assert both.plain == "Which of these do you mean: Fritz Lang; or Yuri Gagarin?"
    one = ask_back("Where was the director born?", [], [LANG], "en")
    assert one.plain == "Which director do you mean?" and one.nearest == ()
    many = [passage(str(n), "text", f"Title {n}") for n in range(9)]
    assert ask_back("Which?", [], many, "en").nearest == ("Title 0", "Title 1", "Title 2", "Title 3")


def test_what_names_whom_the_question_is_of_is_near_however_little_it_has_to_do_with_it(opened: Opened) -> None:
    ask = opened(
        {
            "minutes.md": "# Minutes\n\nDele Adeyemi moved that the glaze be ordered in March.\n",
            "kiln.md": "# Kiln\n\nThe kiln is fired on Wednesdays, and bisque goes to 1000 degrees.\n",
        }
    )
    answer = ask("What is the salary of Dele Adeyemi?")
    assert answer.refused and answer.nearest == ("Minutes",)
