"""Forms of answers, asked as `clew ask` asks: yes and no, what is worked out, documents that differ, refusals that say
what could not be read."""

import json
from pathlib import Path

import pytest

from clew.agent import doctor
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from tests.agent.conftest import Opened

BAKERY = "# Bakery\n\nThe bakery in Mill Lane is run by Rosa Lindqvist. It bakes rye bread on Fridays.\n"


def test_a_refusal_says_how_many_files_could_not_be_read(opened: Opened, tmp_path: Path) -> None:
    asked = opened({"bakery.md": BAKERY, "broken.pdf": b"%PDF-1.4 broken"})
    refused = asked("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 1
    assert refused.text.endswith("1 file could not be read, see clew doctor.")
    auf_deutsch = asked("Wie viele Einwohner hat Innsbruck und wer ist der Bürgermeister?")
    assert auf_deutsch.refused and "1 Datei konnte nicht gelesen werden" in auf_deutsch.text
    answered = asked("Who runs the bakery in Mill Lane?")
    assert (answered.outcome, answered.files_left_out) == ("answered", 0) and "could not" not in answered.text
    _, check = doctor.library(tmp_path / "library")
    assert check.state == "warning" and check.message.endswith(
        "1 file could not be read: " + str(tmp_path / "notes" / "broken.pdf")
    )


def test_nothing_is_said_of_files_where_all_could_be_read(opened: Opened) -> None:
    refused = opened({"bakery.md": BAKERY})("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 0 and "clew doctor" not in refused.text


def test_a_file_that_fails_later_is_counted_too(opened: Opened) -> None:
    opened({"bakery.md": BAKERY})
    refused = opened({"broken.pdf": b"%PDF-1.4 broken"})("What is the population of Innsbruck?")
    assert refused.files_left_out == 1


CLUB = {
    "club.md": "# Rowing club\n\nThe rowing club was founded on 3 May 1931 by six printers.\n\n"
    "The first chairman was Otto Lind. He served for nine years.\n",
    "fire.md": "# The old boathouse\n\nThe old boathouse burned down on 9 June 1954. Nobody was hurt.\n\n"
    "It had stood on oak piles.\n",
    "people.md": "# People\n\nClara Voss was born on 3 July 1931 in Malmö.\n\nClara Voss moved to Lund in May 1950.\n\n"
    "Ida Berg taught her to row.\n",
    "prices.md": "# Prices\n\nThe oak table costs 480 euros.\n\nThe pine table costs 310 euros.\n\n"
    "The steel chair costs 95 dollars.\n\nA ticket for the regatta is 12 euros per person.\n\n"
    "The membership fee is 15 euros a month.\n\nThe parking fee is 9 euros a month.\n\n"
    "A night in the hut is 21 euros.\n",
    "ida.md": "# Ida Moll\n\nIda Moll was born on 4 May 1870 in Ull. She built the hut in 1902. She died on 9 June "
    "1941.\n\nThe lease of the hut began on 1 March 1903. It ended on 28 February 1908.\n",
}


def test_what_follows_from_two_dates_is_worked_out_and_shown_so(opened: Opened) -> None:
    asked = opened(dict(CLUB))
    said = asked("How long was it between the founding of the rowing club and the fire of the old boathouse?")
    quoted = [claim.text for claim in said.claims if claim.quotes]
    assert any("3 May 1931" in text for text in quoted) and any("9 June 1954" in text for text in quoted)
    worked = said.claims[-1]
    assert (worked.quotes, worked.cites) == ((), ()) and worked.text.startswith("Worked out:")
    assert "23 years and 1 month (8,438 days)" in worked.text
    assert {source.document for source in said.sources} == {"club.md", "fire.md"}
    aged = asked("How old was Clara Voss when she moved to Lund?")
    assert aged.claims[-1].text == "Worked out: born 3 July 1931, so 18 years old in May 1950."
    lease = asked("How many days were there between the beginning and the end of the lease of the hut?")
    assert lease.claims[-1].text == "Worked out: from 1 March 1903 to 28 February 1908 it is 1,825 days."
    died = asked("How old was Ida Moll when she died?")
    assert died.claims[-1].text == "Worked out: born 4 May 1870, so 71 years old on 9 June 1941."


def test_what_follows_from_amounts_is_worked_out_where_the_units_agree(opened: Opened) -> None:
    asked = opened(dict(CLUB))
    said = asked("How much more expensive is the oak table than the pine table?")
    assert said.claims[-1].text == "Worked out: 480 euros \u2212 310 euros = 170 euros."
    assert "Worked out" not in asked("How much more expensive is the oak table than the steel chair?").text
    tickets = asked("How much is a ticket for the regatta for three people?")
    assert tickets.claims[-1].text == "Worked out: 3 \u00d7 12 euros = 36 euros."
    fee = asked("How much is the membership fee for two years?")
    assert fee.claims[-1].text == "Worked out: 24 \u00d7 15 euros = 360 euros."
    year = asked("How much is the membership fee per year?")
    assert year.claims[-1].text == "Worked out: 12 \u00d7 15 euros = 180 euros."
    assert "Worked out" not in asked("How much is the membership fee per month?").text
    nights = asked("How much do three nights in the hut cost?")
    assert nights.claims[-1].text == "Worked out: 3 \u00d7 21 euros = 63 euros."
    more = asked("How much more is the fee of the membership than that of the parking?")
    assert more.claims[-1].text == "Worked out: 15 euros \u2212 9 euros = 6 euros."
    assert "Worked out" not in asked("How old was Ida Berg when she moved to Lund?").text


def test_which_of_two_is_worked_out_from_what_is_said_of_each(opened: Opened) -> None:
    later = "The chess club was founded on 9 June 1954, as a branch of the rowing club.\n"
    more = {"chess.md": f"# Chess club\n\n{later}", "berg.md": "# Ida\n\nIda Berg was born in March 1940.\n"}
    asked = opened({**CLUB, **more})
    first = asked("Which was founded first, the chess club or the rowing club?")
    assert [claim.text for claim in first.claims if claim.quotes] == [
        later.strip(),
        "The rowing club was founded on 3 May 1931 by six printers.",
    ]
    assert first.claims[-1].text == "Worked out: the rowing club, 3 May 1931, before the chess club, 9 June 1954."
    assert (first.form, first.says) == ("comparison", None) and "The rowing club: The rowing" in first.text
    older = asked("Who is older, Clara Voss or Ida Berg?")
    assert older.claims[-1].text == "Worked out: Clara Voss, 3 July 1931, before Ida Berg, March 1940."
    cheaper = asked("Is the oak table cheaper than the pine table?")
    assert cheaper.says == "no" and cheaper.text.startswith("No.")
    assert cheaper.claims[-1].text == "Worked out: the pine table, 310 euros, against the oak table, 480 euros."
    assert "Worked out" not in asked("Which is cheaper, the oak table or the steel chair?").text
    assert "Worked out" not in asked("Which was founded first, the rowing club or the sailing club?").text


def test_yes_and_no_begin_the_answer_where_the_documents_say_so(opened: Opened) -> None:
    asked = opened({"rules.md": RULES})
    no = asked("Are dogs allowed in the reading room?")
    assert (no.form, no.says) == ("yes-no", "no") and no.text.startswith("No. Dogs are not allowed")
    assert no.claims[0].quotes == () and no.claims[1].quotes
    yes = asked("Can I borrow a laptop?")
    assert yes.says == "yes" and yes.text.startswith("Yes. You can borrow a laptop")
    sunday = asked("Is the reading room open on Sundays?")
    assert sunday.says == "no" and "Monday to Friday" in sunday.text
    told = asked("Does the reading room have a lamp on each table?")
    assert told.says is None and told.text.startswith("The documents say: ")
    missing = asked("Is there a swimming pool in Innsbruck?")
    assert missing.refused and missing.says == "not-said" and missing.text.startswith("Not said. ")
    deutsch = asked("Darf ich in der Bibliothek einen Laptop ausleihen?")
    assert deutsch.form == "yes-no"


RULES = """# Rules of the library

Dogs are not allowed in the reading room.

The reading room is open Monday to Friday.

You can borrow a laptop for a day.

Lamps stand on some tables of the reading room.
"""


def test_a_library_of_triples_is_asked_by_its_triples(opened: Opened) -> None:
    asked = opened({"triples.json": '[["mira solberg", "painted", "mural"], ["mural", "titled", "harbour"]]'})
    said = asked("Who painted the mural Harbour?")
    assert [claim.text for claim in said.claims] == [
        "Mira Solberg.",
        "mira solberg painted mural.",
        "mural titled harbour.",
    ]
    assert all(claim.verdict == "supported" for claim in said.claims)
    assert asked("What is the capital of France?").refused
    assert asked("Who sold the mural Harbour?").refused and asked("Who painted the mural Vineyard?").refused


def test_a_text_that_came_with_triples_is_no_library_of_triples(tmp_path: Path, encoder: CachedEncoder) -> None:
    """Here they say the text twice over."""
    row = {"_id": "a", "title": "Mira", "text": "Mira Solberg painted the mural.", "triples": [
        ["Mira Solberg", "painted", "the mural"], ["the mural", "was painted by", "Mira Solberg"]]}  # fmt: skip
    for name, text in {"corpus": json.dumps(row), "queries": json.dumps({"_id": "q", "text": "Who?"})}.items():
        (tmp_path / f"{name}.jsonl").write_text(f"{text}\n", "utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n", "utf-8")
    list(index([tmp_path], tmp_path / "library", encoder))
    with open_library(tmp_path / "library", encoder) as library:
        assert library.store.triples() and not library.store.of_triples


PAPER = """ON BELLS AND THEIR TOWERS

I hold that a bell is the voice of a town, and that no town should be without one. The tower of a bell
must stand apart from the church, as fire goes from the one to the

2 DR. HEDWIG ARNTZ : COLLECTED PAPERS
other. Professor Maier was wrong when he called the bell a toy.

In my view the bell of a school is rung too often.

4 DR. HEDWIG ARNTZ : COLLECTED PAPERS
A bell that is rung too often is not heard. Maier was born in Ulm in 1861.
"""


def test_an_author_whom_only_running_heads_name_is_told_nothing_of_but_heard(opened: Opened) -> None:
    asked = opened({"bells.txt": PAPER})
    for question in ("Who was Dr. H. Arntz?", "When was Hedwig Arntz born?", "What did Arntz write about opera?"):
        refused = asked(question)
        assert refused.refused and "Arntz" in refused.text and "Maier" not in refused.text, refused.text
        assert "Only the heads of their pages carry the name" in refused.text
    heard = asked("What did Arntz think of the bell of a school?")
    assert heard.outcome == "answered" and "In my view the bell of a school is rung too often." in heard.plain
    assert "1861" in asked("When was Maier born?").text


def test_a_sentence_goes_on_behind_a_running_head(opened: Opened) -> None:
    said = opened({"bells.txt": PAPER})("Why must the tower of a bell stand apart from the church?")
    claim = next(claim for claim in said.claims if "stand apart" in claim.text)
    assert claim.text.endswith("as fire goes from the one to the other.") and len(claim.quotes) == 2
    assert "ARNTZ" not in claim.text


OFFERS = {
    "lindqvist.md": "# Offer of Lindqvist Roofing\n\nWe offer to renew the roof of the barn for 18,400 euros.\n\n"
    "The work takes three weeks. Scaffolding is included.\n\nWe give a warranty of ten years on the tiles.\n",
    "moran.md": "# Offer of Moran and Sons\n\nWe offer to renew the roof of the barn for 16,900 euros.\n\n"
    "The work takes five weeks. Scaffolding costs 1,200 euros more.\n\nWe give a warranty of five years on tiles.\n",
    "handbook.md": "# Staff handbook\n\nStaff have 25 days of holiday a year.\n\nThe kitchen closes at 21:00.\n",
    "welcome.md": "# Welcome letter\n\nStaff have 28 days of holiday a year.\n\nYour mentor meets you at noon.\n",
}


def test_what_documents_say_otherwise_is_told_of_each_with_its_name(opened: Opened) -> None:
    asked = opened(dict(OFFERS))
    said = asked("How many days of holiday do staff have?")
    assert said.form == "several-documents" and len(said.sources) == 2
    assert "\u201cStaff handbook\u201d: Staff have 25 days" in said.text
    assert "\u201cWelcome letter\u201d: Staff have 28 days" in said.text
    assert all(claim.quotes == () for claim in said.claims if claim.text.endswith("\u201d:"))
    neither = asked("Do staff have 25 days of holiday?")
    assert neither.says is None and "28 days" in neither.text
    assert len(asked("When does the kitchen close?").sources) == 1


@pytest.mark.parametrize(
    ("question", "names", "last"),
    [
        (
            "Which vendor is cheaper?",
            ["Moran and Sons", "Lindqvist Roofing"],
            "Cheaper: \u201cOffer of Moran and Sons\u201d.",
        ),
        ("Which offer is the most expensive?", ["Lindqvist Roofing", "Moran and Sons"], "The most expensive: "),
        ("Which contractor is faster?", ["Lindqvist Roofing", "Moran and Sons"], "Faster: "),
    ],
)
def test_which_document_has_the_least_or_the_most_is_worked_out(
    opened: Opened, question: str, names: list[str], last: str
) -> None:
    answer = opened(dict(OFFERS))(question)
    labels = [claim.text for claim in answer.claims if claim.text.endswith("\u201d:")]
    assert labels == [f"\u201cOffer of {name}\u201d:" for name in names]
    assert answer.form == "several-documents" and len(answer.sources) == 2
    assert answer.claims[-1].text.startswith(last) and f"Offer of {names[0]}" in answer.claims[-1].text


def test_which_of_several_is_named_by_its_document(opened: Opened) -> None:
    asked = opened(dict(OFFERS))
    assert asked("Which vendor includes the scaffolding?").text.startswith(
        "\u201cOffer of Lindqvist Roofing\u201d: Scaffolding is included."
    )
    both = asked("Compare the offers of Lindqvist and Moran")
    assert both.form == "comparison"
    assert "\u201cOffer of Lindqvist Roofing\u201d: We offer" in both.text
    assert "\u201cOffer of Moran and Sons\u201d: We offer" in both.text
    cheaper = asked("How much cheaper is the offer of Moran than the offer of Lindqvist?")
    assert cheaper.claims[-1].text == "Worked out: 18,400 euros \u2212 16,900 euros = 1,500 euros."


FEES = {
    "fees.md": "# Fernmoor Library\n\n## Fees\n\nWe charge for the following:\n\n- late return: 20 cents a day\n"
    "- lost book: its price\n- printing: 10 cents a page\n",
}


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Which fees are there, except for printing?", ("printing",)),
        ("What are the fees apart from printing and late return?", ("printing", "late return")),
        ("What fees are there besides printing?", ("printing",)),
        ("Which fees are there, except for children?", ()),
    ],
)
def test_what_is_excepted_is_left_out_of_a_list(opened: Opened, question: str, left_out: tuple[str, ...]) -> None:
    items = [claim.text for claim in opened(dict(FEES))(question).claims if claim.text.startswith("- ")]
    assert [text.split(":")[0][2:] for text in items] == [
        one for one in ("late return", "lost book", "printing") if one not in left_out
    ]


PLANTS = {
    "peat.md": "# Peat\n\nThe following plants grow in the bogs:\n\n- sundew\n- cotton grass\n\nTrees never grow "
    "on the dam.\n",
    "lease-flat.md": "# Lease of the flat\n\nThe rent is 840 euros.\n",
    "lease-shed.md": "# Lease of the shed\n\nThe rent is 95 euros.\n",
}


def test_what_is_not_so_is_not_told_by_what_is(opened: Opened) -> None:
    asked = opened(dict(PLANTS))
    assert "sundew" in asked("Which plants grow in the bogs?").text
    assert asked("Which plants do not grow in the bogs?").outcome == "nothing-found"
    assert asked("What does not grow on the dam?").text.startswith("Trees never grow")


def test_documents_of_a_kind_are_counted_by_their_names(opened: Opened) -> None:
    counted = opened(dict(PLANTS))("How many leases are there?")
    assert counted.text.startswith("2 of 3 documents") and len(counted.sources) == 2


LAMPS = {
    "lamps.md": "# Lamps of Orrery\n\n## Filters\n\nThe filter setting is the old one with few options. The "
    "filtering option is newer and may replace it. Both are in the menu of tools.\n\n## Runtime of the lamps\n\n"
    "We let every lamp of the house burn for a year without a pause. The old lamps of glass stopped after some two "
    "thousand hours. The new lamps burned on for the whole of the year, and none of them had to be changed.\n\n"
    "## Colours\n\nLamps are white, or they are yellow.\n",
    "moss.md": "# Moss\n\nMoss grows on the north side of walls.\n",
}


def test_of_two_things_that_are_told_one_after_the_other_both_are_told(opened: Opened) -> None:
    text = opened(dict(LAMPS))("What is the difference between the two filter options?").text
    assert "the old one" in text
    assert "newer" in text


def test_a_section_is_summarised_by_its_heading(opened: Opened) -> None:
    answer = opened(dict(LAMPS))("Summarise the section on the runtime of the lamps")
    assert answer.outcome == "summary"
    assert answer.claims[0].text == "\u201cRuntime of the lamps: Lamps of Orrery\u201d, in short:"
    assert "two thousand hours" in answer.text
    assert answer.text.count("Runtime of the lamps") == 1
    assert "yellow" not in answer.text
    assert "filter" not in answer.text


def test_a_month_is_of_the_year_that_the_documents_tell_of(opened: Opened) -> None:
    log = {
        "log.md": "# Solar log 2019\n\n| month | made |\n|---|---|\n| June | 530 |\n| July | 541 |\n| August | 490 |\n"
    }
    answer = opened(dict(log))("How much did the panels make in July?")
    assert "541" in answer.text
    assert "20" not in " ".join(answer.missing)


def test_an_overview_of_folders_tells_the_first_sentence_of_each(opened: Opened) -> None:
    notes: dict[str, str | bytes] = {
        "club/minutes.md": "# Minutes of May\n\nThe club buys two boats this year.\n",
        "club/rules.md": "# Rules of the club\n\nMembers pay in January.\n",
        "home/boiler.md": "# Boiler\n\nThe boiler is from 2019 and stands in the cellar.\n",
        "home/roof.md": "# Roof\n\nThe roof leaks near the chimney.\n",
    }
    text = opened(notes)("What are these documents about?").text
    assert text.startswith("There are 4 documents here, in 2 folders:") and text.count("\n") == 2
    assert all(
        sum(said in line for said in ("boats", "January", "cellar", "leaks")) == 1 for line in text.split("\n")[1:]
    )


FAQ = (
    "Tarn FAQ\n========\n\nQ:  Does Tarn read the .7z format?\n\nA:  No. Use another program to handle .7z files.\n\n"
    "Q:  What do the letters TRN mean?\n\nA:  Nothing. They are just three letters.\n\n"
    "39. What is the difference between the gale and the breeze encodings?\n\n"
    "    The gale encoding is the old format of 1998, and the breeze encoding is the one\n"
    "    that the standard should probably have called plain instead, to avoid the confusion\n"
    "    with raw breeze data. While the standard RFC_1950 says so, there have been reports\n"
    "    of servers and programs that produce raw data, and expect it from all the others.\n"
    "    So even though the breeze encoding would be the more efficient one of the two, the\n"
    "    use of gale is probably more reliable, due to an unfortunate choice of the name by\n"
    "    the authors of the standard, who are not to be blamed for what programs make of it.\n"
)


def test_questions_and_answers_of_a_list_are_told_without_their_labels(opened: Opened) -> None:
    asked = opened({"faq.txt": FAQ})
    no = asked("Does Tarn read the .7z format?")
    assert (no.says, no.text) == ("no", "No. Use another program to handle .7z files. [1]")
    assert asked("What do the letters TRN mean?").text.startswith("Nothing. They are just three letters.")
    assert "old format of 1998" in asked("What is the difference between gale and breeze?").text
