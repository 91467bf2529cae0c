"""Names that are nearly alike are told apart, whether a heading, a title, a paragraph or a folder has them."""

from collections.abc import Callable

import pytest

from clew.agent.state import Answer

PHONES = (
    "Phones of the Larch series\n\nLarch 5 has a battery of 4,000 mAh. It weighs 180 grams.\n\n"
    "Larch 5 Pro has a battery of 5,100 mAh. It weighs 221 grams.\n\n"
    "Larch 5 Mini has a battery of 3,100 mAh. It weighs 141 grams.\n"
)
STAFF = (
    "# Staff\n\n## Anna Berg\n\nShe joined in 2011 and leads the laboratory.\n\n"
    "## Otto Berg\n\nHe joined in 2019 and looks after the boats.\n"
)
HUTS = "# Huts of the club\n\n" + "".join(
    f"## Hut at the {lake} lake\n\n### Stove\n\nThe stove is swept every {weeks} weeks. Ask {keeper}.\n\n"
    f"### Boat\n\nThe boat is painted every {years} years. Ask {other}.\n\n"
    for lake, weeks, years, keeper, other in [("upper", 5, 2, "Nils", "Berit"), ("lower", 8, 3, "Ragna", "Tor")]
)
FILES: dict[str, str | bytes] = {
    "phones.txt": PHONES,
    "huts.md": HUTS,
    "staff.md": STAFF,
    "Kestrel.md": "# Kestrel\n\nKestrel is a tent for two. The price is 340 euros.\n",
    "Kestrel-Plus.md": "# Kestrel-Plus\n\nKestrel-Plus is a tent for four. The price is 610 euros.\n",
    "club/2021/minutes.txt": "Minutes of the club\n\nThe treasurer was Ada Holm. The fee was set at 20 euros.\n",
    "club/2022/minutes.txt": "Minutes of the club\n\nThe treasurer was Ole Vik. The fee was set at 25 euros.\n",
    "club/2023/minutes.txt": "Minutes of the club\n\nThe treasurer was Siri Dal. The fee was set at 32 euros.\n",
}


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("How heavy is the Larch 5?", "180 grams", "221"),
        ("How heavy is the Larch 5 Mini?", "141 grams", "180"),
        ("When did Anna Berg join?", "2011", "2019"),
        ("What is the price of the Kestrel?", "340 euros", "610"),
        ("What is the price of the Kestrel-Plus?", "610 euros", "340"),
        ("How often is the stove of the hut at the lower lake swept?", "8 weeks", "years"),
        ("How often is the boat of the hut at the upper lake painted?", "2 years", "weeks"),
        ("Who was the treasurer in the minutes of 2022?", "Ole Vik", "Siri"),
        ("In the folder 2021, what was the fee?", "20 euros", "32"),
    ],
)
def test_of_names_that_are_alike_the_one_that_is_asked_about_answers(
    question: str, said: str, unsaid: str, opened: Callable[[dict[str, str | bytes]], Callable[[str], Answer]]
) -> None:
    answer = opened(FILES)(question)
    assert said in answer.text and unsaid not in answer.text


LISTS: dict[str, str | bytes] = {
    "prices.md": "# Renovation\n\n- Kitchen\n  - Lamp: 80 euros\n  - Floor: 1,200 euros\n    - Labour: 300 euros\n"
    "- Office\n  - Lamp: 45 euros\n  - Floor: 700 euros\n    - Labour: 210 euros\n- Hall\n  - Lamp: 30 euros\n",
    "hours.html": "<h1>Hours</h1><ul><li>Library<ul><li>Monday: 9 to 17</li><li>Saturday: 10 to 13</li></ul></li>"
    "<li>Pool<ul><li>Monday: 7 to 20</li><li>Saturday: 8 to 18</li></ul></li></ul>",
}


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("How much is the lamp in the office?", "- Office [1]\n- Lamp: 45 euros", "80"),
        (
            "What does the labour for the floor of the office cost?",
            "- Floor: 700 euros [1]\n- Labour: 210",
            "300",
        ),
        ("When is the pool open on Saturday?", "- Saturday: 8 to 18", "10 to 13"),
    ],
)
def test_an_item_is_of_the_items_that_it_stands_in_and_is_quoted_with_them(
    question: str, said: str, unsaid: str, opened: Callable[[dict[str, str | bytes]], Callable[[str], Answer]]
) -> None:
    text = opened(LISTS)(question).text
    assert said in text and unsaid not in text


HOUSE: dict[str, str | bytes] = {
    "rules.md": "# House rules\n\n## What the guest brings\n\nThe guest brings\n\n- sheets and towels;\n- slippers.\n\n"
    "## What the host brings\n\nThe host brings wood for the stove of the guest, and soap.\n",
    "nut.eml": "From: Ida Moser <ida@example.org>\nTo: Rut <rut@example.org>\nSubject: Saturday\n"
    "Date: Thu, 12 Jun 2025 19:42:11 +0100\n\nWe come at six. Max gets a rash from nuts.\n",
    "notes.txt": "Supper on Saturday. Do not forget what Ida wrote about nuts!\n",
}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Tell me what the guest brings.", "sheets and towels"),
        ("What did Ida write about nuts?", "Max gets a rash from nuts."),
    ],
)
def test_what_a_heading_asks_is_answered_below_it_and_what_somebody_wrote_in_what_is_by_her(
    question: str, said: str, opened: Callable[[dict[str, str | bytes]], Callable[[str], Answer]]
) -> None:
    assert said in opened(HOUSE)(question).text
