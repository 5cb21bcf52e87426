"""usage: repeat.py REPORT.json PLUMB...: the line that repeats each case of a report of plumb verify, and that of its
first node that did not pass, say the same again where the environment has none of our variables: verdicts, and hashes
of what was computed."""
import json
import os
import shlex
import subprocess
import sys


def said(nodes):
    return {(node["node"], node["of_plain_run"]): (node["verdict"], node["out_hash"]) for node in nodes}


def again(line, plumb):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PLUMB_")}
    words = shlex.split(line)
    assert words[:2] == ["plumb", "verify"], line
    ran = subprocess.run(plumb + words[1:] + ["--json", "-", "-q"], env=clean, stdout=subprocess.PIPE, check=False)
    cases = json.loads(ran.stdout)["cases"]
    assert len(cases) == 1, line
    return cases[0]


lines = 0
for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    if not case["repro"]:
        continue
    whole = again(case["repro"], sys.argv[2:])
    lines += 1
    for what in ("verdict", "exit", "id", "key"):
        assert whole[what] == case[what], (case["repro"], what, whole[what], case[what])
    judged = {key: value for key, value in said(case["nodes"]).items() if value[0] != "skipped"}
    found = said(whole["nodes"])
    assert judged == {key: found[key] for key in judged}, (case["repro"], judged, found)
    failed = [node for node in case["nodes"] if node["verdict"] not in ("passed", "skipped")]
    for node in failed[:1]:
        alone = said(again(node["repro"], sys.argv[2:])["nodes"])
        key = node["node"], node["of_plain_run"]
        assert alone[key] == judged[key], (node["repro"], alone[key], judged[key])
        lines += 1
assert lines > 0, "no line to repeat"
print(lines, "lines say the same again")
