"""What holds many: archives, mail with what is attached, chats, notes, records."""

import io
import json
import mailbox
import tarfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Table
from clew.memory.knowledge.loaders import archive
from clew.memory.knowledge.loaders.source import LoadFailure
from tests.memory.knowledge.loaders.packages import zipped
from tests.memory.knowledge.loaders.reading import document, items, reason


def told(path: Path, data: bytes | str | None = None) -> dict[str, str]:
    """Of each document its text by its id, of each failure the reason by its place below the folder."""
    found = items(path, data)
    texts = {one.id: one.text for one in found if isinstance(one, Document)}
    failed = {one.source.removeprefix(f"{path.parent}/"): one.reason for one in found if isinstance(one, LoadFailure)}
    return texts | failed


def tarred(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as file:
        for name, content in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
    return made.getvalue()


INNER = {"../../evil.txt": "Evil.", "d/x.md": "# Head", "d/y.mp3": "-", "e.txt": ""}
READ = {"evil.txt": "Evil.", "d/x.md": "Head", "d/y.mp3": ".mp3 files are not read", "e.txt": "empty"}


@pytest.mark.parametrize("name", ["x.zip", "x.tar.gz", "outer.zip"])
def test_an_archive_is_read_as_a_folder_and_nothing_leaves_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    data = zipped(INNER) if name != "x.tar.gz" else tarred({name: said.encode() for name, said in INNER.items()})
    path = "x.zip" if name == "outer.zip" else ""
    if path:
        data = zipped({path: data})
    found = told(tmp_path / "in" / name, data)
    below = f"{name}/{path}/" if path else f"{name}/"
    place = f"{name}: {path}: " if path else f"{name}: "
    bad = ("d/y.mp3", "e.txt")
    assert found == {(place if it in bad else below) + it: said for it, said in READ.items()}
    assert not list(tmp_path.rglob("*evil*"))


def test_what_an_archive_may_not_be_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = zipped({"a.txt": "Deep."})
    for _ in range(5):
        deep = zipped({"x.zip": deep})
    assert [*told(tmp_path / "x.zip", deep).values()] == ["it lies within more than 3 archives"]
    assert reason(tmp_path / "y.zip", b"PK no archive").startswith("not a whole archive")
    monkeypatch.setattr(archive, "LARGEST", 10)
    assert reason(tmp_path / "z.zip", zipped({"a.txt": "a" * 20})).startswith("an archive of more than")
    assert reason(tmp_path / "z.tar.gz", tarred({"a.txt": b"a" * 20})).startswith("an archive of more than")


def mail(body: str = "See below.", html: str = "") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ann <a@x.org>", "b@x.org", "Offer for Möller"
    made["Date"] = "Thu, 12 Jun 2025 19:42:11 +0100"
    made.set_content(html or body, subtype="html" if html else "plain")
    made.add_attachment("Jar,Price\n250 g,4.50\n", filename="prices.csv", subtype="csv")
    return made


HEAD = "From: Ann <a@x.org>\nTo: b@x.org\nDate: Thu, 12 Jun 2025 19:42:11 +0100\nSubject: Offer for Möller\n\n"


@pytest.mark.parametrize("html", ["", "<p>See <b>below</b>.</p><p style='display:none'>Not this.</p>"])
def test_a_mail_has_its_sender_its_day_and_what_is_attached(tmp_path: Path, html: str) -> None:
    first, second = items(tmp_path / "x.eml", mail(html=html).as_bytes())
    assert isinstance(first, Document) and isinstance(second, Document)
    assert (first.text, first.title, first.hidden_text) == (
        HEAD + "See below.",
        "Offer for Möller",
        "Not this." * bool(html),
    )
    assert {(one.author, one.date) for one in (first, second)} == {("Ann <a@x.org>", "2025-06-12")}
    assert (second.id, second.source) == ("x.eml/prices.csv", f"{tmp_path / 'x.eml'}: prices.csv")
    assert second.text == "Jar | Price\n250 g | 4.50"


def test_a_box_has_many_and_forwarded_ones_are_read(tmp_path: Path) -> None:
    forwarded = mail()
    forwarded.add_attachment(mail("The first one."))
    box = mailbox.mbox(tmp_path / "x.mbox")
    for one in (mail(), forwarded):
        box.add(one)
    box.close()
    found = told(tmp_path / "x.mbox")
    inner = "x.mbox:2/message 2.eml"
    assert {*found} == {
        "x.mbox:1",
        "x.mbox:1/prices.csv",
        "x.mbox:2",
        "x.mbox:2/prices.csv",
        inner,
        f"{inner}/prices.csv",
    }
    assert found[inner] == HEAD + "The first one."


CHATS = {
    "[12/03/24, 18:02:11] Ann: who brings it?\n\u200e[12/03/24, 18:03:40] Bea B.: me: I do\nand the stove\n": [
        "[12/03/24, 18:02:11] Ann: who brings it?",
        "[12/03/24, 18:03:40] Bea B.: me: I do and the stove",
    ],
    "3.12.24, 6:02 PM - Ann joined\n3.12.24, 6:03 PM - Ann: hello\n3.12.24, 6:04 PM - Bea: hi\n": [
        "3.12.24, 6:02 PM - Ann joined",
        "3.12.24, 6:03 PM - Ann: hello",
        "3.12.24, 6:04 PM - Bea: hi",
    ],
    "2024-03-12 18:02 Ann: hello\n2024-03-12 18:04 Bea: hi\n": [
        "2024-03-12 18:02 Ann: hello",
        "2024-03-12 18:04 Bea: hi",
    ],
}


@pytest.mark.parametrize("chat", CHATS)
def test_a_message_of_a_chat_is_an_item(tmp_path: Path, chat: str) -> None:
    assert document(tmp_path / "x.txt", chat).text.split("\n") == [f"- {said}" for said in CHATS[chat]]


@pytest.mark.parametrize(
    "text",
    [
        "12/03/24, 18:02 we left.\n\nThen it rained.\n",
        "Minutes\n\n2024-03-12 18:02 Opening: Ann speaks.\nAll agree.\nEnd.\n",
    ],
)
def test_other_text_with_times_is_no_chat(tmp_path: Path, text: str) -> None:
    assert document(tmp_path / "x.txt", text).text == text


def test_chats_in_json_have_names_and_times(tmp_path: Path) -> None:
    parts = ["who ", {"type": "bold", "text": "brings"}, " it?"]
    first = {"date": "2024-03-12T18:02:11", "from": "Ann", "text": parts}
    gone = first | {"from": None, "from_id": "user7", "text": "I do"}
    none = {"date": "2024-03-12T18:03:00", "actor": "Ann", "text": ""}
    telegram = {"name": "Trip", "messages": [first, none, gone]}
    found = document(tmp_path / "x.json", json.dumps(telegram))
    text = "- 2024-03-12 18:02 - Ann: who brings it?\n- 2024-03-12 18:02 - user7: I do"
    assert (found.title, found.text, found.date) == ("Trip", text, "2024-03-12")
    said = [{"type": "message", "user": "U1", "text": "<@U1> see <http://x.org|this> &amp; that", "ts": "1714557600.1"}]
    export = {
        "users.json": json.dumps([{"id": "U1", "real_name": "Ann Lee"}]),
        "talk/2024-05-01.json": json.dumps(said),
    }
    slack = told(tmp_path / "x.zip", zipped(export))
    assert slack["x.zip/talk/2024-05-01.json"] == "- 2024-05-01 10:00 - Ann Lee: @Ann Lee see this & that"


def test_records_are_a_table_and_other_json_is_said_in_lines(tmp_path: Path) -> None:
    data = {
        "name": "shelf",
        "loan": {"days": 21},
        "members": [{"name": "Ann", "since": 2022}, {"name": "Bea"}],
        "tags": ["a", 1],
    }
    found = document(tmp_path / "x.json", json.dumps(data))
    table = "name | since\nAnn | 2022\nBea"
    assert found.text.split("\n\n") == ["- name: shelf", "loan", "- days: 21", "members", table, "tags", "- a\n- 1"]
    assert found.tables == (Table("members", ("name", "since"), (("Ann", "2022"), ("Bea", "")), 1),)
    assert reason(tmp_path / "y.json", '{"a": 1').startswith("not JSON")


def test_a_program_has_a_heading_at_each_part_and_a_notebook_its_cells(tmp_path: Path) -> None:
    found = document(
        tmp_path / "x.py",
        "A = 1\n\n\ndef fine(days):\n    return days\n\n\nclass Shelf:\n    books = []\n\n"
        "    @property\n    def full(self):\n        if self.books:\n            return 1\n",
    )
    headings = ["def fine(days)", "class Shelf", "class Shelf > def full(self)"]
    assert [mark.text for mark in found.headings] == headings and found.title == "x.py"
    assert found.text[found.headings[-1].start :].startswith("@property")
    cells = [
        {"cell_type": "markdown", "source": ["# Loans\n", "Of 2024."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["1\n"]}, {"data": {"text/plain": "2"}}]},
    ]
    book = document(tmp_path / "x.ipynb", json.dumps({"cells": cells}))
    assert book.text == "Loans\n\nOf 2024.\n\n    print(1)\n\n    1\n\n    2" and book.title == "Loans"
