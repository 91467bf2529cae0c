"""Who may open the page: the person of this machine, by the address that is printed, and others by a password."""

import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from pathlib import Path

from clew.memory.errors import BadInput
from clew.memory.json_lines import replace_file

USERS = "users.json"
"""In `Settings.home`: each name with its password's hash."""

NAME = re.compile(r"[^\W_][\w .@+-]{0,63}")
SHORTEST, LONGEST = 8, 1024
"""Characters of a password."""

FAILURES, MINUTE = 5, 60.0
"""Passwords that are wrong, of one name or from one address, before the rest of so many seconds is waited for."""

SESSIONS = 10_000
"""Cookies that are known; of more, the one that was longest not used is forgotten."""

COST = (1 << 15, 8, 3)
"""n, r and p of scrypt (RFC 7914): 32 MiB and about a third of a second."""


class TooManyFailures(BadInput):
    """`seconds`: after so many the next password is looked at."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many wrong passwords", f"wait {seconds} s")
        self.seconds = seconds


def add_user(home: Path, name: str, password: str) -> None:
    """Or give the user of that name this password. Raises `BadInput` for a name or password that is none."""
    if not NAME.fullmatch(name):
        raise BadInput(f"'{name}' is no name for a user", "letters, digits and . @ + - are; 64 at most")
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadInput("the password is too short or too long", f"{SHORTEST} characters at least")
    salt = secrets.token_bytes(16)
    kept = "$".join(("scrypt", *map(str, COST), salt.hex(), _hash(password, salt, *COST).hex()))
    replace_file(home / USERS, json.dumps({**users(home), name: kept}, indent=1, ensure_ascii=False) + "\n")


def users(home: Path) -> dict[str, str]:
    """The hash of each user's password. Raises `BadInput` where the file cannot be read."""
    path = home / USERS
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read", "mend or remove it, then: clew ui add-user NAME") from error
    return {str(name): str(kept) for name, kept in content.items()} if isinstance(content, dict) else {}


def _hash(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, n=n, r=r, p=p, maxmem=1 << 27, dklen=32)


def _is_password(password: str, kept: str) -> bool:
    try:
        kind, n, r, p, salt, known = kept.split("$")
        made = _hash(password, bytes.fromhex(salt), int(n), int(r), int(p))
        return kind == "scrypt" and hmac.compare_digest(made, bytes.fromhex(known))
    except ValueError:  # it was written by hand
        return False


class Access:
    """Cookies and whose they are: '' is the person of this machine. Safe from several threads.

    `token` opens the page once; `taken` is called where it did, when there is another one.
    """

    def __init__(
        self, home: Path, taken: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        self._home, self._taken, self._clock = home, taken, clock
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._failures: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)
        self._nobody = "$".join(("scrypt", *map(str, COST), "00", "00"))
        self._lock = threading.RLock()

    def has_users(self) -> bool:
        return (self._home / USERS).is_file()

    def owner(self, cookie: str) -> str | None:
        """None: the cookie is none of ours."""
        with self._lock:
            if (key := _digest(cookie)) not in self._owners:
                return None
            self._owners.move_to_end(key)
            return self._owners[key]

    def by_token(self, token: str) -> str:
        """A cookie of the person of this machine; empty where that is not the token, or not any more."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                return ""
            self.token = secrets.token_urlsafe(32)
            cookie = self._cookie("")
        self._taken()
        return cookie

    def by_password(self, name: str, password: str, address: str) -> str:
        """A cookie of this user; empty where the password is wrong, or there is no such user, which takes as long.
        Raises `TooManyFailures`."""
        with self._lock:
            now = self._clock()
            self._forget_failures(now - MINUTE)
            tries = [self._failures[key] for key in (("name", name[:LONGEST]), ("address", address))]
            if waits := [failed[0] + MINUTE - now for failed in tries if len(failed) >= FAILURES]:
                raise TooManyFailures(max(1, round(max(waits))))
            for failed in tries:  # counted before it is looked at: a hundred at once are no more than five
                failed.append(now)
        kept = users(self._home).get(name, self._nobody)
        if not _is_password(password[:LONGEST], kept):
            return ""
        with self._lock:
            for failed in tries:
                if now in failed:
                    failed.remove(now)
            return self._cookie(name)

    def _forget_failures(self, until: float) -> None:
        for key, failed in list(self._failures.items()):
            while failed and failed[0] <= until:
                failed.popleft()
            if not failed:
                del self._failures[key]

    def _cookie(self, owner: str) -> str:
        cookie = secrets.token_urlsafe(32)
        self._owners[_digest(cookie)] = owner
        while len(self._owners) > SESSIONS:
            self._owners.popitem(last=False)
        return cookie


def _digest(cookie: str) -> str:
    """What is compared takes no time that tells of the cookie."""
    return hashlib.sha256(cookie.encode()).hexdigest()
