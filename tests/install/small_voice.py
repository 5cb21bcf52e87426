"""What docs/example/voice.cpp runs on here: usage: small_voice.py FOLDER

Writes FOLDER/model.onnx, which has the inputs and outputs of Silero's voice activity detector, and samples.safetensors
beside it, which grow loud and quiet again. The state is halved and takes up the mean of |x|; above 0.5 that is speech.
Python alone is needed.
"""

import json
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from make_onnx_rates import FLOAT, INT64, field, node, tensor, value_info  # noqa: E402


def mean(value, output, axis, keeps):
    axes = field(5, field(1, "axes") + field(8, axis) + field(20, 7))
    return node("ReduceMean", [value], output, axes + field(5, field(1, "keepdims") + field(3, keeps) + field(20, 2)))


def scalar(name, number):
    return tensor(name, FLOAT, [], struct.pack("<f", number))


def model():
    graph = node("Abs", ["input"], "loudness") + mean("loudness", "level", 1, 1)
    graph += node("Mul", ["state", "half"], "rest") + node("Add", ["rest", "level"], "stateN")
    graph += mean("stateN", "lines", 0, 0) + mean("lines", "heard", 1, 1)
    graph += node("Sub", ["heard", "half"], "score") + node("Sigmoid", ["score"], "output") + field(2, "small_voice")
    graph += scalar("half", 0.5)
    graph += value_info(11, "input", FLOAT, ["batch", "sequence"]) + value_info(11, "sr", INT64, [])
    graph += value_info(11, "state", FLOAT, [2, "batch", 128]) + value_info(12, "output", FLOAT, ["batch", 1])
    graph += value_info(12, "stateN", FLOAT, [2, "batch", 128])
    return field(1, 8) + field(2, "small_voice.py") + field(7, graph) + field(8, field(1, "") + field(2, 13))


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "model.onnx").write_bytes(model())
count = 10 * 512 + 100
samples = [math.sin(k / 3) * math.sin(k / count * math.pi) ** 2 for k in range(count)]
header = json.dumps({"samples": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
data = struct.pack(f"<Q{len(header)}s{count}f", len(header), header, *samples)
(folder / "samples.safetensors").write_bytes(data)
