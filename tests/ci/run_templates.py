#!/usr/bin/env python3
"""usage: run_templates.py DOCS/CI.MD SCRATCH GRAPHS PLUMB...

Reads the files that the section "Templates" of a page shows, each with its name in the first line, and runs their steps
in order, as the systems would: clean, when every step ends with 0 and leaves its artefacts, and with a rule that a node
cannot keep to, when the gate ends with 1 and every report names the node. A block without a name, and a step that is
neither a command nor an action that is listed here, is an error that names its line.
"""
import os
import re
import shutil
import subprocess
import sys

ACTIONS = {"actions/checkout@v4", "actions/upload-artifact@v4", "actions/download-artifact@v4"}
GROOVY = re.compile(r"[\w ]*(\('[\w ]+'\) )?\{|\}|agent any|junit '[\w.]+'|archiveArtifacts '[\w., *-]+'|")
MODELS = 'schema = "plumb-cases/1"\n{}\n[[case]]\nmodel = "scores.json"\n\n[[case]]\nmodel = "dense.json"\n'
STRICT = 'schema = "plumb-policy/1"\n[[rule]]\nid = "none"\nmatch = { op = "softmax" }\nrequire = { max_abs = 0.0 }\n'
NODE = "p"  # the softmax of scores.json


class Step:
    def __init__(self, command, job, always, shards):
        self.command, self.job, self.always, self.shards = command, job, always, shards


def fail(line, what):
    sys.exit(f"ci.md:{line}: {what}")


def blocks_of(page):
    """(name, language, [(line number, line)]) of each block of the section."""
    inside, language, lines = False, None, []
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("## "):
            inside = line == "## Templates"
        if not inside:
            continue
        if line.startswith("```") and language is None:
            language, lines = line[3:], []
        elif line.startswith("```"):
            named = re.fullmatch(r"(?:#|//) (\S+)", lines[0][1]) if lines else None
            if not named:
                fail(number, "a block without a name in its first line")
            yield named[1], language, lines
            language = None
        elif language is not None:
            lines.append((number, line))


def steps_of_yaml(lines):
    """Commands of GitHub's `run` and of GitLab's `script`, with their job and its number of shards."""
    steps, job, section, always = [], "", "", False
    shards = {}
    indent = "  " if any(line == "jobs:" for _, line in lines) else ""
    for number, line in lines:
        text = line.strip()
        opened = re.fullmatch(indent + r"(\w+):", line)
        if opened:
            job, section, always = opened[1], "", False
        section = text[:-1] if text in ("steps:", "script:") else section
        always |= text in ("if: always()", "when: always")
        counted = re.search(r"shard: \[([\d, ]+)\]|parallel: (\d+)", text)
        if counted:
            shards[job] = len(counted[1].split(",")) if counted[1] else int(counted[2])
        if not text.startswith("- "):
            continue
        item = text[2:]
        if item.startswith("uses: "):
            if item[6:] not in ACTIONS:
                fail(number, f"'{item[6:]}' is no action that is listed in {os.path.basename(__file__)}")
        elif item.startswith("run: ") or section == "script":
            steps.append(Step(item.removeprefix("run: "), job, always, shards.get(job, 1)))
        else:
            fail(number, f"'{item}' is neither a command nor an action")
    return steps


def steps_of_groovy(lines):
    steps = []
    for number, line in lines[1:]:
        command = re.fullmatch(r"sh '(.*)'", line.strip())
        if command:
            steps.append(Step(command[1], "jenkins", False, 1))
        elif not all(GROOVY.fullmatch(part.strip()) for part in re.split(r"(?<=\{)|;|(?=\})", line)):
            fail(number, f"'{line.strip()}' is neither a command nor a step that is known")
    return steps


def steps_of(name, language, lines):
    if language == "yaml":
        return steps_of_yaml(lines)
    if language == "groovy":
        return steps_of_groovy(lines)
    if name == "Makefile":
        return [Step("make", name, False, 1)]
    if name == "CMakeLists.txt":
        return [Step("cmake -S . -B build && ctest --test-dir build --output-on-failure", name, False, 1)]
    if name.endswith((".sh", ".sbatch")):
        return [Step(f"sh -e {name}", name, name == "report.sbatch", 4 if "report" not in name else 1)]
    return []


def environment_of(folder):
    """The variables of every system at once: templates read those of their own."""
    systems = ("GITHUB_", "CI_", "SLURM_", "TEST_")
    known = {name: value for name, value in os.environ.items() if not name.startswith(systems)}
    outputs = os.path.join(folder, "outputs")
    os.makedirs(outputs, exist_ok=True)
    return {**known, "BUNDLE": os.path.join(folder, "..", "..", "plumbline.tar.gz"), "GITHUB_WORKSPACE": folder,
            "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md"), "TEST_UNDECLARED_OUTPUTS_DIR": outputs}


def own_variables(name, shard, shards):
    if name == ".gitlab-ci.yml":
        return {"CI_NODE_INDEX": str(shard), "CI_NODE_TOTAL": str(shards)}
    if name == "verify.sh":
        return {"TEST_SHARD_INDEX": str(shard - 1), "TEST_TOTAL_SHARDS": str(shards)}
    if name.endswith(".sbatch"):
        return {"SLURM_ARRAY_TASK_ID": str(shard), "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": str(shards)}
    return {}


def run(steps, name, folder):
    """The exit codes of the steps that a system would take, and all that they print."""
    codes, said, failed = [], "", set()
    for step in steps:
        for shard in range(1, step.shards + 1):
            if (step.job, shard) in failed and not step.always:
                continue
            command = step.command.replace("${{ matrix.shard }}", str(shard))
            ended = subprocess.run(["sh", "-e", "-c", command], cwd=folder, check=False, stdin=subprocess.DEVNULL,
                                   env={**environment_of(folder), **own_variables(name, shard, step.shards)},
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            codes.append(ended.returncode)
            said += ended.stdout
            one = os.path.join(folder, "plumb.xml")
            if step.shards > 1 and os.path.exists(one):  # a share has a folder of its own
                os.rename(one, os.path.join(folder, f"plumb-{shard}.xml"))
            if ended.returncode:
                failed.add((step.job, shard))
    return codes, said


def clone(scratch, kind, files, graphs):
    folder = os.path.join(scratch, kind)
    os.makedirs(folder)
    for graph in ("scores.json", "dense.json"):
        shutil.copy(os.path.join(graphs, graph), folder)
    texts = {**files, "models.toml": MODELS.format('[defaults]\npolicy = "strict.toml"' if kind == "planted" else ""),
             "strict.toml": STRICT}
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def pack(scratch, plumb):
    """What scripts/bundle.sh makes, as far as templates see it: here the host stands in for the device."""
    home = os.path.join(scratch, "plumbline-x86_64")
    os.makedirs(os.path.join(home, "bin"))
    program = os.path.join(home, "bin", "plumb")
    quoted = " ".join(f"'{word}'" for word in plumb)
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\ncommand=$1\nshift\n[ "$command" != verify ] || set -- "$@" --candidate cpu\n'
                   f'exec {quoted} "$command" "$@"\n')
    os.chmod(program, 0o755)
    subprocess.run(["tar", "-czf", os.path.join(scratch, "plumbline.tar.gz"), "-C", scratch, "plumbline-x86_64"],
                   check=True)


def reports_in(folder):
    """Those that a template wrote: in its folder, outside of what was built and unpacked there."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("build", "plumb")]
        found += [os.path.join(parent, name) for name in names if name.endswith((".xml", ".html", ".md"))]
    return found


def unnamed(reports):
    """Reports of a run in which the node failed that do not say so: of shares one has to."""
    failures = [re.search(rf'name="{NODE}[ "][^<]*>(?s:.*?)<failure', text) for path, text in reports.items()
                if path.endswith(".xml")]
    if failures and not any(failures):
        yield "no JUnit file has the node"
    for path, text in reports.items():
        if not path.endswith(".xml") and not re.search(rf"scores.*json {NODE}\b.*softmax", text):
            yield f"{os.path.basename(path)} does not name the node"


def check_refusals(scratch):
    """What no system would run is an error that names its line."""
    for text, wanted in (("```sh\necho\n```", "ci.md:4: a block without a name"),
                         ("```yaml\n# a.yml\n  steps:\n      - uses: a/b@v1\n```", "ci.md:5: 'a/b@v1' is no action"),
                         ("```yaml\n# a.yml\n  steps:\n      - with: x\n```", "ci.md:5: 'with: x' is neither"),
                         ("```groovy\n// Jenkinsfile\n  bat 'x'\n```", "ci.md:4: 'bat 'x'' is neither")):
        page = os.path.join(scratch, "ci.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("## Templates\n" + text + "\n")
        try:
            for block in blocks_of(page):
                steps_of(*block)
        except SystemExit as refused:
            assert str(refused.code).startswith(wanted), (refused.code, wanted)
        else:
            raise AssertionError(f"{text!r} is not refused")


def main():
    page, scratch, graphs = (os.path.abspath(path) for path in sys.argv[1:4])
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    check_refusals(scratch)
    pack(scratch, sys.argv[4:])
    blocks = list(blocks_of(page))
    files = {name: "\n".join(line for _, line in lines) + "\n" for name, _, lines in blocks}
    assert len(files) == len(blocks), "two blocks have one name"
    ran, problems = 0, []
    for kind in ("clean", "planted"):
        for name, language, lines in blocks:
            steps = steps_of(name, language, lines)
            if not steps or name == "report.sbatch":  # which goes with the other
                continue
            if name == "verify.sbatch":
                steps += steps_of("report.sbatch", "sh", [])
            folder = clone(os.path.join(scratch, re.sub(r"\W", "_", name)), kind, files, graphs)
            codes, said = run(steps, name, folder)
            ran += len(codes)
            reports = {path: open(path, encoding="utf-8").read() for path in reports_in(folder)}
            wanted = {0} if kind == "clean" else {0, 1}
            if name == "CMakeLists.txt" and kind == "planted":
                wanted = {0, 8}  # ctest's own
            if name == "Makefile" and kind == "planted":
                wanted = {0, 2}  # make's own
            if not codes or set(codes) - wanted or (kind == "planted" and not set(codes) - {0}):
                problems.append(f"{name}, {kind}: steps ended with {codes}\n{said}")
            if not reports:
                problems.append(f"{name}, {kind}: no report is there\n{said}")
            if kind == "planted":
                problems += [f"{name}: {what}" for what in unnamed(reports)]
            if kind == "planted" and ".github" in name and f"::error " not in said:
                problems.append(f"{name}: nothing is annotated\n{said}")
    print(f"{ran} steps of {len(blocks)} files, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or ran < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
