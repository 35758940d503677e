"""Writes the shelf `shelf/` beside this file with memshelf-mcp 0.4.0: `python make.py EXECUTABLE FOLDER`.

EXECUTABLE is that package's `memshelf`; FOLDER must not exist. The tests use the copy that is checked in.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

EPISODES = Path(__file__).with_name("episodes.txt")
"""Blocks of three lines: slug, kind, title and tags; the digest; the decisions."""

ROLLUP = (
    "The lab network was rebuilt: Unbound, DHCP reservations, VLANs. Rejected: hosts files. Open: DNSSEC."
)
TIMELINE = "Timeline=09:10 noticed\n10:30 cause found\n16:40 closed"
OPEN = {
    "session": ["--section", "Open threads=See the digest."],
    "research": ["--section", "Sources=Own runs."],
}


def main(executable: str, folder: Path) -> None:
    """Write the shelf, amend one episode, roll the first three up, and take Git's folder away."""

    def memshelf(verb: str, *words: str) -> None:
        command = [executable, verb, "--shelf", str(folder), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(folder), *words], check=True, stdout=subprocess.DEVNULL)

    memshelf("init", "--name", "Home Lab", "--storage", "git-local")
    episodes = [block.strip().split("\n") for block in EPISODES.read_text(encoding="utf-8").split("\n---\n")]
    for number, (head, digest, decisions) in enumerate(episodes):
        slug, kind, title, tags = (part.strip() for part in head.split("|"))
        words = ["--slug", slug, "--kind", kind, "--digest", digest, "--display-title", title]
        words += ["--section", f"Decisions={decisions}", "--no-sync", *OPEN.get(kind, [])]
        words += ["--section", TIMELINE] * (kind == "session")
        words += [word for tag in tags.split(",") for word in ("--tag", tag.strip())]
        words += ["--approx-tokens", str(9000 + 700 * number)] * (number % 3 > 0)
        memshelf("shelve", *words)
    memshelf(
        *("shelve", "--amend", "--no-sync", "--slug", "2026-03-23-ci-cache", "--kind", "topic"),
        *("--display-title", "Cache of the build", "--tag", "ci", "--description", "Build cache, amended"),
        *("--digest", episodes[14][1] + " Found: eviction after 7 days is enough."),
        *("--section", f"Decisions={episodes[14][2]}", "--section", "Open threads=None."),
    )
    rolled = [word for block in episodes[:3] for word in ("--episode", block[0].split(" ")[0])]
    memshelf(
        *("rollup", "--slug", "2026-04-30-network-rollup", "--date", "2026-04-30", *rolled),
        *("--display-title", "Network of the lab, February"),
        *("--digest", ROLLUP),
    )
    git("add", "--all")
    git("commit", "--quiet", "--message", "rollup")
    shutil.rmtree(folder / ".git")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
