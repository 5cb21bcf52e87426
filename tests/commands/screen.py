"""What plumb shows on a terminal of 80 columns: nothing of a table or of help is wider, and nothing is left behind.

usage: screen.py FAULTY_GRAPH GRAPH PLUMB_WITH_LAUNCHER...
Ends with 77 where no device runs here.
"""
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # a run leaves nothing beside the scripts
from pseudo_terminal import run_on_terminal  # noqa: E402

faulty, graph, *plumb = sys.argv[1:]
COLUMNS = 80


def run(*arguments, columns=COLUMNS, **variables):
    """What the command writes to a terminal, and its exit status."""
    return run_on_terminal([*plumb, *arguments], columns, variables)


def expect(condition, what, text):
    if not condition:
        sys.exit(f"screen.py: {what}:\n{text!r}")


def lines_of(text):
    """The lines that stay on the screen: what is erased is gone, and what colours takes no room."""
    text = re.sub("\x1b\\[[0-9]*m", "", text.replace("\r\n", "\n"))
    return [line.split("\r\x1b[K")[-1] for line in text.split("\n")]


text, status = run("verify", faulty)
if status == 77:
    sys.exit(77)
expect(status in (0, 1), f"exit status {status}", text)
expect("\x1b[31mfailed\x1b[0m" in text, "no verdict is coloured", text)
table = [line for line in lines_of(text) if not line.startswith("    repro: ")]
expect(all(len(line) <= COLUMNS for line in table), "a line is too wide", table)
expect(any(re.match("node +op +", line) for line in table), "there is no table", table)
expect("[" not in "".join(table), "the progress bar is left behind", table)

for variables, arguments in (({"NO_COLOR": "1"}, ()), ({}, ("--color", "never"))):
    plain, _ = run("verify", faulty, *arguments, **variables)
    expect("\x1b[3" not in plain, "coloured against the wish", plain)
wide, _ = run("verify", graph, "--width", "200")
expect("inherited" in wide, "a wide table lacks a column", wide)
wide, _ = run("verify", graph, "-v")
expect("inherited" in wide, "-v lacks a column", wide)

scratch = tempfile.mkdtemp()
record = os.path.join(scratch, "r.h5")
for arguments in (["verify", faulty, "--seeds", "2"], ["verify", graph, "-q", "--seeds", "2", "-o", record],
                  ["run", graph], ["plan", graph], ["plan", faulty], ["sweep", graph, "-v", "--runs", "1"],
                  ["inspect", graph], ["inspect", record], ["judge", record], ["ops"], ["ops", "softmax"], ["options"],
                  ["devices", "-v"], ["power", "--list"], ["power", graph, "--faults", "scaled"],
                  ["search", graph, "--steps", "1"]):
    text, status = run(*arguments)
    expect(status in (0, 1), f"exit status {status} of {arguments}", text)
    table = [line for line in lines_of(text) if not line.startswith("    repro: ")]
    wide = [line for line in table if len(line) > COLUMNS and " " in line.strip()]
    expect(not wide, f"{arguments} has a line that is too wide", wide)
    expect("\x1b[K" not in "".join(table), f"{arguments} leaves its progress bar behind", table)
shutil.rmtree(scratch)

narrow, _ = run("options", columns=60)
expect(all(len(line) <= 60 for line in lines_of(narrow)), "options is too wide for 60 columns", narrow)
overview, _ = run("--help")
commands = re.findall("^  ([a-z]+)  ", overview.split("Subcommands:")[1].replace("\r\n", "\n"), re.MULTILINE)
expect(len(commands) > 10, "the overview names no commands", overview)
for command in commands:
    text, status = run(command, "--help")
    expect(status == 0, f"exit status {status}", text)
    expect(all(len(line) <= COLUMNS for line in lines_of(text)), f"help of {command} is too wide", text)
    narrow, _ = run(command, "--help", columns=60)
    expect(all(len(line) <= 60 for line in lines_of(narrow)), f"help of {command} is too wide for 60 columns", narrow)
    example = [line for line in lines_of(text) if line.startswith(f"  plumb {command}")]
    expect(len(example) == 1, f"help of {command} has no example", text)
    for word in re.findall(r" (--?[a-z-]+)", example[0]):
        helped = text + (run(command, example[0].split()[2], "--help")[0] if command == "policy" else "")
        expect(re.search(rf"(^|[ ,]){word}\b", helped, re.MULTILINE), f"{command} has no option {word}", text)
print(f"{len(commands)} commands fit {COLUMNS} columns")
