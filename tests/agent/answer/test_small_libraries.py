"""Whole answers over a few documents: of names that are alike, lists within lists, who has not, what differs, in
German, and to a question of yes or no."""

import pytest

from clew.ui.rendering import answer_text, markdown_of, marks_of
from tests.agent.conftest import Opened

HUTS = "# Huts of the club\n\n" + "".join(
    f"## Hut at the {lake} lake\n\n### Stove\n\nThe stove is swept every {weeks} weeks. Ask {keeper}.\n\n"
    f"### Boat\n\nThe boat is painted every {years} years. Ask {other}.\n\n"
    for lake, weeks, years, keeper, other in [("upper", 5, 2, "Nils", "Berit"), ("lower", 8, 3, "Ragna", "Tor")]
)
LIBRARIES: dict[str, dict[str, str | bytes]] = {
    "names": {
        "phones.txt": "Phones of the Larch series\n\nLarch 5 has a battery of 4,000 mAh. It weighs 180 grams.\n\n"
        "Larch 5 Pro has a battery of 5,100 mAh. It weighs 221 grams.\n",
        "huts.md": HUTS,
        "pumps.txt": "How to start a pump\nOpen the valve RX-40 first. The valve RX-40B takes 9 bar.\n",
        "motors.txt": "Motors\n\nThe motor TM-5 runs on 12 volts.\n\nThe motor TM-5B weighs 9 kg.\n",
        "east.md": "# East branch\n\n- Ada Holm, chair, telephone 51\n- Ole Vik, archivist, telephone 52\n",
        "west.md": "# West branch\n\n- Ida Moser, chair, telephone 71\n- Max Lind, driver, telephone 72\n",
        "Kestrel.md": "# Kestrel\n\nKestrel is a tent for two. The price is 340 euros.\n",
        "Kestrel-Plus.md": "# Kestrel-Plus\n\nKestrel-Plus is a tent for four. The price is 610 euros.\n",
        "club/2021/minutes.txt": "Minutes of the club\n\nThe treasurer was Ada Holm. The fee was set at 20 euros.\n",
        "club/2022/minutes.txt": "Minutes of the club\n\nThe treasurer was Ole Vik. The fee was set at 25 euros.\n",
        "staff.md": "# Staff\n\nDr. Ine Dahl is a surgeon and works on Mondays.\n\n"
        "Dr. Ine Dahle is a dentist and works on Thursdays.\n",
    },
    "lists": {
        "prices.md": "# Renovation\n\n- Kitchen\n  - Lamp: 80 euros\n  - Floor: 1,200 euros\n    - Labour: 300 euros\n"
        "- Office\n  - Lamp: 45 euros\n  - Floor: 700 euros\n    - Labour: 210 euros\n- Hall\n  - Lamp: 30 euros\n",
        "hours.html": "<h1>Hours</h1><ul><li>Library<ul><li>Monday: 9 to 17</li><li>Saturday: 10 to 13</li></ul></li>"
        "<li>Pool<ul><li>Monday: 7 to 20</li><li>Saturday: 8 to 18</li></ul></li></ul>",
        "rules.md": "# House rules\n\n## What the guest brings\n\nThe guest brings\n\n- sheets and towels;\n- slippers."
        "\n\n## What the host brings\n\nThe host brings wood for the stove of the guest, and soap.\n",
        "nut.eml": "From: Ida Moser <ida@example.org>\nTo: Rut <rut@example.org>\nSubject: Saturday\n"
        "Date: Thu, 12 Jun 2025 19:42:11 +0100\n\nWe come at six. Max gets a rash from nuts.\n",
        "notes.txt": "Supper on Saturday. Do not forget what Ida wrote about nuts!\n",
    },
    "mail": {
        "open.eml": "From: Ann Pole <ann@example.org>\nTo: Rita Moss <rita@example.org>\n"
        "Date: Wed, 15 Apr 2026 10:00:00 +0000\nSubject: Re: Open house in June\n\nDear Rita,\n\nThe open house of the "
        "studio is on Saturday 20 June. We need a tent and forty chairs. Peter will bring the lamps.\n\nAnn\n",
        "tent.eml": "From: Rita Moss <rita@example.org>\nTo: Ann Pole <ann@example.org>\n"
        "Date: Thu, 16 Apr 2026 10:00:00 +0000\nSubject: Tent\n\nHello Ann,\n\nI have found a tent for two hundred "
        "euros. It has room for eighty guests.\n\nRita\n",
    },
    "depots": {
        "depot-north.csv": "Tool,Hook,Number\nPaint brush,K2,14\nHand saw,K7,5\nSpirit level,L1,9\n",
        "depot-south.csv": "Tool,Hook,Number\nPaint brush,P4,22\nHand saw,P9,6\nPipe wrench,R3,3\n",
        "box-mill-road.csv": "Tool,Count,Hook\nRake,4,A1\nHose,2,B1\n",
        "box-quay-street.csv": "Tool,Count,Hook\nRake,1,C4\nLadder,3,D2\n",
    },
    "moved": {
        "one.md": "# Minutes of 10 February 2024\n\nThe roof leaks.\n\nThe summer fair is planned for 8 June.\n",
        "two.md": "# Minutes of 20 April 2024\n\nThe roof is new.\n\nThe summer fair was moved to 22 June because of "
        "the election.\n",
    },
    "folders": {
        "elm villa/lease.md": "# Lease\n\nThe tenant may keep one cat if the owner agrees.\n",
        "birch cottage/lease.md": "# Lease\n\nThe tenant may not keep a cat or a dog in the house.\n",
        "inner harbour/stock.csv": "Part,Shelf,Number\nOar,3,17\nFender,2,30\n",
        "outer harbour/stock.csv": "Part,Shelf,Number\nAnchor,4,12\nOar,1,5\n",
        "leases/Rosewood 4.md": "# Contract\n\nThe deposit is 1,900 euros. The cellar is shared.\n",
        "leases/Hazel Row 9.md": "# Contract\n\nThe deposit is 2,400 euros. There is no cellar.\n",
        "2019 Norway/diary.txt": "We slept in a hut by the lake. The supper was fish.\n",
        "2022 Spain/diary.txt": "We slept in a monastery. The supper was rice.\n",
    },
    "denials": {
        "suppers.md": "# Suppers\n\n- Lentil soup is made without eggs.\n- The omelette is made with four eggs.\n"
        "- Pancakes are made with two eggs.\n- Flatbread is made without eggs.\n",
        "trip.md": "# Rowing trip\n\nAda has signed up. Bruno has not signed up. Cilla signed up on Monday. Dora never "
        "signed up.\n",
    },
    "differences": {
        "plans.md": "# Phone plans\n\nNova Small costs 12 EUR a month and includes 5 GB.\n\nNova Large costs 19 EUR a "
        "month and includes 30 GB. Calls are free.\n\nThe contract for Nova Small began on 3 March 2024. The contract "
        "for Nova Large began on 18 April 2024.\n",
        "house.md": "# House\n\nHeating cost 1,480 euros in 2021. In 2022 we paid 1,930 euros for heating, in 2023 "
        "1,610 euros. The roof is 90 years old, the barn 140 years.\n",
    },
    "german": {
        "bibliothek.txt": "Stadtbibliothek\n\nDie Ausleihe eines Films kostet 2 Euro. Der Lesesaal schließt um 19 Uhr. "
        "Das Archiv leitet Frau Ottmann. Fahrräder stehen im Hof.\n"
    },
    "mixed": {
        "notes.txt": "The boiler is old. For repairs ring Colin Dacre on 01632 960 114. He comes on Mondays.",
        "porter.txt": "The porter has the keys of all rooms, and the gate is closed at ten.\n",
        "orte.csv": "Ort,Fluss,Einwohner\nArth,Rigi,1200\nBrunn,Isar,800\n",
    },
    "rules": {
        "rules.md": "# Rules of the library\n\nDogs are not allowed in the reading room.\n\nLamps stand on some tables "
        "of the reading room.\n"
    },
    "staff": {
        "handbook.md": "# Staff handbook\n\nStaff have 25 days of holiday a year.\n\nThe kitchen closes at 9.\n",
        "welcome.md": "# Welcome letter\n\nStaff have 28 days of holiday a year.\n\nLunch is at noon.\n",
        "old/welcome.md": "# Welcome letter\n\nStaff have 28 days of holiday a year.\n\nLunch is at noon.\n",
    },
}


@pytest.mark.parametrize(
    ("library", "question", "said", "unsaid"),
    [
        ("names", "How heavy is the Larch 5?", ["180 grams"], ["221"]),
        ("names", "What is the price of the Kestrel?", ["340 euros"], ["610"]),
        ("names", "How many bar does the RX-40 take?", ["nothing"], ["[1]"]),
        ("names", "On how many volts does the TM-5B run?", ["nothing"], ["[1]"]),
        ("names", "What is the telephone of the chair of the west branch?", ["71"], ["51"]),
        ("names", "Who is the archivist of the west branch?", ["nothing"], ["Ole Vik"]),
        ("names", "How do I start a pump?", ["Open the valve RX-40 first."], ["How to start"]),
        ("names", "How often is the stove of the hut at the lower lake swept?", ["8 weeks"], ["years"]),
        ("names", "In the folder 2021, what was the fee?", ["20 euros"], ["25"]),
        ("lists", "How much is the lamp in the office?", ["- Office [1]\n- Lamp: 45 euros"], ["80"]),
        ("lists", "When is the pool open on Saturday?", ["- Saturday: 8 to 18"], ["10 to 13"]),
        ("lists", "Tell me what the guest brings.", ["sheets and towels"], []),
        ("mail", "When is the open house?", ["20 June"], ["Date:", "Subject:"]),
        ("mail", "What is 'Re: Open house in June' about?", ["20 June"], ["Date:", "Subject:"]),
        ("mail", "Who sent the mail about the tent?", ["From: Rita Moss"], ["Subject:"]),
        ("mail", "When did Ann write about the open house?", ["15 Apr 2026"], ["Subject:"]),
        ("mail", "Summarise the mail about the tent.", ["two hundred euros"], ["From:", "Date:", "Subject:"]),
        ("lists", "What did Ida write about nuts?", ["Max gets a rash from nuts."], []),
        ("depots", "On which hook do the paint brushes hang in the north?", ["K2"], ["P4"]),
        ("folders", "May I keep a cat in Elm Villa?", ["one cat"], ["dog"]),
        ("folders", "What is the deposit for Rosewood 4?", ["1,900"], ["2,400"]),
        ("folders", "What is the deposit?", ["1,900", "2,400"], []),
        ("folders", "Where did we sleep in Norway?", ["hut"], ["monastery"]),
        ("depots", "How many rakes are in the box of Mill Road?", ["| 4"], ["| 1"]),
        ("names", "When does Ine Dahl work?", ["Mondays"], ["Thursdays"]),
        ("moved", "When is the summer fair?", ["22 June because of the election. [1]"], []),
        ("folders", "May I keep a cat?", ["one cat", "may not"], []),
        ("folders", "Are there anchors in the inner harbour?", ["nothing"], ["[1]"]),
        ("folders", "Are there anchors in the outer harbour?", ["Anchor"], []),
        ("denials", "Which dishes are made without eggs?", ["Lentil", "Flatbread"], ["omelette", "Pancakes"]),
        ("denials", "Who has signed up?", ["Ada", "Cilla"], ["Bruno", "Dora"]),
        ("denials", "Who has not signed up?", ["Bruno", "Dora"], ["Ada", "Cilla"]),
        ("differences", "How much more does Nova Large cost than Nova Small?", ["19 EUR - 12 EUR = 7 EUR"], []),
        ("differences", "How many days lie between the contracts for Nova Small and Nova Large?", ["= 46 days"], []),
        ("differences", "how much cheaper was heating in 2023 than in 2022?", ["1,930 euros - 1,610 euros = 320"], []),
        ("german", "Wann schließt der Lesesaal?", ["Der Lesesaal schließt um 19 Uhr. [1]"], []),
        ("german", "Wer ist der Hausmeister?", ["sagen nichts über Hausmeister"], ["[1]"]),
        ("mixed", "Wie viele Einwohner hat Arth?", ["1200"], ["Englisch"]),
        ("mixed", "Wann kommt Colin Dacre?", ["Colin Dacre", "die Dokumente sind auf Englisch"], []),
        ("rules", "Does the reading room have a lamp on each table?", ["The documents say: "], []),
        ("rules", "Is there a swimming pool in Innsbruck?", ["Not said. "], ["[1]"]),
        ("differences", "By how much did heating rise from 2021 to 2022?", [], [" = "]),  # not plain which sums
    ],
)
def test_what_is_said(library: str, question: str, said: list[str], unsaid: list[str], opened: Opened) -> None:
    answer = opened(LIBRARIES[library])(question)
    assert [part for part in said if part not in answer.text] == [] == [part for part in unsaid if part in answer.text]
    assert all(claim.verdict != "unsupported" for claim in answer.claims)


def test_code_is_quoted_in_its_lines_and_cited_by_its_function(opened: Opened) -> None:
    crane = (
        '"""Cranes of the harbour."""\n\n\nclass Crane:\n    """A crane."""\n\n'
        '    def lift(self, load):\n        """Lifts a load of so many tons.\n\n        It must not be too heavy.\n'
        '        """\n        return self.reach * load\n\n'
        '    def lower(self, load):\n        """Lowers a load slowly."""\n        return -self.lift(load)\n'
    )
    answer = opened({"crane.py": crane})("How is a load lowered?")
    lines = 'def lower(self, load):\n    """Lowers a load slowly."""\n    return -self.lift(load)'
    assert answer_text(answer).plain == f"{lines} [1]"
    assert answer.claims[0].markup == f"```\n{lines}\n```" and f"{lines}\n```\n\n[1]" in markdown_of(answer, marks_of)
    assert answer.sources[0].heading == "class Crane > def lower(self, load)"


def test_files_that_are_the_same_are_cited_by_all_their_paths(opened: Opened) -> None:
    (source,) = opened(LIBRARIES["staff"])("When is lunch?").sources
    assert sorted(path[-14:] for path in (source.source, *source.copies)) == ["old/welcome.md", "tes/welcome.md"]
