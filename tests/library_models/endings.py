"""How scripts/library_models.py counts what exporters and `plumb verify` end with: endings.py SCRIPTS SCRATCH

Stand-ins take the place of both, since neither torch nor a device is needed to be wrong about that. A model is called
what is to become of it.
"""
import contextlib
import io
import json
import pathlib
import shutil
import sys
import types

sys.dont_write_bytecode = True
scripts, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
sys.path.insert(0, str(scripts))
from library import all_models, telling, verifying  # noqa: E402

EXPORTER = """
import json, os, pathlib, signal, sys, time
name, folder = sys.argv[2], pathlib.Path(sys.argv[3])
part = folder / f"{name}.part"
part.mkdir(parents=True)
if name == "hangs": time.sleep(600)
if name == "killed": os.kill(os.getpid(), signal.SIGKILL)
if name == "refused":
    print("refused: not exported: TorchScript: no aten::diff\\nand a last word", file=sys.stderr)
    sys.exit(1)
(part / "export.json").write_text(json.dumps(
    {"why_no_expected": "", "onnxruntime_failure": "", "dynamo_failure": ""}))
part.rename(folder / name)
"""
PLUMB = """#!{python}
import json, pathlib, sys, time
model, report = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[sys.argv.index("--json") + 1])
assert pathlib.Path(sys.argv[sys.argv.index("--data") + 1]).name == (
    "test_data_set_0" if "f32" in sys.argv else "inputs")
name, _, dtype = model.parent.name.partition("_in_")
if dtype and dtype not in sys.argv: name = "passes"
if name == "lasts": time.sleep(600)
if name == "breaks":
    print("the disk is full")
    sys.exit(2)
verdict = {{"misleads": "mistrusted", "strays": "out_of_range", "fails": "failed"}}.get(name, "passed")
node = {{"op": "matmul", "verdict": verdict, "lacks_truth": False}}
report.write_text(json.dumps({{"cases": [{{"verdict": verdict, "message": "", "nodes": [node], "expected": [],
                                           "first_guilty": None}}]}}))
sys.exit({{"fails": 1, "loses": 3, "misleads": 4, "strays": 4, "lacks": 77}}.get(name, 0))
"""
WANTED = {
    "passes": ["passed", "passed"], "fails_in_f32": ["failed", "passed"], "fails_in_f16": ["passed", "failed"],
    "breaks": ["error", "error"], "loses": ["error", "error"], "lasts_in_f16": ["passed", "error"],
    "misleads": ["mistrusted", "mistrusted"], "strays": ["incomplete", "incomplete"],
    "lacks": ["unsupported", "unsupported"], "hangs": [], "killed": [], "refused": [],
}
SAID = ("refused: not exported: TorchScript: no aten::diff\n", "hangs: not exported: was not done in 8 s\n",
        "killed: not exported: was ended by SIGKILL\n", "breaks f32: error (exit code 2)", "the disk is full\n",
        "misleads f16: mistrusted (exit code 4)", "1 mistrusted (matmul)\n", "1 out_of_range (matmul)\n",
        "| f32 | 3 | 1 | 1 | 1 | 2 | 1 |\n", "| f16 | 2 | 1 | 1 | 1 | 3 | 1 |\n", "\nNot exported, 3:\n")


def main():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    exporter, plumb = scratch / "exporter.py", scratch / "plumb"
    exporter.write_text(EXPORTER)
    plumb.write_text(PLUMB.format(python=sys.executable))
    plumb.chmod(0o755)
    verifying.EXPORT_SECONDS = verifying.VERIFY_SECONDS = 8
    options = types.SimpleNamespace(program=exporter, plumb=str(plumb), work=scratch / "work", jobs=4,
                                    dtypes=["f32", "f16"])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        judged = verifying.judge_all(options, list(WANTED), telling.say_ends)
        telling.say_all(options.dtypes, judged)
    verifying.write_json(scratch / "all.json", {}, judged)
    found = {one["name"]: [run["ending"] for run in one["runs"]]
             for one in json.loads((scratch / "all.json").read_text())["models"]}
    assert found == WANTED, found
    missing = [text for text in SAID if text not in said.getvalue()]
    assert not missing, f"{missing} are not in\n{said.getvalue()}"
    left = [path.name for path in (scratch / "work/models").glob("*.part")]
    assert not left, f"{left} were left"
    assert "bert" in all_models() and all(model.inputs for model in all_models().values())
    print(f"{len(WANTED)} models ended as they should")


if __name__ == "__main__":
    main()
