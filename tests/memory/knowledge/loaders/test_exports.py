"""Exports of other programs, made by hand, read apart by the loaders of langchain-community."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Document
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.document_dates import with_date
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.loaders import exports
from clew.memory.knowledge.loaders.exports import EXPORTS, check
from clew.memory.knowledge.loaders.registry import discover
from clew.memory.knowledge.loaders.sandbox import Reading
from clew.memory.knowledge.loaders.source import ExportLoader, LoadFailure, source_digest
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from clew.ui.commands.index import EXPORTS as OF_THE_COMMAND
from clew.ui.rendering import source_line

ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20240301T100000Z" application="Evernote" version="10">
<note><title>Boiler</title><created>20240105T091500Z</created><updated>20240211T180000Z</updated>
<tag>house</tag><tag>heat</tag><note-attributes><author>Ann</author></note-attributes>
<content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">
<en-note><h1>Service</h1><div>The boiler was serviced by Mr Okafor.</div></en-note>]]></content>
<resource><data encoding="base64">AAAA</data><mime>image/png</mime></resource></note>
<note><title>Boiler</title><created>soon</created>
<content><![CDATA[<en-note>A second one, of no day.</en-note>]]></content></note>
<note><title>Shopping</title><created>20240302T080000Z</created>
<content><![CDATA[<en-note><div>Two lamps.</div></en-note>]]></content></note>
</en-export>
"""


ODD_FRONTS = (
    "tags: [2024]\ndate: null\ntitle: null",
    "tags: [null, ~, true]\nstatus: ~\nauthor: null",
    "title: 2024\nauthor: 7\ndate: 2024",
    "tags:\n  topic: house\ndate:\n  from: 2024-01-01\nauthor: {name: Ann}",
    "title: |\n  In lines\ntags: >-",
    "author:\n  - name: Ann\n  - 2\ntags:\n- 1\n- 2.5",
    "title: 'never closed\ntags: [a, b",
    "- a\n- list",
    "just a text",
    "key: {a: {b: [c, {d: null}]}}\ntags: {}\ndate: []",
    "a: &x 1\nb: *y\ndate: !!python/object:os.system {}",
    "\t tabs: no YAML\ndate: 2024-13-45",
)
"""What is written there, and is no text or list of texts."""


def read_named(name: ExportLoader | None, path: Path) -> tuple[list[Document], list[LoadFailure]]:
    """In the process of its own, as `clew index` does."""
    reading, found = Reading(), list[Document | LoadFailure]()
    for source in discover([path], exports={str(path): name} if name else {}).sources:
        found += reading.documents(source)
        list(reading.edges(source))
    reading.keep()
    failures = [one for one in found if isinstance(one, LoadFailure)]
    return [one for one in found if isinstance(one, Document)], failures


def git(folder: Path, *command: str) -> None:
    who = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_CONFIG_GLOBAL": os.devnull}
    who |= {"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True, env=os.environ | who)


def test_the_table_is_closed_and_the_same_everywhere() -> None:
    assert list(EXPORTS) == OF_THE_COMMAND == [one.name for one in EXPORTS.values()]


def test_notion_pages_and_rows(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "Roof 0123456789abcdef0123456789abcdef.md").write_text(
        "# Roof\n\nDate: 2024-03-05\nCreated by: Ann Lee\nTags: house, rain\n\n## Leak\n\nThe *north* side leaks.\n",
        "utf-8",
    )
    (folder / "Tasks.csv").write_text("\ufeffName,Who\nPaint the door,Ben\n", "utf-8")
    (folder / "Tasks_all.csv").write_text("\ufeffName,Owner\nPaint the door,Ben\nFell the oak,Ann\n", "utf-8")
    (folder / "Broken.md").write_bytes(b"caf\xe9")
    found, failed = read_named("notion", folder)
    roof, first, second = sorted(found, key=lambda one: one.source)
    assert (roof.title, roof.text) == (
        "Roof",
        "Roof\n\nDate: 2024-03-05\nCreated by: Ann Lee\nTags: house, rain\n\nLeak\n\nThe north side leaks.",
    )
    assert (roof.author, roof.tags, second.author) == ("Ann Lee", "house, rain", "Ann")
    assert roof.source == str(next(folder.glob("Roof*"))) and roof.heading_at(len(roof.text) - 1) == "Leak"
    assert (first.title, second.title) == (
        "Tasks all: Paint the door".replace(" all", "_all"),
        "Tasks_all: Fell the oak",
    )
    assert (second.text, second.source) == ("Name: Fell the oak\nOwner: Ann", f"{folder}/Tasks_all.csv, row 2")
    assert [(one.source, one.reason) for one in failed] == [
        (f"{folder}/Broken.md", "not UTF-8 (byte 3): save it as UTF-8")
    ]


def test_an_obsidian_vault(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "workspace.md").write_text("{}", "utf-8")
    (vault / "daily").mkdir()
    front = "---\ndate: 2024-02-01\nstatus: draft\ntags: [house, roof]\nauthor: Ann\n---\n"
    (vault / "daily" / "Walk.md").write_text(f"{front}Met [[Ann|my sister]] at the weir. #walk\n", "utf-8")
    (vault / "plain.md").write_text("No front matter at all.\n", "utf-8")
    (vault / "empty.md").write_text("---\ndate: 2024-02-01\n---\n", "utf-8")
    found, failed = read_named("obsidian", vault)
    walk, plain = sorted(found, key=lambda one: one.id)
    assert (walk.id, walk.title, walk.date, walk.status) == ("daily/Walk.md", "Walk", "2024-02-01", "draft")
    assert (walk.author, walk.tags, plain.author, plain.tags) == ("Ann", "house, roof, walk", "", "")
    assert "my sister" in walk.text and "tags:" not in walk.text and walk.source == f"{vault}/daily/Walk.md, 2024-02-01"
    assert (plain.title, plain.date, plain.source) == ("plain", "", str(vault / "plain.md"))
    assert [(Path(one.source).name, one.reason) for one in failed] == [("empty.md", "empty")]


@pytest.mark.parametrize("loader", ["obsidian", None])
def test_front_matter_of_odd_types_fails_no_note(loader: ExportLoader | None, tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    for number, front in enumerate(ODD_FRONTS):
        (tmp_path / f"{number}.md").write_text(f"---\n{front}\n---\nMet Ann. #walk\n", "utf-8")
    found, failed = read_named(loader, tmp_path)
    assert len(found) == len(ODD_FRONTS) and not failed
    for one in map(with_date, found):
        said = f"{one.title} {one.date} {one.status} {one.author} {one.tags}"
        assert "Met Ann." in one.text and not re.search(r"\b(?:None|null)\b|[{}~|!]", said), said


def slack(path: Path, days: dict[str, object]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.json", json.dumps([{"id": "U7", "name": "ol", "real_name": "Olu Ade"}]))
        archive.writestr("channels.json", json.dumps([{"id": "C1", "name": "general"}]))
        for name, messages in days.items():
            archive.writestr(name, messages if isinstance(messages, str) else json.dumps(messages))
    return path


def test_a_slack_export(tmp_path: Path) -> None:
    day = [
        {
            "type": "message",
            "user": "U7",
            "ts": "1709287200.000100",
            "text": "The lift is fixed &amp; <https://x.org|checked>.",
        },
        {"type": "message", "user": "U8", "ts": "1709287260.000200", "text": ""},
    ]
    names = [f"general/2024-03-0{n}.json" for n in (1, 2, 3)]
    path = slack(tmp_path / "team.zip", dict(zip(names, [day, "[{", ["?"]], strict=True)))
    (message,), failed = read_named("slack", path)
    assert (message.text, message.date, message.title) == (
        "The lift is fixed & checked.",
        "2024-03-01",
        "#general, 2024-03-01",
    )
    assert message.author == "Olu Ade"
    assert message.id == "team.zip/general/1709287200.000100"
    assert message.source == f"{path}: general - U7 - 1709287200.000100"
    assert [one.source for one in failed] == [f"{path}:{name}" for name in names[1:]]
    (tmp_path / "no.zip").write_text("no archive", "utf-8")
    assert read_named("slack", tmp_path / "no.zip")[1][0].reason == "not a ZIP file, as Slack exports it"


def test_evernote_notes(tmp_path: Path) -> None:
    path = tmp_path / "home.enex"
    path.write_text(ENEX, "utf-8")
    found, failed = read_named("evernote", path)
    boiler, shopping = found
    assert (boiler.title, boiler.date, boiler.source) == ("Boiler", "2024-02-11", f"{path}: Boiler, 2024-02-11")
    assert (boiler.author, boiler.tags, shopping.author, shopping.tags) == ("Ann", "house, heat", "", "")
    assert "serviced by Mr Okafor" in boiler.text and boiler.heading_at(len(boiler.text) - 1) == "Service"
    assert (shopping.text, shopping.date, shopping.id) == ("Two lamps.", "2024-03-02", "home.enex: Shopping")
    assert [one.source for one in failed] == [f"{path}: Boiler (2)"] and "no note" in failed[0].reason
    path.write_text(ENEX[: ENEX.index("Two lamps")], "utf-8")
    found, failed = read_named("evernote", path)
    assert [one.title for one in found] == ["Boiler"] and "broken XML after 2 notes" in failed[-1].reason


def test_what_evernote_points_at_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret", "utf-8")
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{tmp_path}/secret">]>'
    note = "<note><title>T &e;</title><content>&lt;en-note&gt;words &e;&lt;/en-note&gt;</content></note>"
    path = tmp_path / "a.enex"
    path.write_text(f"{entity}<en-export>{note}</en-export>", "utf-8")
    found, failed = read_named("evernote", path)
    assert "the secret" not in str([*found, *failed])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "trunk")
    (folder / "README.md").write_text("# The mill\n\nIt grinds *oats*.\n", "utf-8")
    (folder / "doc").mkdir()
    (folder / "doc" / "plan.txt").write_text("The wheel is mended in May.\n", "utf-8")
    (folder / "wheel.bin").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "outside.txt").write_text("the secret", "utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_a_git_repository(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n", "utf-8")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", f"touch {ran}; false")
    (repository / "beside.txt").write_text("Not committed.\n", "utf-8")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)
    ran.unlink(missing_ok=True)
    found, failed = read_named("git", repository)
    readme, plan = sorted(found, key=lambda one: one.id)
    assert {one.id for one in found} == {"work/README.md", "work/doc/plan.txt"}
    assert (readme.title, readme.text) == ("The mill", "The mill\n\nIt grinds oats.")
    assert (readme.author, plan.author) == ("Ann", "Ann")
    assert plan.source == f"{repository}@{head.stdout[:12]}:doc/plan.txt, {plan.date}"
    assert [one.source.rpartition(":")[2] for one in failed] == ["wheel.bin"]
    assert not ran.exists() and "the secret" not in str(found)


def test_a_file_of_a_repository_has_the_date_of_the_commit_that_last_touched_it(repository: Path) -> None:
    for day, name in (("2024-02-01", "doc/plan.txt"), ("2024-03-05", "doc/Mühle.txt"), ("2024-04-07", "README.md")):
        (repository / name).write_text(f"The mill, as of {name}, written in May 2019.\n", "utf-8")
        git(repository, "add", "-A")
        git(repository, "commit", "--quiet", "-m", name, "--date", f"{day}T12:00:00", "--author", f"{name[:3]} <a@b>")
    found, _ = read_named("git", repository)
    assert [(one.id, one.date, one.author) for one in map(with_date, sorted(found, key=lambda one: one.id))] == [
        ("work/README.md", "2024-04-07", "REA"),
        ("work/doc/Mühle.txt", "2024-03-05", "doc"),
        ("work/doc/plan.txt", "2024-02-01", "doc"),
    ]
    assert all(one.source.endswith(f"{one.id.removeprefix('work/')}, {one.date}") for one in found)


def test_a_git_repository_lends_nothing_of_another_one(repository: Path, tmp_path: Path) -> None:
    """A folder of somebody else's may say that its commits are in one of mine."""
    strangers, inside = tmp_path / "strangers", repository / ".git"
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)

    def linked(own: Path) -> None:
        shutil.rmtree(own / "objects")
        (own / "objects").symlink_to(inside / "objects")

    def borrowed(own: Path) -> None:
        (own / "objects" / "info" / "alternates").write_text(f"{inside}/objects\n")

    ways: list[Callable[[Path], object]] = [linked, borrowed, lambda own: (own / "commondir").write_text(f"{inside}\n")]
    for way in ways:
        strangers.mkdir()
        git(strangers, "init", "--quiet", "--initial-branch", "trunk")
        (strangers / ".git" / "refs" / "heads" / "trunk").write_text(head.stdout)
        (strangers / ".git" / "objects" / "info").mkdir(exist_ok=True)
        way(strangers / ".git")
        found, failed = read_named("git", strangers)
        assert not found and "leads to another folder" in failed[0].reason
        shutil.rmtree(strangers)
    strangers.mkdir()
    (strangers / ".git").symlink_to(inside)
    with pytest.raises(BadInput, match="finds nothing"):
        discover([strangers], exports={str(strangers): "git"})


def test_a_git_folder_that_is_no_repository_is_not_looked_for_around_it(repository: Path, tmp_path: Path) -> None:
    """Git takes `X`, or `X.git`, where `X/.git` is none."""
    for name in ("around", "beside"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/trunk\n")
    shutil.copytree(repository / ".git", tmp_path / "around", dirs_exist_ok=True)
    (tmp_path / "around" / "objects" / "info" / "alternates").write_text(f"{repository}/.git/objects\n")
    shutil.copytree(repository / ".git", tmp_path / "beside.git")
    for name in ("around", "beside"):
        found, failed = read_named("git", tmp_path / name)
        assert not found and failed[0].reason == "its .git is no repository"


def test_a_git_repository_is_read_again_where_its_commit_changed(repository: Path) -> None:
    (source,) = discover([repository], exports={str(repository): "git"}).sources
    before = source_digest(source)
    (repository / "doc" / "plan.txt").write_text("In June.\n", "utf-8")
    assert source_digest(source) == before != ""
    git(repository, "commit", "--quiet", "-am", "second")
    assert source_digest(source) != before


def run(paths: Sequence[Path], library: Path, encoder: CachedEncoder, named: dict[str, ExportLoader]) -> IndexReport:
    *_, report = index(paths, library, encoder, parameters=Parameters(exports=named))
    assert isinstance(report, IndexReport)
    return report


def test_a_re_run_does_what_changed_and_keeps_the_loader(tmp_path: Path, encoder: CachedEncoder) -> None:
    first = {"type": "message", "user": "U7", "ts": "1709287200.000100", "text": "The lift is fixed."}
    path = slack(tmp_path / "team.zip", {"general/2024-03-01.json": [first]})
    library = tmp_path / "library"
    assert run([path], library, encoder, {str(path): "slack"}).line.startswith("1 new, 0 changed")
    assert run([path], library, encoder, {}).line.startswith("0 new, 0 changed, 0 removed, 1 unchanged")
    slack(path, {"general/2024-03-01.json": [first, first | {"ts": "1709290800.000100", "text": "It stuck again."}]})
    assert run([path], library, encoder, {}).line.startswith("1 new, 0 changed, 0 removed, 1 unchanged")
    with open_library(library, encoder) as opened:
        (chunk,) = opened.store.chunks(["team.zip/general/1709290800.000100#0"])
        assert chunk.date == "2024-03-01" and "2024-03-01" in chunk.title  # a channel's day, and not in its place too
        assert chunk.source == f"{path}: general - U7 - 1709290800.000100" and opened.manifest.exports == {
            str(path): "slack"
        }
    *_, again = index([], library, encoder, rebuild=True)
    assert isinstance(again, IndexReport) and again.line.startswith("2 new")


def test_a_citation_shows_place_and_date(tmp_path: Path, encoder: CachedEncoder) -> None:
    path = tmp_path / "home.enex"
    path.write_text(ENEX, "utf-8")
    run([path], tmp_path / "library", encoder, {str(path): "evernote"})
    with open_library(tmp_path / "library", encoder) as opened:
        found = Hybrid(opened.store).search(encode_query("Who serviced the boiler?", [], encoder), 1).passages
    answer = Answer("answered", (Claim("Mr Okafor.", (1,)),), sources=found)
    assert source_line(answer, 1, None).plain.endswith("home.enex: Boiler, 2024-02-11")
    assert source_line(answer, 1, 60).plain.endswith("home.enex: Boiler, 2024-02-11")  # and is no longer than that


def test_a_path_without_what_is_named_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.", "utf-8")
    for path, name in ((tmp_path, "git"), (tmp_path / "a.txt", "slack"), (tmp_path, "obsidian")):
        with pytest.raises(BadInput, match=f"the loader {name} finds nothing"):
            discover([path], exports={str(path): name})  # type: ignore[dict-item]


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "find_spec", lambda _: None)
    with pytest.raises(NotSetUp) as missing:
        check("slack")
    assert missing.value.hint == "pip install 'clew[loaders]'"
    assert shutil.which("git")
