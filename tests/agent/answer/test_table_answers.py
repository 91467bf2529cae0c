"""Questions of whole tables: answered from all rows, or not at all."""

from collections.abc import Iterator

import pytest

from clew.agent.answer.table_answers import table_answer
from clew.agent.answer.verification import verified
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.tables import Tables

BAKERS = ["Ada Holt", "Ben Holt", "Cleo Marsh", "Dan Marsh", "Eva Pike", "Finn Pike"]
SHOPS = ["Old Town", "Harbour", "Old Town"]
WAGES = [2900, 2450, 3120, 2710, 2680, 2990]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Tables]:
    folder = tmp_path_factory.mktemp("tables")
    rows = [f"{name},{SHOPS[n % 3]},{WAGES[n]},{2012 + n}-03-0{n + 1}" for n, name in enumerate(BAKERS)]
    many = [f"Guest {n} Vale,{SHOPS[n % 3]},{n}" for n in range(30)]
    files = {
        "bakers.csv": ["Name,Shop,Wage,Start", *rows],
        "flour north.csv": ["Flour,Shelf,Sacks", "Rye,A1,40", "Spelt,A2,15", "Wheat,A3,120"],
        "flour south.csv": ["Flour,Shelf,Sacks", "Rye,B1,9", "Oat,B2,33", "Wheat,B3,75"],
        "kilns.csv": [
            'Kiln,"Stoneware, Cone","Stoneware, Hold (min)","Earthenware, Cone","Earthenware, Hold (min)"',
            *("Big Nell,6,20,04,12", "Little Nell,5,35,03,8", "Old Bram,7,15,none,none"),
        ],
        "orders.csv": [
            "Order,Customer,Amount,Paid",
            *("1001,Vane,330.10,no", "1002,Pell,425.20,yes", "1003,Vane,112.00,yes", "1004,Vane,50.00,yes"),
        ],
        "guests.csv": ["Guest,Shop,Visits", *many],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines), "utf-8")
    *_, _ = index([folder], folder / "library", encoder)
    with open_library(folder / "library", encoder) as library:
        yield library.store.tables


ANSWERED = [
    ("How many bakers work in Harbour?", "2 of 6", ""),
    ("How many rows does bakers.csv have?", "6 of 6", ""),
    ("What is the wage of Dan Marsh?", "Wage: 2710", "Cleo"),
    ("Which baker has the highest wage?", "3120", "Ada"),
    ("Who has the lowest wage?", "2450", "Ada"),
    ("What is the average wage of the bakers?", "= 2808.33", ""),
    ("What is the total of all sacks in flour north?", "40 + 15 + 120 = 175", "75 |"),
    ("How many sacks of rye are in flour south?", "9", "40"),
    ("How many sacks of spelt are in flour south?", "0 of 3", ""),
    ("How many bakers do not work in Harbour?", "4 of 6", ""),
    ("Which bakers have a wage over 2950?", "Cleo Marsh", "Ada"),
    ("Which baker has the latest start?", "Finn Pike", "Ada"),
    ("Does Ada Holt have a higher wage than Ben Holt?", "2900 - 2450 = 450", "Cleo"),
    ("How many bakers are there per shop?", "Old Town: 4", ""),
    ("How much did Vane order in total?", "330.10 + 112.00 + 50.00 = 492.10", ""),
    ("Show all paid orders", "3 of 4", "1001"),
    ("Which orders are not paid?", "1001 |", "1002"),
    ("List all guests with shop Harbour.", "10 of 30", "Guest 2 Vale"),
    ("List all guests with shop Old Town.", "first 10 of 20 rows", ""),
]


@pytest.mark.parametrize(("question", "holds", "lacks"), ANSWERED, ids=[question for question, *_ in ANSWERED])
def test_what_tables_answer(question: str, holds: str, lacks: str, tables: Tables, encoder: CachedEncoder) -> None:
    made = table_answer(question, tables, encoder)
    assert made and holds in made.answer.text
    assert not lacks or lacks not in made.answer.text
    assert {claim.verdict for claim in verified(made.answer).claims if claim.cites} == {"supported"}


def test_what_leans_on_a_table_is_asked_of_the_rows_that_were_shown(tables: Tables, encoder: CachedEncoder) -> None:
    harbour, highest = "Which bakers work in Harbour?", "Who of them has the highest wage?"
    shown = table_answer(harbour, tables, encoder)
    made = table_answer(highest, tables, encoder, before=[(harbour, harbour)])
    assert shown and "2 of 6" in shown.answer.text and made and "Wage: 2680" in made.answer.text
    mean = table_answer("What is their average wage?", tables, encoder, before=[(harbour, harbour), (highest, "")])
    assert mean and "(2450 + 2680) / 2 = 2565" in mean.answer.text
    assert table_answer("Why is it so?", tables, encoder, before=[(harbour, harbour)]) is None


LEFT = [
    "Why did Dan Marsh leave the bakery?",
    "How many bakers have a driving licence?",
    "What is the telephone number of Eva Pike?",
    "How do I make rye bread?",
    "What is the highest mountain of Norway?",
    "Who painted the shop in Old Town?",
    "How long does Little Nell hold for earthenware?",
]


@pytest.mark.parametrize("question", LEFT)
def test_where_it_is_unsure_nothing_is_computed(question: str, tables: Tables, encoder: CachedEncoder) -> None:
    assert table_answer(question, tables, encoder) is None


def test_other_documents_than_those_in_scope_answer_nothing(tables: Tables, encoder: CachedEncoder) -> None:
    question = "Which baker has the highest wage?"
    assert table_answer(question, tables, encoder, frozenset({"bakers.csv"}))
    assert table_answer(question, tables, encoder, frozenset({"guests.csv"})) is None
