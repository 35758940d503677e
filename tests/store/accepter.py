"""Memshelf commands that die at a chosen point: `python accepter.py`, one command a line of JSON on stdin.

A line is `[point, words...]`. The command runs in a fresh process, forked from this warm one, and dies
before its `point`-th touch of the outside: a git that is started, a file that is made, linked, renamed,
removed or copied; 0: it never dies. The answer is a line `[exit code, output]`, where DIED is the code
of death. A point of -1 runs the command in this very process, which a test then kills from outside.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import traceback
from importlib import import_module

from memshelf.cli import main

DIED = 70
TOUCHES = ("subprocess.Popen", "os.link", "os.rename", "os.remove", "os.mkdir", "shutil.copyfile")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def die_before(point: int) -> None:
    """Make this process die before its `point`-th touch from here on."""
    touches = itertools.count(1)

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if (event in TOUCHES or writes) and next(touches) == point:
            os._exit(DIED)

    sys.addaudithook(watch)


def run(point: int, words: list[str]) -> tuple[int, str]:
    """Run the command in a child and return its exit code and output."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            if point:
                die_before(point)
            os._exit(command(words))
        _, status = os.waitpid(child, 0)
        out.seek(0)
        return os.waitstatus_to_exitcode(status), out.read().decode("utf-8", "replace")


def command(words: list[str]) -> int:
    """Run the command in this process; a bug prints its traceback."""
    try:
        code = main(words)
    except BaseException:  # the parent reports whatever it was
        traceback.print_exc()
        code = 3
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    for name in ("review", "index", "write", "render"):
        import_module(f"memshelf.cli.{name}")
    import_module("portalocker")
    print("ready", flush=True)
    for line in sys.stdin:
        where, *rest = json.loads(line)
        answer = (command(rest), "") if where < 0 else run(where, rest)
        print(json.dumps(answer), flush=True)
