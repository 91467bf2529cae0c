"""Answers of whole turns over a few lines as people write them: labels, lists, tables, steps."""

import pytest

from tests.agent.conftest import Opened

STAFF = "# Staff list\n\n## Marta Quill\n\nRole: treasurer\n\nOffice: room 4\n\n## Ole Brandt\n\nRole: secretary\n"
ROUTERS = (
    "# Routers\n\n| Model | Ports | Price |\n|---|---|---|\n| R10 | 4 | 59 EUR |\n| R20 | 8 | 89 EUR |\n\n"
    "They are in the cellar."
)
PORTER = (
    "# The hall\n\nPorter: Ilse Brand, room 4, phone 0345 2210. Office hours are Monday and Friday from 7:30 to 9. "
    "She does not lend her ladder.\n\nThe hall seats 80.\n"
)
HIRE = "# Hire\n\nThe hirer must be 21 and bring a licence.\n\nThe deposit is 200 euros.\n"
PARTY = (
    "# Harvest party\n\nThe party takes place on 28 September. Ines brings the benches.\n\n"
    "- Friday: set up the tents\n- Saturday: cook and play music\n- Sunday: clean up\n"
)
LOAF = "# Rye loaf\n\nThe rye loaf weighs 750 g.\n\nIt contains no milk.\n\n## Allergens\n\nGluten: yes\n\nNuts: no\n"
WIFI = (
    "# Router notes\n\n## Known faults\n\n* Wifi drops after an update.\n  * Cause: the channel changes.\n"
    "  * Cure: set channel 6 by hand.\n* The fan is loud.\n"
)
PROJECTOR = (
    "Setting up the projector\n\nFirst, plug in the cable. Next, switch on the lamp. Finally, focus the lens.\n\n"
    "Do not move the projector while the lamp is hot.\n"
)
DIARY = "# Garden diary\n\n## 4 April 2023\n\nSowed the peas. Rain all day.\n\n## 2 July 2023\n\nFirst peas picked.\n"
LIFE = "Ottilie Brandau\n\nOttilie Brandau was born on 12 March 1840 in Passau. Brandau died on 5 May 1901.\n"
LEFT = (
    "# House rules\n\nE-scooters stay in the bicycle cellar. Prams stay in the hall.\n\n"
    "The two-year guarantee on the lift ends in May.\n"
)
SHOP = "# Prices\n\nThe lamp costs 40 euros.\n\nThe chair costs 1,060 euros.\n"
CODES = (
    "# Manual\n\n## Exit codes\n\n| Code | Meaning |\n|---|---|\n| 0 | success |\n| 1 | wrong usage |\n\n## Words\n\n"
    "| Word | Meaning |\n|---|---|\n| pinned seam | A seam that is never removed. |\n| seam | One copy of a folder. |"
    "\n\nCron sends a mail when a run fails.\n"
)
SHOP_HOURS = (
    "# Corner Bakery\n\nOpening hours\n- Mon-Fri 6:30-18:00\n- Sat 7-13\n- Sun closed\n\nThe oven is from 2019.\n"
)
MILLS = (
    "On tidal mills\n\nThe mill at Eling was rebuilt in 1785 [1].\n\nReferences\n\n"
    "[1] Mears, T. (1790). A history of Eling. Southampton.\n"
)


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (STAFF, "Who is the secretary?", "Ole Brandt: Role: secretary"),
        (ROUTERS, "What does the R10 cost?", "Model | Ports | Price R10 | 4 | 59 EUR"),
        (ROUTERS, "Which models are there?", "Model | Ports | Price R10 | 4 | 59 EUR R20 | 8 | 89 EUR"),
        (LOAF, "Does the rye loaf contain nuts?", "Nuts: no"),
        (PORTER, "What is Ilse Brand's phone number?", "Porter: Ilse Brand, room 4, phone 0345 2210."),
        (PORTER, "When can I reach Ilse Brand?", "Office hours are Monday and Friday from 7:30 to 9."),
        (CODES, "List the exit codes.", "Code | Meaning 0 | success 1 | wrong usage"),
        (CODES, "What do they mean by a seam?", "seam | One copy of a folder."),
        (SHOP_HOURS, "When does it close on Saturday?", "- Sat 7-13"),
        (SHOP_HOURS, "What time do you open on weekdays?", "- Mon-Fri 6:30-18:00"),
        (SHOP_HOURS, "When is the bakery open?", "- Mon-Fri 6:30-18:00 - Sat 7-13 - Sun closed"),
        (HIRE, "How old must the hirer be?", "The hirer must be 21 and bring a licence."),
        (LEFT, "Where do I leave my scooter?", "E-scooters stay in the bicycle cellar."),
        (SHOP, "What did the lamp cost?", "The lamp costs 40 euros."),
        (WIFI, "Why does the wifi drop?", "Wifi drops after an update. - Cause: the channel changes."),
        (WIFI, "How do I cure the wifi fault?", "Wifi drops after an update. - Cure: set channel 6 by hand."),
        (
            PROJECTOR,
            "How do I set up the projector?",
            "First, plug in the cable. Next, switch on the lamp. Finally, focus the lens.",
        ),
        (DIARY, "How many days lie between sowing and picking the peas?", "it is 89 days."),
        (LIFE, "How old did Ottilie Brandau become?", "so 61 years old on 5 May 1901."),
        (SHOP, "How much do the lamp and the chair cost together?", "40 euros + 1,060 euros = 1,100 euros."),
        (MILLS, "When was the mill at Eling rebuilt?", "The mill at Eling was rebuilt in 1785."),
    ],
)
def test_what_stands_in_the_notes_is_told(text: str, question: str, told: str, opened: Opened) -> None:
    said = opened({"notes.md": text})(question)
    assert not said.refused and " ".join(said.plain.split()).endswith(told), said.text


def test_all_of_a_short_list_is_told_where_most_of_it_is(opened: Opened) -> None:
    said = opened({"party.md": PARTY})("What happens on Friday, Saturday and Sunday?").plain
    assert all(day in said for day in ("set up the tents", "cook and play music", "clean up"))


def test_a_label_with_yes_or_no_answers(opened: Opened) -> None:
    asked = opened({"loaf.md": LOAF})
    assert asked("Does the rye loaf contain nuts?").says == "no"
    assert asked("Does the rye loaf contain gluten?").says == "yes"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (MILLS, "Who is T. Mears?"),
        (LIFE.replace("born", "seen"), "When was Ottilie Brandau born?"),
        ("# Barrel\n\nThe seam of the server has rusted through.\n", "Is the server written in Rust?"),
    ],
)
def test_what_only_looks_like_it_is_refused(text: str, question: str, opened: Opened) -> None:
    assert opened({"notes.md": text})(question).refused
