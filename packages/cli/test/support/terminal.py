"""Runs a command on a pseudo-terminal and plays a person: waits for a text, then types. Prints what happened as JSON.

Takes one argument: { command, cwd, env, stdout: "pipe" | "terminal", dialog: [{ wait, type }], timeoutSeconds }.
"""

import fcntl
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time

spec = json.loads(sys.argv[1])
master, slave = pty.openpty()


def own_terminal():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


process = subprocess.Popen(
    spec["command"],
    cwd=spec["cwd"],
    env=spec["env"],
    stdin=slave,
    stderr=slave,
    stdout=slave if spec["stdout"] == "terminal" else subprocess.PIPE,
    preexec_fn=own_terminal,
)
os.close(slave)
sources = [master] + ([process.stdout.fileno()] if process.stdout else [])
seen = {source: b"" for source in sources}
dialog = list(spec["dialog"])
position = 0
deadline = time.monotonic() + spec["timeoutSeconds"]

while sources:
    if time.monotonic() > deadline:
        process.kill()
        break
    ready, _, _ = select.select(sources, [], [], 0.1)
    for source in ready:
        try:
            chunk = os.read(source, 65536)
        except OSError:
            chunk = b""
        if chunk == b"":
            sources.remove(source)
        seen[source] += chunk
    while dialog:
        found = seen[master].find(dialog[0]["wait"].encode(), position)
        if found < 0:
            break
        position = found + len(dialog[0]["wait"].encode())
        os.write(master, dialog.pop(0)["type"].encode())

code = process.wait()
output = seen.get(process.stdout.fileno(), b"") if process.stdout else b""
print(json.dumps({
    "code": code,
    "terminal": seen[master].decode("utf8", "replace").replace("\r\n", "\n"),
    "stdout": output.decode("utf8", "replace"),
    "untyped": [step["wait"] for step in dialog],
}))
