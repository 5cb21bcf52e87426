"""usage: cut_off.py SOURCE SCRATCH PLUMB

A run that is killed is gone on with inside: whatever the moment, its file can be read, no node that was judged is
judged again, and in the end the rows are those of a run that nothing stopped. PLUMB_KILLS says how many moments, 4
unless it says so; 40 take some minutes.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

SOURCE, SCRATCH, PLUMB = sys.argv[1:4]
KILLS = int(os.environ.pop("PLUMB_KILLS", "4"))
PART, NODES = pathlib.Path("cut.h5.part"), pathlib.Path("cut.h5.part.nodes")
MAGIC = b"plumb.nodes/1\n"
VERIFY = ["verify", "model.gguf", "--prompt-tokens", "24", "--decode", "1", "--candidate", "cpu"]
RESUMED = [*VERIFY, "-o", "cut.h5", "--resume"]


def plumb(status, *words):
    """What it prints; it must end with that status, or one of these."""
    done = subprocess.run([PLUMB, *words], capture_output=True, text=True)
    wanted = status if isinstance(status, tuple) else (status,)
    assert done.returncode in wanted, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def nodes_by_run():
    """The numbers of the nodes that are kept, by the texts that name their run. None of a run is there twice."""
    found = {}
    data = NODES.read_bytes() if NODES.exists() else b""
    at = len(MAGIC)
    assert not data or data.startswith(MAGIC[: len(data)]), "another file has the name"
    while at + 16 <= len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        entry = data[at + 16 : at + 16 + size]
        if len(entry) < size:
            break  # it was being written
        if entry[:1] == b"r":
            nodes = found.setdefault(entry, set())
        else:
            (node,) = struct.unpack_from("<Q", entry, 1)
            assert node not in nodes, f"node {node} was judged twice"
            nodes.add(node)
        at += 16 + size
    return {run: nodes for run, nodes in found.items() if nodes}


def runs_in_part():
    if not PART.exists():
        return 2 if pathlib.Path("cut.h5").exists() else 0
    if b"HDF" not in PART.read_bytes()[:8]:
        return 0  # it was killed before it began
    plumb(0, "inspect", PART, "--check-schema")
    plumb((0, 4), "report", PART, "--json", "part.json", "--force")  # 0: only its name was left to do
    return len(json.load(open("part.json"))["cases"])


def numbers(file):
    """All that a report says of its cases, but for times, names of runs, and what was kept."""
    left_out = ("wall_seconds", "reference_ns", "device_ns", "uuid", "notes", "repro")

    def kept(x):
        if isinstance(x, dict):
            return {key: kept(value) for key, value in x.items() if key not in left_out}
        return [kept(one) for one in x] if isinstance(x, list) else x

    return kept(json.load(open(file))["cases"])


def finish(wanted):
    """Goes on to the end, which is that of a run that nothing stopped. Of recorded cases the report says less."""
    before, recorded = nodes_by_run(), runs_in_part()
    said = plumb(0, *RESUMED, "--json", "cut.json", "--force")
    for nodes in before.values():
        assert f": {len(nodes)} node{'s' * (len(nodes) != 1)} judged" in said, said
        assert f"{len(nodes)} of " in said and "were judged before the run was cut off" in said, said
    assert plumb(0, "inspect", "cut.h5", "--digest=values") == wanted, "the rows are other ones"
    assert numbers("cut.json")[recorded:] == numbers("whole.json")[recorded:], "the report is another one"
    left = [path.name for path in pathlib.Path().glob("cut.h5.*")]
    assert not left, left
    return bool(before)


def kill_at(moment):
    """Whether it still ran then."""
    process = subprocess.Popen([PLUMB, *RESUMED], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0, process.returncode
    return False


def kill_often(wanted, whole_time):
    """Kills it at random moments, and looks at what is left each time."""
    chance = random.Random(36)
    kept, recorded, inside, finished = {}, 0, 0, 0
    for _ in range(KILLS):
        while not kill_at(chance.uniform(0, whole_time)):
            finished += 1
            assert plumb(0, "inspect", "cut.h5", "--digest=values") == wanted, "the rows are other ones"
            os.remove("cut.h5")
            kept, recorded = {}, 0
        now, runs = nodes_by_run(), runs_in_part()
        assert runs >= recorded, "a run that was recorded is lost"
        for run, nodes in kept.items():
            assert nodes <= now.get(run, set()) or runs > recorded, "a node that was judged is lost"
        inside += any(now.get(run, set()) - nodes for run, nodes in {**dict.fromkeys(now, set()), **kept}.items())
        kept, recorded = now, runs
    print(f"{KILLS} kills, {inside} of them behind a node that was judged; {finished} runs ended before theirs")


def cut_inside(least):
    """Leaves a run that was killed behind so many nodes."""
    for file in pathlib.Path().glob("cut.h5*"):
        file.unlink()
    process = subprocess.Popen([PLUMB, *RESUMED], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while sum(map(len, nodes_by_run().values())) < least:
        assert process.poll() is None, "it ended before it was killed"
    process.kill()
    process.wait()


def refuse():
    """Other options, another model and another file are none to go on with, and nothing is lost by asking."""
    cut_inside(5)
    kept = nodes_by_run()

    def refuses(why, words):
        said = plumb(2, *words)
        assert why in said, said
        assert nodes_by_run() == kept, "nodes were lost"

    refuses("recorded with another --filter", [*RESUMED, "--filter", "attn"])
    refuses("recorded with another --repeat", [*RESUMED, "--repeat", "2"])
    refuses("was cut off with settings: candidate=cpu", [*RESUMED, "--mode", "propagate"])
    refuses("was cut off with policy=none", [*RESUMED, "--policy", f"{SOURCE}/tests/parity/policy/loose.toml"])
    shutil.copy("model.gguf", "kept.gguf")
    refuses("was cut off inside model.gguf", ["verify", "kept.gguf", *RESUMED[2:]])
    make_model("2")
    refuses("was cut off with feeds=", RESUMED)
    shutil.move("kept.gguf", "model.gguf")


def interrupt():
    """Who interrupts a run is told how many nodes of it are kept."""
    cut_inside(5)

    def count():
        return sum(map(len, nodes_by_run().values()))

    before = count()
    process = subprocess.Popen([PLUMB, *RESUMED], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while count() <= before:
        assert process.poll() is None, process.communicate()[0]
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == -signal.SIGINT, process.returncode
    assert "0 cases and " in said and " of another are recorded in cut.h5.part" in said, said
    assert PART.exists() and NODES.exists()


def find_fault():
    """What fails is told in the same way by who judged it and by who goes on behind it; without --resume all begins
    anew."""
    fault = ["--plant", "nan@blk.0.ffn_up"]
    plumb(1, *VERIFY, *fault, "--json", "whole.json", "--force", "-o", "whole_fault.h5")
    wanted = plumb(0, "inspect", "whole_fault.h5", "--digest=values")
    global RESUMED
    resumed, RESUMED = RESUMED, [*RESUMED, *fault]
    cut_inside(12)
    said = plumb(1, *RESUMED, "--json", "cut.json", "--force")
    assert "were judged before the run was cut off" in said, said
    assert plumb(0, "inspect", "cut.h5", "--digest=values") == wanted, "the rows are other ones"
    assert numbers("cut.json") == numbers("whole.json"), "the report is another one"
    cut_inside(12)
    said = plumb(1, *VERIFY, *fault, "-o", "cut.h5")
    assert "were judged before" not in said and not NODES.exists(), said
    RESUMED = resumed


def make_model(seed):
    types = ["--types", "q8_0,f16", "--blocks", "2", "--width", "256", "--feed-forward", "512"]
    subprocess.run(
        [sys.executable, f"{SOURCE}/scripts/make_gguf.py", "model.gguf", *types, "--seed", seed], check=True
    )


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
    make_model("1")
    start = time.monotonic()
    plumb(0, *VERIFY, "-o", "whole.h5", "--json", "whole.json")
    whole_time = time.monotonic() - start
    print(f"{whole_time:.1f} s without a kill")
    wanted = plumb(0, "inspect", "whole.h5", "--digest=values")
    kill_often(wanted, whole_time)
    finish(wanted)
    refuse()
    assert finish(wanted), "there was nothing to go on with"
    interrupt()
    assert finish(wanted), "there was nothing to go on with"
    find_fault()


main()
