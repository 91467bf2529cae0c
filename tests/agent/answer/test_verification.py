"""Whether a passage says what cites it: in its words, by its numbers and names, worked out, or in other words."""

from dataclasses import replace

import pytest

from clew.agent.answer.verification import near, verdict
from clew.agent.state import Claim, Quote
from clew.memory.datatypes import Passage

LANG = Passage(
    "lang", "lang", "Fritz Lang", "Fritz Lang was born in Vienna in 1890. He directed Metropolis.", 0.6, "hybrid"
)
LEASE = Passage(
    "lease",
    "lease",
    "Lease",
    "The rent is 850 euros a month. Pets are allowed with the landlord's consent. The tenant pays for small repairs up"
    " to 100 euros. The landlord pays for the heating.",
    0.6,
    "",
)
RENT = Passage(
    "miete", "miete", "Mietvertrag", "Die Miete beträgt 850 Euro und ist am dritten Werktag fällig.", 0.6, ""
)


@pytest.mark.parametrize(
    ("text", "passage", "said"),
    [
        ("Fritz Lang was born in Vienna in 1890.", LANG, True),
        ("In Vienna, Fritz Lang was born, in the year 1890.", LANG, True),
        ("Fritz Lang was born in Vienna in 1891.", LANG, False),
        ("Fritz Lang was born in Vienna and liked sailing boats.", LANG, False),
        ("The Moon is the only natural satellite of Earth.", LANG, False),
        ("You may keep pets if the landlord agrees.", LEASE, True),  # few of its words
        ("The tenant pays for the heating.", LEASE, False),  # all of them
        ("Die Miete ist am dritten Werktag fällig.", RENT, True),  # by its words
        ("Die Kaution ist bei Einzug zu zahlen.", RENT, False),
    ],
)
def test_a_sentence_is_checked_against_what_it_cites(text: str, passage: Passage, said: bool) -> None:
    assert (verdict(Claim(text, (1,)), [passage]) == "supported") == said


def test_names_that_are_words_of_another_language_do_not_keep_a_sentence_from_being_checked() -> None:
    passage = replace(LANG, text=f"{LANG.text} He met the writer Thea von Harbou in Berlin, and left Germany in 1933.")
    said = {
        "Lang left Germany in 1933.": "supported",
        "Lang directed M in Hamburg.": "unsupported",
        "Thea von Harbou directed Die Nibelungen in 1933.": "unsupported",
        "Fritz Lang wurde in Berlin geboren.": "uncited",
        "Thea von Harbou blieb in Deutschland.": "uncited",
    }
    asked = "Wer blieb in Deutschland?"
    assert {one: verdict(Claim(one, (1,)), [passage], asked=asked if "blieb" in one else "") for one in said} == said


def test_what_is_quoted_of_a_document_is_supported_however_far_it_stands_from_the_passage() -> None:
    quote = Quote("lease", 9000, 9024, "Garden tools may be kept.")
    assert verdict(Claim(quote.text, (1,), quotes=(quote,)), [LEASE]) == "supported"
    assert verdict(Claim(quote.text, (1,), quotes=(quote,)), [LANG]) == "unsupported"


def test_a_name_may_stand_in_another_form() -> None:
    passage = replace(LANG, text=f"{LANG.text} On a Monday the boy of Orson Welles saw an olympic race.")
    said = {
        "On Mondays they showed Metropolis.": False,
        "The Welleses' boy saw an Olympic race on a Monday.": True,
        "The Langs saw an Olympic race on Tuesdays.": True,
    }
    lacked = {one: verdict(Claim(one, (1,)), [passage]) == "unsupported" for one in said}
    assert lacked == said


@pytest.mark.parametrize("text", ["No.", "Yes.", "It is."])
def test_what_has_only_small_words_is_not_checked(text: str) -> None:
    passage = replace(LANG, text=f"{LANG.text} He is known.")
    assert verdict(Claim(text, (1,)), [passage]) == "uncited"
    assert verdict(Claim("Vienna nowhere.", (1,)), [passage]) != "supported"


SOUP = Passage(
    "soup",
    "soup",
    "Soup",
    "Cut leeks and celery fine and soften them in the oil for ten minutes. Add barley and the carrots in slices. Simmer"
    " for 20 minutes. Keller has not tried it with the beans of the second year.",
    0.6,
    "",
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Cut the leeks and the celery fine and soften them in the oil for ten minutes.", True),  # but for small words
        ("Add the barley and the carrots in slices, and simmer for 20 minutes.", True),  # two sentences in one
        ("Keller tried it with the beans of the second year.", False),  # it denies that
        ("Do not cut leeks and celery fine.", False),  # that denies it
    ],
)
def test_a_sentence_may_lack_small_words_of_its_passage_but_not_its_denials(text: str, said: bool) -> None:
    assert (verdict(Claim(text, (1,)), [SOUP]) == "supported") == said


def test_of_a_long_passage_the_sentences_are_read_that_share_most_words_in_their_order() -> None:
    filler = "The harbour has a crane of grey steel. " * 30
    passage = Passage("h", "h", "Ferry", f"It was built in 1911. {filler}It was sold to Norway in 1950.", 0.6, "")
    read = near("It was sold to Norway.", passage)
    assert read.startswith("Ferry. ") and read.endswith("It was sold to Norway in 1950.") and len(read.split()) < 100


COSTS = Passage(
    "c", "c", "Workshop", "The lathe costs 1,200 euros. The saw of Fritz Lang costs 950 euros.", 1.0, "hybrid"
)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("The lathe costs 1200 euros.", "supported"),  # grouped there
        ("It costs 1,200 euros.", "supported"),  # few words
        ("The lathe and the saw cost 1,200 + 950 = 2,150 euros.", "supported"),
        ("The lathe costs 1200 euros - 950 euros = 250 euros more than the saw.", "supported"),
        ("The saw is dearer by (1,200 - 950) / 950 = 26.3 percent.", "supported"),
        ("It is dearer by about 26% ((1,200 - 950) / 950 = 0.263).", "supported"),
        ("The lathe costs 1,200 / 12 = 100 euros a month.", "supported"),
        ("Three lathes cost 3 x 1,200 = 3,600 euros.", "supported"),
        ("Three lathes cost 3 x 1,200 = 3,600 euros, of which a half is 3,600 / 2 = 1,800 euros.", "supported"),
        ("Three lathes cost 3 x 1,200 = 3,600 euros, of which a half is 3,600 / 2 = 1,900 euros.", "unsupported"),
        ("The saw is dearer by (1,200 - 950) / 950 = 27.3 percent.", "unsupported"),
        ("The lathe costs 1,300 / 12 = 108 euros a month.", "unsupported"),
        ("The saw is dearer by (1,200 - 950) / 950 = 0.263, so 1.", "unsupported"),
        ("The lathe and the saw cost 1,200 + 950 = 2,250 euros.", "unsupported"),
        ("The lathe and the saw cost 2,150 euros.", "unsupported"),
    ],
)
def test_what_is_worked_out_is_supported_by_what_it_is_made_of(said: str, found: str) -> None:
    assert verdict(Claim(said, (1,)), [COSTS]) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("The director Fritz Lang was born in Vienna (Austria).", "weak"),  # at most
        ("Fritz Lang was born in Vienna in 1933.", "unsupported"),
        ("The director Fritz Lang was born in Vienna (Bohemia).", "unsupported"),
        ("The lathe of Fritz Lang costs 1,200 euros without VAT.", "supported"),  # spelled out there
    ],
)
def test_a_name_of_the_question_is_known_but_supports_nothing(said: str, found: str) -> None:
    passage = replace(LANG, text=f"{LANG.text} His lathe costs 1,200 euros without value added tax.")
    assert verdict(Claim(said, (1,)), [passage], asked="Was Lang born in Austria in 1933?") == found


def test_what_a_tool_worked_out_is_supported_with_what_it_is_made_of() -> None:
    made = Passage("s", "", "Worked out", "(1,200 EUR - 950 EUR) * 12 = 3,000 EUR", 0.0, "calculate")
    for said, found in (("It is 3,000 euros a year more.", "supported"), ("It is 3,500 euros more.", "unsupported")):
        assert verdict(Claim(said, (1, 2)), [COSTS, made]) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("It is about 38 percent of all.", "supported"),
        ("It is 38.1% of all.", "supported"),
        ("It is about 39 percent of all.", "unsupported"),
    ],
)
def test_what_a_tool_worked_out_may_be_rounded(said: str, found: str) -> None:
    made = Passage("s", "", "Worked out", "1240 / 3251.40 * 100 = 38.1374", 0.0, "calculate")
    assert verdict(Claim(said, (1,)), [made]) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("The next is due on 14 October 2024 + 1 year = 14 October 2025.", "supported"),
        ("The next is due on 14 October 2024 + 1 year = 14 October 2026.", "unsupported"),
        ("The next is due on 14 October 2024 + 5 years = 14 October 2029.", "unsupported"),
        ("Its fitter was 9 years old then.", "supported"),
    ],
)
def test_days_are_worked_out_and_small_numbers_read_as_words(said: str, found: str) -> None:
    boiler = "The last service was on 14 October 2024. Its fitter was nine years old then."
    assert verdict(Claim(said, (1,)), [Passage("b", "b", "Boiler", boiler, 1.0, "hybrid")]) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Die Miete beträgt 850 Euro im Monat.", "uncited"),
        ("Die Miete beträgt 950 Euro im Monat.", "unsupported"),
        ("Der Flur wird von allen gemeinsam gefegt.", "uncited"),
    ],
)
def test_of_a_sentence_in_another_language_than_its_passage_the_numbers_are_checked(said: str, found: str) -> None:
    assert verdict(Claim(said, (1,)), [LEASE]) == found
