"""How something is done: which sentences, lists and code are told together."""

from tests.agent.answer.test_units import unit


def test_several_ways_to_do_it_lead_on_to_the_first() -> None:
    text = "There are two ways to stop it.\n\nFrom the shell, run:\n\n$ systemctl stop clock\n\nOr pull the plug."
    assert unit(text, "There are", steps=True)[1:3] == ["From the shell, run:", "$ systemctl stop clock"]
    assert unit(text, "There are") == ["There are two ways to stop it."]


def test_steps_are_the_code_behind_a_sentence_and_all_of_a_numbered_or_announced_list() -> None:
    text = (
        "It is easy. One stops it from the shell.\n\n$ systemctl stop clock\n\n$ systemctl status\n\nThen it is over."
    )
    assert unit(text, "One stops", steps=True)[1:] == ["$ systemctl stop clock", "$ systemctl status"]
    assert unit(text, "One stops") == ["One stops it from the shell."]
    assert unit(text, "It is easy", steps=True) == ["It is easy."]
    assert unit("Tea is old.\n\n1. Boil it.\n2. Wait.\n\nDrink.", "2.", steps=True)[-2:] == ["1. Boil it.", "2. Wait."]
    ways = "One becomes root by one of the following:\n\n- Log in.\n- Type su.\n\nThen work."
    assert len(unit(ways, "- Type", steps=True)) == 3 and len(unit(ways, "- Type")) == 1
    assert unit("Tea is old.\n\n- Boil it.\n- Wait.\n\nDrink.", "- Wait", steps=True) == ["- Wait."]


PROJECTOR = "First, plug in the cable. Next, switch on the lamp. Finally, focus the lens. It is loud."


def test_steps_that_are_told_one_after_the_other_are_whole() -> None:
    steps = ["First, plug in the cable.", "Next, switch on the lamp.", "Finally, focus the lens."]
    assert unit(PROJECTOR, "Next", steps=True)[:3] == steps
    assert unit(PROJECTOR, "Next") == ["Next, switch on the lamp."]
    text = "It is a kettle. Fill it with vinegar and wait. Then rinse it twice. Boil clear water once."
    assert unit(text, "Fill", steps=True) == [
        "Fill it with vinegar and wait.",
        "Then rinse it twice.",
        "Boil clear water once.",
    ]
    assert unit(text, "It is a kettle", steps=True) == ["It is a kettle."]


def test_steps_below_a_heading_that_asks_are_the_whole_paragraph() -> None:
    text = "How do I cancel it?\n\nWrite to the office. Name your course. Wait for a letter.\n\nRefunds take a week."
    assert len(unit(text, "Name", steps=True)) == 3 and unit(text, "Name") == ["Name your course."]


def test_what_does_not_say_how_leads_on_to_what_does() -> None:
    text = "The default port is 9120. It can be changed in tarn.conf. It is a port."
    assert unit(text, "The default", steps=True) == ["The default port is 9120.", "It can be changed in tarn.conf."]
    assert unit(text, "The default") == ["The default port is 9120."]


def test_what_stands_behind_the_only_first_step_goes_on() -> None:
    text = "The card machine may fail. First pull its plug. If that fails, use the telephone. Call Ann at last."
    assert unit(text, "First pull", steps=True) == [
        "First pull its plug.",
        "If that fails, use the telephone.",
        "Call Ann at last.",
    ]


def test_steps_are_the_whole_list_below_a_heading_that_asks_for_them() -> None:
    text = "## How do I get the key?\n\n- Write a mail.\n- Fetch it at the shop.\n\n## Beds\n\n- Two.\n- Three.\n"
    assert unit(text, "- Fetch", steps=True) == ["- Write a mail.", "- Fetch it at the shop."]
    assert unit(text, "- Two", steps=True) == ["- Two."]
