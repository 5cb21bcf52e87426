"""Runs a command as a person does, on a terminal of so many columns."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios


def run_on_terminal(command, columns, variables=None, cwd=None):
    """What the command writes to a terminal, raw, and its exit status. `variables` are added to the environment."""
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    environment.update(variables or {}, TERM="xterm")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment,
                               cwd=cwd)
    os.close(theirs)
    text = b""
    while True:
        select.select([ours], [], [])
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when nobody holds the other end
            break
        text += part
    return text.decode(), process.wait()
