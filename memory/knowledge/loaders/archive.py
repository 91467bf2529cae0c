"""Archives (.zip, .tar and zipped ones): what is in them is read as if it lay in a folder of that name."""

import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.office_hidden_text import BROKEN
from clew.memory.knowledge.loaders.source import Loader, Source, Unpacked, shown
from clew.memory.text import storable

MOST, LARGEST = 10_000, 256 << 20
"""Files that an archive may have, and bytes that they may have together."""

PIECE = 1 << 20


def read_archive(source: Source) -> Iterator[Unpacked]:
    """Its files. Raises `Unreadable` for what is no archive, or a larger one than may be."""
    with TemporaryDirectory(prefix="clew-") as folder:
        try:
            if zipfile.is_zipfile(source.path):
                _unzip(source, Path(folder))
            else:
                _untar(source, Path(folder))
        except (*BROKEN, tarfile.TarError, NotImplementedError) as error:
            raise Unreadable(f"not a whole archive: {error}") from error
        yield Unpacked(Path(folder), source.name, shown(source.path))


def _unzip(source: Source, folder: Path) -> None:
    with zipfile.ZipFile(source.path) as archive:
        members = [one for one in archive.infolist() if not one.is_dir() and not stat.S_ISLNK(one.external_attr >> 16)]
        if any(one.flag_bits & 1 for one in members):
            raise Unreadable("an archive with a password")
        _check(len(members), sum(one.file_size for one in members))
        left = LARGEST
        for one in members:
            with archive.open(one) as held:
                left = put(folder, one.filename, held, left)


def _untar(source: Source, folder: Path) -> None:
    left, count = LARGEST, 0
    with tarfile.open(source.path) as archive:
        for one in archive:
            if one.isfile() and (held := archive.extractfile(one)):
                count += 1
                _check(count, one.size)
                left = put(folder, one.name, held, left)


def _check(files: int, size: int) -> None:
    if files > MOST or size > LARGEST:
        raise Unreadable(
            f"an archive of more than {MOST:,} files or {LARGEST >> 20} MiB: unpack it, and index the folder"
        )


def put(folder: Path, name: str, held: "IO[bytes]", left: int) -> int:
    """Within the folder, whatever the name says. Returns how many bytes may still come."""
    parts = [storable(part) for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")]
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        while piece := held.read(PIECE):
            left -= file.write(piece)
            _check(0, LARGEST - left)
    return left


ARCHIVE = Loader("archive", read_archive, (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))
