"""A command on a pseudo-terminal of its own, as a person drives it."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

pty = pytest.importorskip("pty", reason="there is no pseudo-terminal here")
termios = pytest.importorskip("termios")

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 60
"""Seconds after which a test that waits for the screen gives up."""

CHILD = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from memshelf.cli import main
sys.exit(main())
"""
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """One command line, `memshelf WORDS` unless told, on a pseudo-terminal of (lines, columns)."""

    def __init__(
        self,
        *words: object,
        size: tuple[int, int] = (60, 100),
        program: Sequence[str] = (sys.executable, "-c", CHILD),
        **variables: str,
    ) -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, size)
        inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [*program, *map(str, words)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=inherited | {"TERM": "xterm", "EDITOR": "false"} | variables,
            start_new_session=True,
        )
        os.close(slave)
        self.raw = ""
        self.read = 0

    def until(self, text: str) -> str:
        """Wait for `text` to come and return everything that came since the last call, without colours."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.plain().find(text, self.read)) < 0:
            assert time.monotonic() < deadline, f"no {text!r} in {self.plain()[self.read :]!r}"
            assert self._more(), f"ended without {text!r}: {self.plain()[self.read :]!r}"
        start, self.read = self.read, found + len(text)
        return self.plain()[start : self.read]

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def answer(self, *keys: str) -> str:
        """Press each key when the keys are offered, then read on to the end; return what came."""
        for key in keys:
            self.until("[q]uit [?]:")
            self.press(key)
        return self.end()[1]

    def leave(self, key: str) -> tuple[int, str]:
        """Press a key that ends the program, and again where it came just before a read; then as `end`."""
        for _ in range(PATIENCE // 5):
            self.press(key)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
                break
        return self.end()

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what came since the last call."""
        while self._more():
            pass
        return self.process.wait(PATIENCE), self.plain()[self.read :]

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.master)

    def plain(self) -> str:
        """Return everything that came, without colours."""
        return ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def _more(self) -> bool:
        if not select.select([self.master], [], [], PATIENCE)[0]:
            return False
        try:
            came = os.read(self.master, 65536)
        except OSError:  # Linux says so at the end
            return False
        self.raw += came.decode("utf-8", "replace")
        return bool(came)
