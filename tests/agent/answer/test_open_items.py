"""What is still to do, and whether it was done."""

import pytest

from tests.agent.conftest import Opened

SERVER = """# Home server

## Done

- backups go to the second disk every night at 2

## To do

- renew certificate before 12 March
- replace the fan in the NAS

The passphrase of the backup is in Ina's head.

- [x] buy a UPS
- [ ] write down the passphrase
"""
GARDEN = "# Garden\n\n- [ ] paint the fence\n- [x] mow the lawn\n\nThe shed is green.\n"
OPEN = ["- renew certificate before 12 March", "- replace the fan in the NAS", "- [ ] write down the passphrase"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what is still to do?", [*OPEN, "- [ ] paint the fence"]),
        ("what's left to do on the server?", OPEN),
        ("which tasks are open in the garden?", ["- [ ] paint the fence"]),
    ],
)
def test_what_is_open_is_told(opened: Opened, question: str, told: list[str]) -> None:
    answer = opened({"server.md": SERVER, "garden.md": GARDEN})(question)
    assert sorted(claim.text for claim in answer.claims if claim.text.startswith("-")) == sorted(told)
    assert answer.form == "list"


def test_nothing_is_made_up_where_nothing_is_open(opened: Opened) -> None:
    answer = opened({"shed.md": "# Shed\n\nThe shed is green. It has two doors.\n"})("What is left to do?")
    assert not any(claim.quotes for claim in answer.claims) or answer.form != "list"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Has the certificate been renewed?", "no"),
        ("Is the passphrase written down?", "no"),
        ("Is the fence painted?", "no"),
        ("Has a UPS been bought?", "yes"),
        ("Is the lawn mown?", "yes"),
    ],
)
def test_what_is_to_do_is_not_done(opened: Opened, question: str, said: str) -> None:
    assert opened({"server.md": SERVER, "garden.md": GARDEN})(question).says == said
