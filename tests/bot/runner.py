"""A runner in small: it executes the steps of our workflow files in order, in real clones of a bare remote.

What GitHub does by itself is done here: an event's checkout, the merge commit of a pull request, the
runner's variables. `gh` is a stand-in on PATH that keeps pull requests and issues in a folder and records
what it was asked. MemShelf is the one under test, so the action's install step is left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from support import git

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / ".github" / "actions" / "memshelf"
NAME = "someone/library"
GH = r"""#!/usr/bin/env bash
set -euo pipefail
printf '%q ' "$@" >>"$GH_STATE/asked"; echo >>"$GH_STATE/asked"
value() { local want=$1; shift; while (($#)); do [[ $1 == "$want" ]] && echo "$2" && return; shift; done; }
kind=$1; verb=${2:-}
case "$kind $verb" in
  "auth setup-git" | "label create") ;;
  "api "*) cat "$GH_STATE/rules" ;;
  "pr list") [[ ! -e $GH_STATE/pr/$(value --head "$@") ]] || echo 1 ;;
  "issue list") [[ ! -e $GH_STATE/issue/1 ]] || echo 1 ;;
  "pr create") [[ ! -e $GH_STATE/no-pr ]] || { echo "GitHub Actions is not permitted" >&2; exit 1; }
    file=$GH_STATE/pr/$(value --head "$@")
    mkdir -p "$(dirname "$file")"; { value --title "$@"; cat "$(value --body-file "$@")"; } >"$file" ;;
  "issue create" | "issue edit")
    mkdir -p "$GH_STATE/issue"; cat "$(value --body-file "$@")" >"$GH_STATE/issue/1" ;;
  "issue close") rm "$GH_STATE/issue/1" ;;
  *) exit 64 ;;
esac
"""


@dataclass(frozen=True)
class Done:
    """What a job did: its exit code, its log, its summary and the clone it ran in."""

    code: int
    log: str
    summary: str
    workspace: Path


@dataclass
class GitHub:
    """A repository on the host: the bare repository `there`, `state` of pull requests and issues."""

    there: Path
    state: Path
    jobs: list[Done] = field(default_factory=list)

    def pull_request(self, head: str, base: str = "main") -> str:
        """Make the merge commit that a pull request's checks run on, and return its ref."""
        tree = git(self.there, "merge-tree", "--write-tree", base, head)
        merged = git(self.there, "commit-tree", tree, "-p", base, "-p", head, "-m", "merge")
        git(self.there, "update-ref", "refs/pull/1/merge", merged)
        return "refs/pull/1/merge"

    def run(self, job: str, event: str, ref: str, meanwhile: Callable[[Path], None] | None = None) -> Done:
        """Run the job's workflow as it is on main for an event on `ref`; `meanwhile` may act on the clone."""
        number = len(self.jobs)
        place = self.state / f"job-{number}"
        workspace, temp = place / "work", place / "temp"
        workspace.mkdir(parents=True)
        workflow = yaml.safe_load(git(self.there, "show", f"main:.github/workflows/memshelf-{job}.yml"))
        assert event in workflow[True]
        (steps,) = (one["steps"] for one in workflow["jobs"].values())
        variables = self._variables(temp, workspace, event, ref)
        code, log = 0, ""
        for step in steps:
            if step["uses"].startswith("actions/checkout@"):
                self._checkout(workspace, ref, step["with"])
                if meanwhile:
                    meanwhile(workspace)
            else:
                assert "/.github/actions/memshelf@" in step["uses"]
                code, log = _act(step["with"], variables, workspace)
        summary = Path(variables["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
        self.jobs.append(Done(code, log, summary, workspace))
        return self.jobs[-1]

    def asked(self) -> str:
        """Return what gh was asked, a line a call."""
        file = self.state / "asked"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def _checkout(self, workspace: Path, ref: str, options: dict[str, Any]) -> None:
        """Do as actions/checkout does, without credentials left behind."""
        assert options["persist-credentials"] is False
        wanted = f"refs/heads/{options['ref']}" if "ref" in options else ref
        whole = options.get("fetch-depth") == 0
        git(workspace, "init", "--quiet", ".")
        git(workspace, "remote", "add", "origin", self.there.as_uri())
        here = wanted.replace("refs/heads/", "refs/remotes/origin/").replace(
            "refs/pull/", "refs/remotes/pull/"
        )
        branches = ["+refs/heads/*:refs/remotes/origin/*"] if whole else ["--depth=1"]
        git(workspace, "fetch", "--quiet", "--no-tags", "origin", *branches, f"+{wanted}:{here}")
        if wanted.startswith("refs/heads/"):
            branch = wanted.removeprefix("refs/heads/")
            git(workspace, "checkout", "--quiet", "--force", "-B", branch, here)
        else:
            git(workspace, "checkout", "--quiet", "--force", "--detach", here)

    def _variables(self, temp: Path, workspace: Path, event: str, ref: str) -> dict[str, str]:
        """Return the runner's environment: no identity, an empty home, gh and MemShelf in their places."""
        tools = temp / "memshelf" / "bin"
        tools.mkdir(parents=True)
        _program(tools / "memshelf", f'#!/bin/sh\nexec "{sys.executable}" -P -m memshelf "$@"\n')
        _program(temp / "bin" / "gh", GH)
        for name in ("output", "summary"):
            (temp / name).touch()
        payload = {"repository": {"full_name": NAME, "default_branch": "main"}, "ref": ref}
        (temp / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_CONFIG_GLOBAL")}
        return kept | {
            "PATH": f"{temp / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(temp),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_OUTPUT": str(temp / "output"),
            "GITHUB_REF": ref,
            "GITHUB_REF_NAME": re.sub("^refs/(?:heads|pull)/", "", ref),
            "GITHUB_REPOSITORY": NAME,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(temp / "summary"),
            "GITHUB_WORKSPACE": str(workspace),
            "GH_STATE": str(self.state),
            "RUNNER_TEMP": str(temp),
        }


def host_of(root: Path, folder: Path) -> GitHub:
    """Make a repository on the host of the clone at `root`, which gets it as `origin`."""
    there, state = folder / "there.git", folder / "state"
    state.mkdir()
    (state / "rules").write_text("[]", encoding="utf-8")
    git(folder, "clone", "--quiet", "--bare", str(root), str(there))
    git(root, "remote", "add", "origin", str(there))
    return GitHub(there, state)


def _act(values: dict[str, str], variables: dict[str, str], workspace: Path) -> tuple[int, str]:
    """Run the steps of our action with its inputs; return the last exit code and what was printed."""
    action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    inputs = {name: str(one.get("default", "")) for name, one in action["inputs"].items()} | values
    inputs["token"] = inputs["token"].replace("${{ github.token }}", "a-token")
    code, log = 0, ""
    for step in action["runs"]["steps"]:
        if "uses" in step or step["run"] == '"$GITHUB_ACTION_PATH/install"':
            continue
        assert step["shell"] == "bash"
        own = {name: _filled(value, inputs) for name, value in step["env"].items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command,
            cwd=workspace,
            env=variables | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        code, log = done.returncode, log + done.stdout
        if code:
            break
    return code, log


def _filled(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], text)


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def missing() -> str:
    """Say what this machine lacks to run the jobs, empty: nothing."""
    return "" if shutil.which("bash") and os.name != "nt" else "the jobs are bash scripts"
