#!/usr/bin/env python3
"""usage: reports.py FIXTURES SCRATCH PLUMB...

Verifies the cases of FIXTURES, many in one process, and holds how each ends to the last column of the table in its
README.md: "0 / 1, 1" are the exit codes of all data that is right, and of what is wrong, one after the other. Ends with
0 where all is as the table says, with 1 where not, with 77 where there is no device.
"""
import json
import os
import subprocess
import sys

FIXTURES, SCRATCH, PLUMB = sys.argv[1], sys.argv[2], sys.argv[3:]
UNSUPPORTED = 77


def wanted_of_table():
    """By case: the exit code of what is right, and those of what is wrong."""
    wanted = {}
    for line in open(os.path.join(FIXTURES, "README.md"), encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 4 or " / " not in cells[3]:
            continue
        right, wrong = cells[3].split(" / ")
        assert cells[0] not in wanted, f"{cells[0]} has two lines"
        wanted[cells[0]] = (int(right), [] if wrong == "-" else [int(code) for code in wrong.split(",")])
    return wanted


def data_of(case):
    """Names of what is right and of what is wrong, in order."""
    names = sorted(name for name in os.listdir(os.path.join(FIXTURES, case)) if name.startswith(("right", "wrong")))
    return [n for n in names if n.startswith("right")] or [""], [n for n in names if n.startswith("wrong")]


def verify(paths, flags):
    """The exit code and the message of every graph, by its path."""
    report = os.path.join(SCRATCH, "report.json")
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([*PLUMB, "verify", "--quiet", "--json", report, *flags, *paths], cwd=FIXTURES,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if not os.path.exists(report):
        return {path: (done.returncode, done.stdout) for path in paths}
    with open(report, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    reasons = lambda case: [case["message"]] + [n["why"] for n in case["nodes"] + case["expected"] if n.get("why")]
    return {case["graph"]: (case["exit"], "; ".join(filter(None, reasons(case)))) for case in cases}


def runs_of(wanted):
    """What is run together: by flags, the wanted exit codes of graphs."""
    runs = {}

    def add(flags, path, code):
        runs.setdefault(flags, {})[path] = code

    for case, (right_code, wrong_codes) in wanted.items():
        right, wrong = data_of(case)
        assert len(wrong) == len(wrong_codes), f"{case} has {wrong}, and the table {wrong_codes}"
        for name, code in [(name, right_code) for name in right] + list(zip(wrong, wrong_codes)):
            model = f"{case}/model.onnx"
            if name.endswith(".json"):
                add((), f"{case}/{name}", code)
            elif name.endswith(".npz"):
                add(("--load-inputs", f"{case}/in.npz", "--expected", f"{case}/{name}"), model, code)
            else:
                add(("--data", name) if name else (), model, code)
    return runs


def main():
    os.makedirs(SCRATCH, exist_ok=True)
    wanted = wanted_of_table()
    folders = {name for name in os.listdir(FIXTURES) if os.path.isdir(os.path.join(FIXTURES, name))}
    assert folders == set(wanted), f"in the table or there, not both: {sorted(folders ^ set(wanted))}"
    count, wrong, skipped = 0, 0, 0
    for flags, codes in runs_of(wanted).items():
        found = verify(list(codes), flags)
        for path, code in codes.items():
            got, why = found.get(path, (None, "the report does not have it"))
            count += 1
            skipped += got == UNSUPPORTED
            if got == code:
                continue
            wrong += 1
            print(f"{' '.join(['plumb verify', path, *flags])}: ended with {got}, wanted {code}: {why}")
    print(f"{count} runs of {len(wanted)} cases, {wrong} of them ended otherwise than the table says")
    if skipped == count:
        return UNSUPPORTED
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
