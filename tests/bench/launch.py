"""Starts one process and says what it cost; small on purpose, since a child's peak begins at its parent's.

python -I -S launch.py run|mcp ANSWER STDIN COMMAND...     prints wall s, CPU s, peak kB, exit code as JSON

`run` waits for the process; `mcp` speaks to it as a client does and stops the clock at the list of tools.
CPU and peak are those of the process and of every child it waited for.
"""

import json
import os
import sys
import time

HELLO = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def _spawn(command, stdin, stdout):
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)]
    return os.posix_spawnp(command[0], command, os.environ, file_actions=actions)


def run(answer, stdin, command):
    source = os.open(stdin or os.devnull, os.O_RDONLY)
    target = os.open(answer, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    start = time.perf_counter()
    pid = _spawn(command, source, target)
    _, status, usage = os.wait4(pid, 0)
    return time.perf_counter() - start, status, usage


def mcp(answer, _stdin, command):
    theirs, ours = os.pipe()
    heard, said = os.pipe()
    start = time.perf_counter()
    pid = _spawn(command, theirs, said)
    os.close(theirs)
    os.close(said)
    with open(heard, "rb") as replies, open(ours, "wb", buffering=0) as requests:  # noqa: PTH123 # descriptors
        requests.write((json.dumps(HELLO[0]) + "\n").encode())
        _until(replies, 1)
        requests.write("".join(json.dumps(message) + "\n" for message in HELLO[1:]).encode())
        reply = _until(replies, 2)
        wall = time.perf_counter() - start
    with open(answer, "wb") as target:  # noqa: PTH123 # pathlib costs memory
        target.write(reply)
    _, status, usage = os.wait4(pid, 0)
    return wall, status, usage


def _until(replies, wanted):
    for line in replies:
        if json.loads(line).get("id") == wanted:
            return line
    raise SystemExit("the server ended before it answered")


if __name__ == "__main__":
    how, answer, stdin, *command = sys.argv[1:]
    wall, status, usage = (mcp if how == "mcp" else run)(answer, stdin, command)
    code = os.waitstatus_to_exitcode(status)
    sys.stdout.write(json.dumps([wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, code]))
