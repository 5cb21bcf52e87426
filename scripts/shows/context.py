"""What the Shows of the library have in common: the built tree, a scratch folder, and how a run ends."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
Run = collections.namedtuple("Run", "code said seconds")
# Two ways to run a graph may differ in these of a node: times, places, and how a value was found.
ELSEWHERE = {"placement", "placement_reason", "device_ns", "reference_ns", "paired", "repro", "kernel", "tile",
             "accumulation", "sums", "replays", "limit", "next"}


class Skipped(Exception):
    """A Show that cannot be run here, and why."""


class Context:
    def __init__(self, build, folder, budget="usual", runs=3, only=""):
        self.build, self.folder, self.budget, self.runs, self.only = build, folder, budget, runs, only
        self.plumb = build / "bin/plumb"
        self.library = build / "lib/libplumbline.so.1"
        self.problems = []
        # The Python that runs this is the one that candidates are run by.
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PLUMBLINE_LIBRARY": str(self.library),
                            "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")}

    def run(self, *words, timeout=600, cwd=None, **environment):
        """A command of plumb's, or of another program where the first word is a path."""
        command = [str(word) for word in words]
        if not isinstance(words[0], pathlib.Path):
            command.insert(0, str(self.plumb))
        start = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              cwd=cwd or self.folder, timeout=timeout, check=False,
                              env={**self.environment, **environment})
        return Run(done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - start)

    def require(self, holds, what, ended=None):
        """Notes a problem, with the end of what a run said, and goes on."""
        if not holds:
            self.problems.append(what + ("" if ended is None else f"\n    exit {ended.code}: {ended.said[-600:]}"))
        return holds

    def cases(self, file):
        return json.loads((self.folder / file).read_text())["cases"]

    def cpu(self):
        """shows/cpu.c as a library: our CPU executor as a function and as a plugin of somebody else's."""
        return self.compiled("cpu", "-I", ROOT / "library", self.library, f"-Wl,-rpath,{self.library.parent}", "-lm")

    def softmax(self):
        """shows/softmax.c as a library: a function that brings no library of its own."""
        return self.compiled("softmax", "-lm")

    def compiled(self, name, *words):
        """shows/NAME.c as a shared library, made once."""
        made = self.folder / f"{name}.so"
        if not made.exists():
            compiler = shutil.which("cc")
            if compiler is None:
                raise Skipped("there is no C compiler")
            done = self.run(pathlib.Path(compiler), "-std=c99", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared",
                            ROOT / f"scripts/shows/{name}.c", "-o", made, *words)
            if done.code != 0:
                raise RuntimeError(done.said)
        return made

    def has_device(self):
        return re.search(r"usable|\[0\]|^0", self.run("devices").said, re.M) and \
            self.run("verify", ROOT / "tests/commands/graphs/scores.json", "-q").code == 0

    def fastest(self, runs, *words, **environment):
        """The fewest seconds of several runs, which all must end with 0."""
        best = float("inf")
        for _ in range(runs):
            done = self.run(*words, **environment)
            self.require(done.code == 0, f"{' '.join(map(str, words[:3]))} is timed and ends otherwise", done)
            best = min(best, done.seconds)
        return best


def processes_with(text):
    """Processes whose command line has this text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text in (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(
                    errors="replace") and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:
            pass
    return found
