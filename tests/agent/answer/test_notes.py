"""Notes, letters and manuals as people write them: in lines, in small letters, with boxes to tick, terms and code."""

import pytest

from tests.agent.conftest import Opened

LEASE = """# Lease of the flat

Landlord: Mrs. Helga Moser
Tenants: Ann Berg and Ben Roth
Rent: 870 euros, from 1 January: 912 euros
Deposit: 2,700 euros, paid on 2 May
Notice: three months
"""

WORK = """work

boss: Karl Huber
salary 2,450 gross, from July 2,600
holidays: 25 days, must be taken by March
password of the time clock is with Stefan
lunch 12 to 12:30
"""

GARDEN = """# Garden

- [ ] paint the fence
- [x] mow the lawn

The roof still has to be repaired. The hut is not booked yet.

Bonfires are not allowed.

## Hikes

- 21 April: Schafberg, 12 km
- 19 May: Traunstein, 15 km
- 16 June: Feuerkogel, 9 km
"""

LETTER = """Dear Mr. Kern,

Your plumber, Mr. Sattler, came on Tuesday. He said that a new pump would cost 480 euros.

Yours sincerely, Ruth Hagen
"""

NOTES: dict[str, str | bytes] = {
    "lease.md": LEASE,
    "work.txt": WORK,
    "garden.md": GARDEN,
    "letter.txt": LETTER,
    "house.md": "# House rules\n\n- Size: 60 m2\n- Quiet hours: 12-14 and after 20:00\n- Bins: in the yard\n",
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How much was the deposit?", "Deposit: 2,700 euros, paid on 2 May"),
        ("What is the notice period?", "Notice: three months"),
        ("What is my salary now?", "salary 2,450 gross, from July 2,600"),
        ("how many holidays do I have?", "holidays: 25 days, must be taken by March"),
        ("how high is the Schafberg?", "- 21 April: Schafberg, 12 km"),
        ("what are the quiet hours?", "- Quiet hours: 12-14 and after 20:00"),
        (
            "How much would a new pump cost?",
            "Your plumber, Mr. Sattler, came on Tuesday. He said that a new pump would cost 480 euros.",
        ),
    ],
)
def test_a_line_is_told_and_no_other(opened: Opened, question: str, told: str) -> None:
    assert opened(NOTES)(question).plain == told


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Is the roof repaired?", None),
        ("Is the hut booked?", "no"),
        ("can I make a bonfire?", "no"),
    ],
)
def test_what_is_still_to_be_done_is_not_done(opened: Opened, question: str, says: str | None) -> None:
    assert opened(NOTES)(question).says == says


MANUAL = """<html><head><title>Larder</title></head><body><h1>Larder<a class="headerlink" href="#x">\u00b6</a></h1>
<h2>Uploading photos</h2><p>Install the client, log in, and start an upload:</p><pre># install
pip install larder

# log in
larder login</pre>
<h2>Can I back up from multiple servers?<a href="#y">\u00b6</a></h2><p>Yes, this is possible.</p>
<h2>Words</h2><dl><dt>album</dt><dd>A set of photos of one person.</dd><dt>vault</dt><dd>A shelf with a lock.</dd></dl>
<h2>Systems</h2><table><tr><td>System</td><td>Video</td><td>Subtitles</td></tr><tr><td>Linux</td><td>Yes</td><td>Yes</td>
</tr><tr><td>Android</td><td>Yes</td><td>No</td></tr><tr><td>Windows</td><td>No</td><td>No</td></tr></table>
<p>--no-compress: Do not compress old files.</p></body></html>"""


def test_a_manual_is_told_as_it_is_written(opened: Opened) -> None:
    asked = opened({"larder.html": MANUAL, "wasps.txt": "Wasps\n\nWasps live in nests of paper and sting.\n"})
    upload = asked("how do I upload photos from a terminal?").text
    assert "# install\npip install larder\n\n# log in\nlarder login" in upload and "start an upload:" in upload
    assert asked("can I back up from multiple servers?").says == "yes"
    assert "vault: A shelf with a lock." in asked("what is a vault?").text
    assert "System | Video | Subtitles" in asked("can Android show subtitles?").text
    assert asked("can it compress old files?").says is None
    assert asked("what is a hornet?").refused and asked("how do i bake bread?").refused
