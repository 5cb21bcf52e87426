"""Shows of part A: one network by four kinds of candidates, dumps with values left out, candidates that go wrong."""
import json
import os
import pathlib
import re
import sys
import time

from shows.context import ELSEWHERE, ROOT, Skipped, processes_with

BERT = ROOT / "fixtures/graphs/bert_tiny.json"
SCORES = ROOT / "tests/commands/graphs/scores.json"


def rows(cases):
    return [{key: value for key, value in node.items() if key not in ELSEWHERE} for node in cases[0]["nodes"]]


def measured(cases):
    """What was computed, and how far off that is; not the limits, which depend on what is known of the sums. Of values
    that no kernel stores there is nothing."""
    def error_of(node, part, what):
        return node[part] and node[part][what]
    return [(node["node"], node["verdict"], node["out_hash"], error_of(node, "local", "max_abs"),
             error_of(node, "local", "max_ulp"), error_of(node, "inherited", "max_abs")) for node in cases[0]["nodes"]]


def apart(some, others):
    """The nodes that two runs measure otherwise, but for those that only one of them could judge by themselves: verify
    looks at some values that kernels compute inside, where that leaves all bits as they are, and a dump has none."""
    judged_alike = [one["group"] == other["group"] and (one["local"] is None) == (other["local"] is None)
                    for one, other in zip(some[0]["nodes"], others[0]["nodes"])]
    pairs = [(one if is_alike else one[2], other if is_alike else other[2])
             for is_alike, one, other in zip(judged_alike, measured(some), measured(others))
             if is_alike or None not in (one[2], other[2])]
    return [one for one, other in pairs if one != other], sum(judged_alike)


def a1(c):
    """bert_tiny by our executors, by a dump of theirs, by a program and by a plugin around the CPU's."""
    named = {"cpu": "cpu", "exec": f"exec:{sys.executable} {ROOT}/tests/commands/candidates/cpu.py 1",
             "plugin": f"plugin:{c.cpu()}"}
    c.require(c.run("run", BERT, "--on", "cpu", "--save-inputs", "in.npz", "--force").code == 0, "the inputs")
    for place in ("cpu", "gpu") if c.has_device() else ("cpu",):
        dumped = c.run("dump", BERT, "--from", place, "-o", f"{place}.npz", "--force")
        c.require(dumped.code == 0, f"a dump of {place}", dumped)
        named[f"file_of_{place}"] = f"file:{place}.npz#{place}"
    if "file_of_gpu" in named:
        named["vulkan"] = "vulkan"
    cases = {}
    for name, spec in named.items():
        fed = ["--load-inputs", "in.npz"] if name.startswith("file") else []
        done = c.run("verify", BERT, "--candidate", spec, "--json", "a1.json", "--force", *fed)
        if c.require(done.code == 0, f"bert_tiny by {name}", done):
            cases[name] = c.cases("a1.json")
    for name in ("exec", "plugin"):
        c.require(rows(cases[name]) == rows(cases["file_of_cpu"]), f"{name} and a dump have other rows")
        c.require(measured(cases[name]) == measured(cases["cpu"]), f"{name} and cpu measure otherwise")
    if "vulkan" in cases:
        differ, alike = apart(cases["file_of_gpu"], cases["vulkan"])
        c.require(not differ, f"a dump of the device, and the device: {differ[:3]}")
        c.require(alike >= 60, f"{alike} of 65 nodes are judged alike by a dump of the device and the device")
    return f"{len(cases['cpu'][0]['nodes'])} rows, equal by {', '.join(named)}" + \
        ("" if "vulkan" in named else "; without a device")


def a2(c):
    """Clean runs with half of the values hidden, and the faults that power demands in those that are shown: it says how
    many it does not see. These are within the limits of their groups, which are wider than those of a node alone, so
    that the specification's "failed, mistrusted or unsupported" is more than can be had."""
    seeds = 100 if c.budget == "full" else 2
    done = c.run(pathlib.Path(sys.executable), ROOT / "scripts/hidden_values.py", c.plumb, seeds, timeout=36000)
    c.require(done.code == 0, "hidden values", done)
    told = [done.said.strip().splitlines()[-1]]
    for graph in (BERT, SCORES, ROOT / "fixtures/graphs/bert_tiny_f16.json"):
        if not graph.exists():
            continue
        done = c.run("power", graph, "--candidate", f"plugin:{c.cpu()}:half", "--json", "power.json", "--force",
                     timeout=3600)
        c.require(done.code in (0, 1), f"power of {graph.stem}", done)
        missed = [line for line in done.said.splitlines() if line.startswith("missed ")]
        beyond = [line for line in missed if "within the limit" not in line]
        c.require(not beyond, f"{graph.stem}: missed, though beyond the limit: {beyond[:3]}")
        told.append(f"{graph.stem}: {done.said.strip().splitlines()[-1]}")
    return "; ".join(told)


def a3(c):
    """Results alone have one sigma_max as a dump and as what is expected, where both have one lambda: in one run."""
    import numpy as np
    results = json.loads(BERT.read_text())["results"]
    told = []
    for seed in (1, 2, 3):
        flags = ("--seed", seed)
        chosen = "|".join(re.escape(name) for name in results)
        done = c.run("dump", BERT, "--from", "cpu", "--nodes", f"^({chosen})$", "-o", "results.npz", "--force", *flags)
        c.require(done.code == 0, "a dump of the results", done)
        with np.load(c.folder / "results.npz") as dump:
            np.savez(c.folder / "named.npz", **{name: dump[f"cpu/{name}"] for name in results})
        done = c.run("verify", BERT, "--candidate", "file:named.npz", "--expected", "named.npz", "--json", "a3.json",
                     "--force", *flags)
        c.require(done.code == 0, "results alone", done)
        case = c.cases("a3.json")[0]
        # The first result is judged from the inputs on in both ways; others as a dump on what the first one is.
        ours = next(node["local"] for node in case["nodes"] if node["node"] == results[0])
        theirs = next(one["comparison"] for one in case["expected"] if one["value"] == results[0])
        for key in ("sigma_max", "ratio", "max_abs"):
            c.require(ours[key] == theirs[key] is not None, f"{key}: {ours[key]} as a dump, {theirs[key]} as expected")
        told.append(repr(ours["sigma_max"]))
    return f"sigma_max of {results[0]}: {', '.join(told)}"


# A program of plumb.exec/1 on any graph of one f32 softmax: it ends as its first word says.
BAD_PROGRAM = r"""
import json, os, signal, sys, time
how, folder = sys.argv[1], sys.argv[2]
request = json.load(open(folder + "/request.json"))
answer = {"schema": "plumb.exec/1", "candidate": {"name": "bad"}}
if request["action"] == "run":
    job = request["jobs"][0]
    value = {**job["wanted"][0], "file": "out/0.bin"}
    count = 4
    for extent in value["shape"]:
        count *= extent
    open(folder + "/out/0.bin", "wb").write(bytes(count))
    if how == "segfault": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "abort": os.abort()
    if how == "silence": os._exit(0)
    if how == "sleep" and os.fork() >= 0: time.sleep(60)
    while how == "endless": print("on and on")
    if how == "shape": value["shape"] = value["shape"][::-1]
    if how == "dots": value["file"] = "out/../../0.bin"
    if how == "vast": value["shape"] = [1 << 20, 1 << 20]
    answer["jobs"] = [{"id": 0, "status": "ok", "runs": [{"values": [value]}]}]
text = json.dumps(answer)
if how == "garbage" and request["action"] == "run": text = text[:-9]
open(folder + "/part", "w").write(text)
os.rename(folder + "/part", folder + "/response.json")
"""
# By kind what can go wrong, the exit code and the words.
ENDS = {"segfault": (3, "SIGSEGV"), "abort": (3, "SIGABRT"), "silence": (3, "answer"),
        "sleep": (3, "gave no answer within 2 s"), "endless": (3, "gave no answer within 2 s")}
ANSWERS = {"shape": (1, "the graph says"), "garbage": (3, "parse error"), "vast": (3, "has .* bytes")}
BAD = {"exec": {**ENDS, **ANSWERS, "dots": (3, r"\.\.")}, "plugin": {**ENDS, **ANSWERS, "dots": (1, "'y'")},
       "tvmffi": ENDS}


def a4(c):
    """Nine bad candidates of three kinds, each beside a good one."""
    graph = c.folder / "one.json"
    graph.write_text(json.dumps({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[6, 40]"}}, "results": ["y"],
                                 "nodes": [{"label": "y", "op": "softmax", "axis": -1, "inputs": ["x"]}]}))
    program = c.folder / "bad.py"
    program.write_text(BAD_PROGRAM)
    specs = {"exec": f"exec:{sys.executable} {program} HOW", "plugin": f"plugin:{c.cpu()}:HOW",
             "tvmffi": f"tvmffi:{c.cpu()}::run"}
    tried = 0
    for kind, faults in BAD.items():
        for fault, (code, words) in faults.items():
            tried += 1
            what = f"{kind}, {fault}"
            bad = "bad=" + specs[kind].replace("HOW", fault)
            done = c.run("verify", graph, "--candidate", "cpu", "--candidate", bad, "-o", "a4.h5", "--json", "a4.json",
                         "--force", "--candidate-timeout", 2, timeout=120, SHOW_OP="softmax",
                         SHOW_ATTRIBUTES='{"axis": -1}', SHOW_FAULT=fault)
            if not c.require(done.code == code, f"{what}: exit {done.code}, not {code}", done):
                continue
            cases = c.cases("a4.json")
            said = cases[1]["message"] + " ".join(node["why"] for node in cases[1]["nodes"])
            c.require(re.search(words, said), f"{what}: '{said[:300]}' lacks '{words}'")
            c.require(cases[0]["verdict"] == "passed", f"{what}: the other candidate is {cases[0]['verdict']}")
            c.require(c.run("inspect", "a4.h5", "--check-schema").code == 0, f"{what}: the results file")
    time.sleep(1)
    c.require(not processes_with(str(c.folder) + "/bad.py"), "a program is left running")
    c.require(not processes_with(str(c.cpu())), "a host is left running")
    left = [path for place in ("/dev/shm", os.environ.get("TMPDIR", "/tmp"))
            for path in pathlib.Path(place).glob("plumb-exchange-*")
            if not pathlib.Path("/proc", path.name.split("-")[2]).exists()]
    c.require(not left, f"folders are left: {left}")
    return f"{tried} candidates"


SHOWS = {"A1": a1, "A2": a2, "A3": a3, "A4": a4}
