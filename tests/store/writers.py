"""A writer as a process of its own: `python writers.py LIBRARY WORD ID...`.

It says `ready`, waits for a line on stdin, then runs `memshelf write` for each id. Each answer is one
line: the exit code, a space, the JSON answer or the refusal.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

import memshelf.cli.write
from memshelf.cli import main


def write(library: str, word: str, name: str) -> str:
    """Run one command line and return its answer as one line."""
    words = ["write", "--library", library, "--shelf", "shared", "--json", "--id", name, "--title", "Auth"]
    words += ["--digest", f"Chosen: signed tokens. Rejected: {word}.", "--decisions", f"No {word}."]
    words += ["--open-threads", "None.", "--sources", "None."]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(words)
    text = out.getvalue()
    return f"{code} {json.dumps(json.loads(text)) if code == 0 else ' '.join(text.split())}"


if __name__ == "__main__":
    assert memshelf.cli.write, "imported beforehand, so that all writers start together"
    print("ready", flush=True)
    sys.stdin.readline()
    for each in sys.argv[3:]:
        print(write(sys.argv[1], sys.argv[2], each), flush=True)
