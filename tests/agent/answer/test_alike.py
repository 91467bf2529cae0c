"""Texts that look like what a rule is for, and say something else: what an answer must not make of them."""

import pytest

from tests.agent.conftest import Opened

HOUSE = (
    "# The house\n\nThe pool costs 10 euros a day; the fee for a week is 45 euros.\n\nThe cabin costs 60 euros a day. "
    "For a week it is 350 euros.\n\nThe gym costs 40 euros a month or 400 euros a year.\n\nThe sauna costs 30 euros a "
    "month, and the first two months of every year are free.\n\nThe pay of the porter is 20 euros an hour. The porter "
    "works 38 hours a week.\n\nThe garage costs 90 euros a month.\n\nA night is quiet here, and breakfast is 9 euros.\n"
)


@pytest.mark.parametrize(
    ("question", "says", "worked_out"),
    [
        ("How much does the pool cost for a week?", "45 euros", ""),
        ("How much does the cabin cost for a week?", "60 euros", ""),
        ("How much does the gym cost per year?", "400 euros", ""),
        ("How much does the sauna cost per year?", "30 euros", ""),
        ("What is the pay of the porter per week?", "20 euros", ""),
        ("How much do three nights cost?", "", ""),
        ("How much does the garage cost per year?", "90 euros", "12 \u00d7 90 euros = 1,080 euros"),
    ],
)
def test_nothing_is_multiplied_that_counts_otherwise(opened: Opened, question: str, says: str, worked_out: str) -> None:
    answer = opened({"house.md": HOUSE})(question)
    assert says in answer.text and worked_out in answer.text and ("Worked out" in answer.text) == bool(worked_out)


PEOPLE: dict[str, str | bytes] = {
    "team.md": "# The team\n\nAnna Lie joined in 2015. Her manager is Kim Holm. She works on Mondays and Tuesdays.\n",
    "ann.md": "# Ann Lee\n\nAnn Lee was born in 1870 in York. She died in 1941 in Leeds. In Leeds she ran a school.\n",
    "course.md": "# Course\n\nThe trial began on 2 January 2021 and ended on 9 January 2021.\n",
}


def test_she_is_not_the_one_who_is_introduced_as_her_manager(opened: Opened) -> None:
    answer = opened(PEOPLE)("When does Anna Lie work?")
    assert "Anna Lie joined in 2015." in answer.text and "on Mondays and Tuesdays" in answer.text


def test_a_date_of_something_else_is_not_reckoned_with(opened: Opened) -> None:
    asked = opened(PEOPLE)
    for question in (
        "How old was Ann Lee when she moved to Leeds?",
        "How long is it from the start to the end of the course?",
    ):
        assert "Worked out" not in asked(question).text
    assert "70 or 71 years old" in asked("How old was Ann Lee when she died?").text


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        ("Invoice 12 is overdue. Invoice 13 was paid on 2 May.", "Which invoices have not been paid?", "overdue"),
        ("Present: Ann Berg, Tom Reed. Apologies: Ben Roth.", "Who was not at the meeting?", "Ben Roth"),
        ("Anna hates mushrooms. Ben dislikes olives.", "What doesn't Anna like?", "mushrooms"),
    ],
)
def test_what_is_not_so_may_be_told_in_other_words(opened: Opened, text: str, question: str, told: str) -> None:
    assert told in opened({"note.md": f"# Meeting on invoices\n\n{text}\n"})(question).text


def test_a_line_named_as_an_error_or_an_answer_is_text(opened: Opened) -> None:
    asked = opened(
        {
            "printer.md": "# Printer\n\nInkError: replace the black cartridge, which costs 20 euros.\n",
            "bus.md": "# Buses\n\nA: Harbour to Station, every ten minutes.\n\nB: Station to Airport, every hour.\n",
            "fees.md": "# Fees of the museum\n\n$ 50 is the fee for adults and has to be paid\nbefore May.\n",
        }
    )
    assert "replace the black cartridge" in asked("What should I do about an InkError?").text
    assert "A: Harbour" in asked("Which bus goes from the harbour to the station?").text
    assert "$ 50" in asked("What is the fee of the museum for adults?").text


@pytest.mark.parametrize(
    "lines",
    [
        "docker run -d \\\n    --name box -p 80:80 -v data:/data \\\n    --restart always --cpus 2 image",
        "for name in os.listdir(folder):\n"
        "    if name.endswith('.txt') and not name.startswith('.') and len(name) > 3:\n"
        "        shutil.copy(os.path.join(folder, name), os.path.join(target, name))",
    ],
)
def test_the_lines_of_a_command_stay_lines(opened: Opened, lines: str) -> None:
    text = f"The box\n\nTo start the box, run this:\n\n{lines}\n\nThen open the page in a browser.\n"
    assert lines in opened({"box.txt": text})("How do I start the box?").text


def test_what_is_counted_in_a_text_is_told_from_it(opened: Opened) -> None:
    asked = opened(
        {
            "tickets.md": "# Opera tickets\n\nWe have 4 tickets for the opera.\n",
            "lease-flat.md": "# Lease of the flat\n\nThe rent is 840 euros.\n",
            "notes.md": "# Notes\n\nWe have two leases.\n",
        }
    )
    assert "4 tickets" in asked("How many tickets do we have?").text
    assert "two leases" in asked("How many leases do we have?").text
    assert asked("How many leases are there?").text.startswith("1 of 3 documents")
