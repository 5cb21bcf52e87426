#!/usr/bin/env python3
"""planted.py FOLDER: judges the trees that planted.cmake made in FOLDER. expected.txt there has a line of each: a
check, a tab, and what the check must say of it, or "nothing" where nothing is to be found."""
import contextlib
import importlib
import io
import pathlib
import sys


def ending(check, tree):
    """What a check ends with, and what it says."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            status = importlib.import_module(check).main(tree)
        except SystemExit as end:
            status = 1
            said.write(str(end.code))
    return status, " ".join(said.getvalue().split())


def main(folder):
    wrong = 0
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(expected):
        check, verdict = line.split("\t")
        status, said = ending(check, folder / str(number))
        if verdict == "nothing" and status != 0:
            print(f"{check}: found in an innocent tree: {said}")
        elif verdict != "nothing" and (status == 0 or verdict not in said):
            print(f"{check}: did not find: {verdict}")
        else:
            continue
        wrong += 1
    print(f"{len(expected)} trees, {wrong} of them judged wrongly")
    return 1 if wrong or not expected else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
