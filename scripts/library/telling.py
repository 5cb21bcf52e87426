"""Says what came of the models: lines as they end, then tables."""
from library.verifying import ENDINGS


def say_ends(judged):
    """A line for each dtype that did not end with 0, or one for a model that was not exported."""
    if judged.not_exported:
        print(f"{judged.name}: not exported: {judged.not_exported}", flush=True)
    for run in judged.runs:
        if run.code != 0:
            ended = "" if run.code is None else f" (exit code {run.code})"
            print(f"{judged.name} {run.dtype}: {run.ending}{ended} in {run.seconds} s: {run.detail}", flush=True)


def say_reasons(title, reasons):
    if reasons:
        print(f"\n{title}, {len(reasons)}:\n")
        for name, reason in reasons:
            print(f"* {name}: {reason}")


def say_all(dtypes, judged):
    """Endings by dtype, and what was not exported or not held against expected outputs, with the reasons."""
    print("\n| dtype | " + " | ".join(ENDINGS) + " |\n|---|" + "---|" * len(ENDINGS))
    for dtype in dtypes:
        endings = [run.ending for one in judged for run in one.runs if run.dtype == dtype]
        print(f"| {dtype} | " + " | ".join(str(endings.count(ending)) for ending in ENDINGS) + " |")
    exported = [one for one in judged if one.export]
    say_reasons("Not exported", [(one.name, one.not_exported) for one in judged if one.not_exported])
    say_reasons("Verified without expected outputs", [(one.name, one.export["why_no_expected"]) for one in exported
                                                      if one.export["why_no_expected"]])
    say_reasons("Not run by onnxruntime", [(one.name, one.export["onnxruntime_failure"]) for one in exported
                                           if one.export["onnxruntime_failure"]])
    say_reasons("Exported by TorchScript, as dynamo failed", [(one.name, one.export["dynamo_failure"])
                                                              for one in exported if one.export["dynamo_failure"]])
    repeat = [(f"{one.name} {run.dtype}", f"`{run.command}`") for one in judged for run in one.runs
              if run.ending in ("failed", "error") and run.command]
    say_reasons("To repeat what failed", repeat)
