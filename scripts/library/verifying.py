"""Exports models and runs `plumb verify` on each in every dtype, several models at a time.

Each export is a process of its own, with a limit of time: what one model does, the others do not see.
"""
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

EXPORT_SECONDS, VERIFY_SECONDS = 200, 300
MOST_DETAIL = 400  # characters
ENDINGS = ("passed", "mistrusted", "incomplete", "failed", "error", "unsupported")
BY_CODE = {0: "passed", 1: "failed", 2: "error", 3: "error", 77: "unsupported"}


@dataclasses.dataclass
class Run:
    """One `plumb verify`."""
    dtype: str
    ending: str
    code: int | None  # None: it was not done in time
    seconds: float
    detail: str
    command: str


@dataclasses.dataclass
class Judged:
    name: str
    export: dict | None = None  # what its export.json says
    not_exported: str = ""  # why
    runs: list = dataclasses.field(default_factory=list)


def run_to_file(command, seconds, log):
    """Its exit code, None where it was not done in time; what it said is in the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as said:
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                  timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            return None


def last_line(log, prefix=""):
    """The last line of those that begin so, without the beginning."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    lines = [line.removeprefix(prefix) for line in lines if line and line.startswith(prefix)]
    return lines[-1] if lines else ""


def abnormal_end(code, seconds):
    """Of a process that ended by itself: nothing."""
    if code is None:
        return f"was not done in {seconds} s"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return ""


def export(options, name, judged):
    """Gives the model's folder, or says in `judged` why there is none."""
    folder, log = options.work / "models", options.work / "logs" / f"{name}.export.txt"
    command = [sys.executable, str(options.program), "export", name, str(folder)]
    code = run_to_file(command, EXPORT_SECONDS, log)
    if code != 0:
        reason = last_line(log, f"{name}: not exported: ") or last_line(log) or f"ended {code}"
        judged.not_exported = abnormal_end(code, EXPORT_SECONDS) or reason
        shutil.rmtree(folder / f"{name}.part", ignore_errors=True)  # of a process that was ended
        return None
    judged.export = json.loads((folder / name / "export.json").read_text())
    return folder / name


def case_of(report):
    """Of the report of one case; nothing where there is no report."""
    try:
        return json.loads(report.read_text())["cases"][0]
    except (OSError, ValueError, LookupError):
        return None


def counted(nodes):
    """"2 mistrusted (matmul, softmax)", for every verdict but what passed or had nothing to judge."""
    ops = collections.defaultdict(list)
    for node in nodes:
        if node["verdict"] not in ("passed", "skipped"):
            ops[node["verdict"]].append(node["op"])
        elif node["lacks_truth"]:
            ops["without a truth"].append(node["op"])
    return [f"{len(of)} {verdict} ({', '.join(sorted(set(of)))})" for verdict, of in sorted(ops.items())]


def detail_of(case):
    parts = [case["message"]] if case["message"] else []
    parts += counted(case["nodes"])
    guilty = case["first_guilty"]
    if guilty:
        parts.append(f"first guilty: {guilty['text']}")
    for one in case["expected"]:
        if one["verdict"] != "passed":
            parts.append(f"expected {one['value']}: {one['verdict']}" + (f", {one['why']}" if one["why"] else ""))
    text = " ".join("; ".join(parts).split())
    return text if len(text) <= MOST_DETAIL else text[:MOST_DETAIL] + "..."  # the log has all


def ending_of(code, case):
    """What `plumb verify --strict` came to: 4 says only that not everything was verified."""
    if code == 4:
        verdicts = {one["verdict"] for one in [case, *case["nodes"], *case["expected"]]} if case else set()
        return "mistrusted" if "mistrusted" in verdicts else "incomplete"
    return BY_CODE.get(code, "error")


def verify(options, folder, dtype):
    """Expected outputs are of the network in f32: storage in 16 bits makes another of it."""
    data = folder / ("test_data_set_0" if dtype == "f32" else "inputs")
    stem = options.work / "logs" / f"{folder.name}.{dtype}"
    log, report = stem.with_name(stem.name + ".txt"), stem.with_name(stem.name + ".json")
    report.unlink(missing_ok=True)
    command = [options.plumb, "verify", str(folder / "model.onnx"), "--data", str(data), "--dtype", dtype, "--strict"]
    begun = time.monotonic()
    code = run_to_file([*command, "--width", "200", "--json", str(report)], VERIFY_SECONDS, log)
    seconds = time.monotonic() - begun
    case = case_of(report)
    detail = abnormal_end(code, VERIFY_SECONDS) or (detail_of(case) if case else last_line(log))
    return Run(dtype, ending_of(code, case), code, round(seconds, 1), detail, shlex.join(command))


def judge(options, name):
    """All of one model. Nothing of it may stop the others."""
    judged = Judged(name)
    try:
        folder = export(options, name, judged)
        for dtype in options.dtypes if folder else ():
            judged.runs.append(verify(options, folder, dtype))
    except Exception as failure:
        trouble = f"{type(failure).__name__}: {failure}"
        if judged.export is None:
            judged.not_exported = trouble
        else:
            dtype = options.dtypes[len(judged.runs)]
            judged.runs.append(Run(dtype, "error", None, 0.0, trouble, ""))
    return judged


def what_runs(plumb):
    """The program's version and its devices, as it says them."""
    said = []
    for arguments in (["--version"], ["devices"]):
        done = subprocess.run([plumb, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=VERIFY_SECONDS)
        said.append(done.stdout.strip())
    return said


def judge_all(options, names, done):
    """Calls done(judged) for each model as it is done; gives all in order."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(judge, options, name) for name in names]
        try:
            for one in concurrent.futures.as_completed(waiting):
                done(one.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        return [one.result() for one in waiting]


def write_json(file, head, judged):
    """Whole or not at all."""
    part = file.with_name(file.name + ".part")
    document = head | {"models": [dataclasses.asdict(one) for one in judged]}
    part.write_text(json.dumps(document, indent=1) + "\n")
    part.replace(file)


def folder_of(text):
    return pathlib.Path(text).resolve()
