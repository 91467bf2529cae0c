"""What other programs export, by the loaders of langchain-community behind one adapter (the extra `clew[loaders]`);
pages of Notion and notes of Obsidian are files of Markdown, and read as such.

The package says that it will end, so it is pinned, and imported nowhere but in the process that reads. Its loaders stop
at the first thing that they cannot read: each is given one piece at a time (a page, a day of a channel, a note), so
that the piece is named and the rest goes on. What a document is from (page, row, channel and message, commit and file)
and its date are what the loader says, and a citation shows both: the date stands behind the place. Nothing is fetched.
"""

import html
import json
import os
import re
import shutil
import subprocess
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import NotSetUp, Unreadable, install_command, required
from clew.memory.knowledge.loaders.jsonl import named
from clew.memory.knowledge.loaders.markdown import (
    AUTHOR,
    FRONT_MATTER,
    TAGS,
    front_date,
    front_field,
    front_list,
    front_status,
    laid_out,
)
from clew.memory.knowledge.loaders.plain_text import decode, title_of_file, title_of_text
from clew.memory.knowledge.loaders.source import ExportLoader, Loader, LoadFailure, Source, in_a_line, shown
from clew.memory.text import clean, storable

PACKAGE = "langchain_community"
LARGEST = 64 << 20
"""Bytes of one day of a channel, unpacked."""

GIT_ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "core.symlinks",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": os.devnull,
    "GIT_CONFIG_KEY_2": "core.quotePath",
    "GIT_CONFIG_VALUE_2": "false",
}
"""No hooks, no filters of anybody's settings, no network; links are written as texts and not followed; names of files
as they are."""

_HASHTAG = re.compile(r"(?<!\S)#([A-Za-z_][\w/-]*)")
_NOTION_ID = re.compile(r"[ -][0-9a-f]{32}$")
_NOTION_AUTHOR, _NOTION_TAGS = r"author|created by|owner", r"tags?|categor(?:y|ies)"
_PROPERTY = r"^(?:{names}): (.+)$"
"""Of a page, in a line of its own before all that is said, and of a row."""

_SLACK_LINK = re.compile(r"<(?:[^<>|]+\|)?([^<>|]+)>")


def check(name: str) -> None:
    """Raises `NotSetUp` where the extra is not installed."""
    if find_spec(PACKAGE) is None:
        raise NotSetUp(f"the loader {name} needs the package langchain-community", install_command("loaders"))


def _loaded(module: str, loader: str, *about: Any, **more: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The text and the metadata of each document of one of its loaders."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = getattr(required(f"{PACKAGE}.document_loaders.{module}", "this loader", "loaders"), loader)
        try:
            for document in made(*about, **more).lazy_load():
                yield document.page_content, document.metadata
        except UnicodeDecodeError as error:
            raise Unreadable(f"not UTF-8 (byte {error.start}): save it as UTF-8") from error


def _document(id_: str, place: str, title: str, text: str, about: Mapping[str, Any], markdown: bool = True) -> Document:
    """Raises `Unreadable` for one without words. Its date stands in its place, where no title has it."""
    layout, heading, hidden = laid_out(clean(text)) if markdown else (None, "", "")
    plain = layout.text if layout else clean(text)
    if not plain.strip():
        raise Unreadable("empty")
    title, date = storable(title or heading or title_of_text(plain)), in_a_line(about.get("date"))
    return Document(
        storable(id_),
        title,
        plain,
        storable(f"{place}, {date}" if date and date not in title else place),
        headings=tuple(layout.headings) if layout else (),
        date=date,
        status=storable(about.get("status") or ""),
        author=in_a_line(about.get("author")),
        tags=in_a_line(about.get("tags")),
        hidden_text=hidden,
    )


# A folder of pages ---------------------------------------------------------------------------------------------------


def read_notion(source: Source) -> Iterator[Document | LoadFailure]:
    """A page, or the rows of a table."""
    title = _NOTION_ID.sub("", source.path.stem)
    if source.path.suffix.lower() != ".csv":
        text = decode(source.path.read_bytes())
        yield _document(source.name, shown(source.path), title, text, _properties(text))
        return
    for text, about in _loaded("csv_loader", "CSVLoader", str(source.path), encoding="utf-8-sig"):
        row, first = int(about["row"]) + 1, text.partition("\n")[0].partition(": ")[2]
        of_row, place = f"{title}: {first}" if first else title, f"{shown(source.path)}, row {row}"
        yield _document(f"{source.name}:{row}", place, of_row, text, _properties(text), markdown=False)


def _properties(text: str) -> dict[str, str]:
    first = text.partition("\n## ")[0]
    named = (("author", _NOTION_AUTHOR), ("tags", _NOTION_TAGS))
    found = ((name, re.search(_PROPERTY.format(names=names), first, re.M | re.I)) for name, names in named)
    return {name: match[1] for name, match in found if match}


def _of_all_rows(path: Path) -> str:
    """Notion writes a table twice, where one of its views hides rows."""
    other = path.with_name(path.name.replace(".csv", "_all.csv"))
    return "tables skipped: the same with all rows is there" if path.suffix == ".csv" and other.is_file() else ""


def read_obsidian(source: Source) -> Iterator[Document | LoadFailure]:
    """A note, its front matter read as Markdown's."""
    text = decode(source.path.read_bytes())
    front = FRONT_MATTER.match(text)
    fields, said = (front[1], text[front.end() :]) if front else ("", text)
    about = {
        "date": front_date(fields),
        "status": front_status(fields),
        "author": front_list(fields, AUTHOR),
        "tags": sorted({*filter(None, front_list(fields, TAGS).split(", ")), *_HASHTAG.findall(said)}),
    }
    yield _document(source.name, shown(source.path), front_field(fields, "title") or source.path.stem, said, about)


# One file of many ----------------------------------------------------------------------------------------------------


def read_slack(source: Source) -> Iterator[Document | LoadFailure]:
    """A message each. A day of a channel that cannot be read is named."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            yield from named(_messages(source, archive), shown(source.path))
    except zipfile.BadZipFile as error:
        raise Unreadable("not a ZIP file, as Slack exports it") from error


def _messages(source: Source, archive: zipfile.ZipFile) -> Iterator[Document | LoadFailure]:
    users = _users(archive)
    for day in archive.infolist():
        if not day.filename.endswith(".json") or len(PurePosixPath(day.filename).parts) < 2:
            continue
        place = f"{shown(source.path)}:{storable(day.filename)}"
        try:
            if day.file_size > LARGEST:
                raise Unreadable(f"more than {LARGEST >> 20} MiB")
            with TemporaryDirectory(prefix="clew-") as folder:
                part = Path(folder, "day.zip")
                with zipfile.ZipFile(part, "w") as alone:
                    alone.writestr(day.filename, archive.read(day))
                yield from _of_day(source, list(_loaded("slack_directory", "SlackDirectoryLoader", part)), users)
        except Unreadable as error:
            yield LoadFailure(place, error.message)
        except (ValueError, TypeError, AttributeError, RuntimeError, zipfile.BadZipFile) as error:
            yield LoadFailure(place, " ".join(f"no messages: {error}".split())[:200])


def _users(archive: zipfile.ZipFile) -> dict[str, str]:
    """The names of people by their ids, where the export has them."""
    try:
        with archive.open("users.json") as file:
            listed = json.loads(file.read(LARGEST))
        names = {one["id"]: one.get("real_name") or one.get("name") for one in listed}
        return {id_: name for id_, name in names.items() if isinstance(name, str)}
    except (KeyError, ValueError, TypeError, AttributeError, RuntimeError, RecursionError, zipfile.BadZipFile):
        return {}


def _of_day(
    source: Source, messages: list[tuple[str, Mapping[str, Any]]], users: Mapping[str, str]
) -> Iterator[Document]:
    for text, about in messages:
        said = html.unescape(_SLACK_LINK.sub(r"\1", text or ""))
        if said.strip():
            day = datetime.fromtimestamp(float(about["timestamp"]), UTC).date().isoformat()
            id_, title = f"{source.name}/{about['channel']}/{about['timestamp']}", f"#{about['channel']}, {day}"
            place = f"{shown(source.path)}: {about['source']}"
            author = users.get(str(about.get("user")), about.get("user"))
            yield _document(id_, place, title, said, {"date": day, "author": author}, markdown=False)


def read_evernote(source: Source) -> Iterator[Document | LoadFailure]:
    """A note each."""
    yield from named(_notes(source), shown(source.path))


def _notes(source: Source) -> Iterator[Document | LoadFailure]:
    """Without what is attached to them."""
    from lxml import etree

    required("html2text", "the loader evernote", "loaders")
    seen = Counter[str]()
    parsed = etree.iterparse(str(source.path), tag="note", resolve_entities=False, no_network=True, huge_tree=True)
    try:
        for _, note in parsed:
            title = " ".join((note.findtext("title") or "").split()) or f"note {seen.total() + 1}"
            seen[title] += 1
            place = f"{shown(source.path)}: {storable(title)}" + (f" ({seen[title]})" if seen[title] > 1 else "")
            told = {
                "author": note.findtext("note-attributes/author"),
                "tags": [tag.text for tag in note.findall("tag")],
            }
            for attached in note.findall("resource"):
                note.remove(attached)
            piece = b"<en-export>" + etree.tostring(note, encoding="utf-8") + b"</en-export>"
            note.clear()
            try:
                yield _note(f"{source.name}{place.removeprefix(shown(source.path))}", place, title, piece, told)
            except Unreadable as error:
                yield LoadFailure(place, error.message)
            except (ValueError, TypeError, etree.XMLSyntaxError) as error:
                yield LoadFailure(place, " ".join(f"no note: {error}".split())[:200])
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"broken XML after {seen.total()} notes: {error.msg}") from error


def _note(id_: str, place: str, title: str, piece: bytes, told: Mapping[str, Any]) -> Document:
    with TemporaryDirectory(prefix="clew-") as folder:
        part = Path(folder, "note.enex")
        with part.open("wb") as file:
            file.write(piece)
        found = list(_loaded("evernote", "EverNoteLoader", part, load_single_document=False))
    if not found:
        raise Unreadable("empty")
    text, about = found[0]
    when = about.get("updated") or about.get("created")
    return _document(id_, place, title, text, {**told, "date": time.strftime("%Y-%m-%d", when) if when else ""})


# A repository --------------------------------------------------------------------------------------------------------


def read_git(source: Source) -> Iterator[Document | LoadFailure]:
    """The text files of the commit that is checked out, of a copy: what lies in the folder beside it is not read, and
    no program that the repository names runs."""
    yield from named(_files(source), shown(source.path))


def _files(source: Source) -> Iterator[Document | LoadFailure]:
    os.environ.update(GIT_ALONE)
    git, there = required("git", "the loader git", "loaders"), shutil.which("git")
    if there is None:
        raise Unreadable("git itself is not installed")
    _check_alone(source.path / ".git", there)
    with TemporaryDirectory(prefix="clew-") as folder:
        copy = [there, "clone", "--quiet", "--no-hardlinks", "--template=", "--", str(source.path), folder]
        done = subprocess.run(copy, capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        if done.returncode:
            raise Unreadable(f"git says: {' '.join(done.stderr.decode('utf-8', 'replace').split())[:160]}")
        with git.Repo(folder) as repository:
            if not repository.head.is_valid():
                raise Unreadable("a repository without a commit")
            commit = repository.head.commit
            branch = commit.hexsha if repository.head.is_detached else repository.active_branch.name
            links = {one.path for one in commit.tree.traverse() if one.type == "blob" and one.mode == 0o120000}
            commits = _commits(repository.git.log("--no-renames", "--name-only", "--format=%x01%as %an"))
            waiting = {one.path for one in commit.tree.traverse() if one.type == "blob"} - links
        where = f"{shown(source.path)}@{commit.hexsha[:12]}"
        for text, about in _loaded("git", "GitLoader", folder, branch=branch):
            file = str(about["source"])
            waiting.discard(file)
            if file not in links and text.strip():
                markdown = file.lower().endswith((".md", ".markdown"))
                title = "" if markdown else title_of_file(Path(file))
                told = commits.get(file, {})
                yield _document(f"{source.name}/{file}", f"{where}:{file}", title, text, told, markdown)
        for file in sorted(waiting):
            yield LoadFailure(f"{where}:{storable(file)}", "the loader takes UTF-8 text alone")


def _commits(log: str) -> dict[str, dict[str, str]]:
    """By file who wrote the last commit that changed it, and when."""
    found, told = dict[str, dict[str, str]](), dict[str, str]()
    for line in log.splitlines():
        if line.startswith("\x01"):
            date, _, author = line[1:].partition(" ")
            told = {"date": date, "author": author}
        else:
            found.setdefault(line, told)
    return found


def _git_folder(path: Path) -> Path | None:
    inside = path / ".git"
    return path if (inside / "HEAD").is_file() and not inside.is_symlink() else None


def _check_alone(inside: Path, git: str) -> None:
    """Raises `Unreadable` for a repository that has git read another one: its folder is somebody else's word. And for
    one that is none, as git would look for another around it."""
    asked = [git, f"--git-dir={inside}", "rev-parse", "--git-dir"]
    if subprocess.run(asked, capture_output=True, check=False, stdin=subprocess.DEVNULL).returncode:  # noqa: S603
        raise Unreadable("its .git is no repository")
    borrows = [name for name in ("commondir", "objects/info/alternates") if (inside / name).exists()]
    parts = (Path(folder, name) for folder, folders, files in os.walk(inside) for name in (*folders, *files))
    borrows += [str(part.relative_to(inside)) for part in parts if part.is_symlink()]
    if borrows:
        raise Unreadable(f".git/{borrows[0]} leads to another folder: index a copy that git clone has made")


def _git_files(path: Path) -> tuple[Path, ...]:
    """What says which commit is checked out, and what holds it."""
    inside = path / ".git"
    kept = [inside / "HEAD", inside / "packed-refs", *sorted((inside / "refs" / "heads").rglob("*"))]
    return tuple(one for one in (*kept, *sorted((inside / "objects").rglob("*"))) if one.is_file())


EXPORTS: Mapping[ExportLoader, Loader] = {
    "notion": Loader("notion", read_notion, (".md", ".csv"), passes_over=_of_all_rows),
    "obsidian": Loader("obsidian", read_obsidian, (".md",)),
    "slack": Loader("slack", read_slack, (".zip",)),
    "git": Loader("git", read_git, in_folder=_git_folder, files=_git_files),
    "evernote": Loader("evernote", read_evernote, (".enex",)),
}
"""By the names that `clew index --loader NAME:PATH` takes."""
