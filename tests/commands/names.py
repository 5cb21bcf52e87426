"""usage: names.py COUNT REPORT.json...: the cases of these reports of plumb verify have COUNT different ids, as many
keys, and no uuid twice; cases of one id have one key. Prints the ids."""
import json
import sys

cases = [case for name in sys.argv[2:] for case in json.load(open(name, encoding="utf-8"))["cases"]]
names = {(case["id"], case["key"]) for case in cases}
for index, what in enumerate(("ids", "keys")):
    found = {name[index] for name in names}
    assert len(found) == len(names) == int(sys.argv[1]), (what, sorted(names))
assert len({case["uuid"] for case in cases}) == len(cases), "a uuid is there twice"
for case in cases:
    print(case["id"])
