"""docs/terminal.md shows what a terminal of 80 columns shows: every command there is run, and compared with the page.

usage: terminal.py check|write PAGE GRAPHS SCRATCH PLUMB_WITH_LAUNCHER...

Blocks of the page that begin with "$ plumb" are run in an empty folder that has GRAPHS as `graphs`, in turn. Numbers
and the device are this machine's: of lines that have any, the other words are compared. `write` puts what was shown
into the page. Ends with 77 where no device runs here.
"""
import os
import re
import shlex
import shutil
import sys

sys.dont_write_bytecode = True  # a run leaves nothing beside the scripts
from pseudo_terminal import run_on_terminal  # noqa: E402

mode, page, graphs, scratch, *plumb = sys.argv[1:]
COLUMNS = 80


def shown(arguments):
    """What the command leaves on a terminal, and its exit status."""
    text, status = run_on_terminal([*plumb, *arguments], COLUMNS, cwd=scratch)
    plain = re.sub("\x1b\\[[0-9]*m", "", text.replace("\r\n", "\n"))
    return "\n".join(line.split("\r\x1b[K")[-1].rstrip() for line in plain.rstrip("\n").split("\n")), status


def words(text):
    """What is the same everywhere: no numbers, nor what is folded differently for their sake, nor the commit, which is
    "(?)" where the sources are no checkout. CLI11 2.4 writes a default as [x] where 2.3 has =x."""
    text = re.sub(r" \[(\w+)\]$", r"=\1", text, flags=re.MULTILINE)
    return [word for word in text.split() if not re.search("[0-9]|llvmpipe|LLVM|bits|\\(\\?\\)", word)]


shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(scratch)
os.symlink(os.path.abspath(graphs), os.path.join(scratch, "graphs"))
with open(page) as file:
    text = file.read()
blocks = re.findall(r"^```\n\$ plumb ([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
if len(blocks) < 4:
    sys.exit(f"{page} shows {len(blocks)} commands")
for command, before in blocks:
    now, status = shown(shlex.split(command))
    if status == 77:
        sys.exit(77)
    wide = [line for line in now.split("\n") if len(line) > COLUMNS and not line.startswith("    repro: ")]
    if wide:
        sys.exit(f"plumb {command}: wider than {COLUMNS} columns:\n" + "\n".join(wide))
    if mode == "write":
        text = text.replace(f"```\n$ plumb {command}\n{before}```", f"```\n$ plumb {command}\n{now}\n```")
    elif words(now) != words(before):
        sys.exit(f"{page} does not show what `plumb {command}` shows: terminal.py write\n{now}")
if mode == "write":
    with open(page, "w") as file:
        file.write(text)
print(f"{len(blocks)} commands are as {os.path.basename(page)} shows them")
