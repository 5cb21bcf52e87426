"""voice.cpp in Python: voice.py MODEL.onnx SAMPLES.npy cpu|vulkan[:DEVICE]

Finds speech in samples, chunk by chunk: the network's state stays in the executor's memory, a chunk goes up, and one
probability comes down. The loop through the host, which follows, must give the same bits.
"""
import sys

import numpy as np
import plumbline as pl

# Silero's networks read, at 16 kHz, 512 new samples behind the last 64 of the chunk before.
FRESH, SEEN = 512, 64
RATE = np.array(16000)


def chunks_of(samples):
    sound = np.concatenate([np.zeros(SEEN, np.float32), samples])  # silence comes before the first sample
    return [sound[None, at:at + SEEN + FRESH] for at in range(0, len(samples) - FRESH + 1, FRESH)]


def resident(graph, executor, network, chunks):
    rate = executor.buffer(graph.inputs["sr"])
    rate[...] = RATE
    cx = network.context()
    cx.bind("sr", rate)  # it goes up once
    cx.feed("stateN", "state")
    heard = []
    for chunk in chunks:
        cx.submit({"input": chunk}).wait()
        heard.append(cx.buffer("output")[0, 0])
    up, down = cx.traffic()
    print(f"{len(chunks)} chunks, {sum(p > 0.5 for p in heard)} of them speech; state: {cx.how('stateN')}; "
          f"{up} bytes up and {down} down a chunk")
    return np.array(heard)


def through_host(graph, network, chunks):
    state, heard = np.zeros(graph.inputs["state"].shape, np.float32), []
    for chunk in chunks:
        results = network.run({"input": chunk, "sr": RATE, "state": state})
        heard.append(results["output"][0, 0])
        state = results["stateN"]
    return np.array(heard)


def main(model, samples, where):
    file = np.load(samples)
    chunks = chunks_of(file[file.files[0]] if hasattr(file, "files") else file)
    if not chunks:
        raise pl.Error(f"{samples}: fewer than {FRESH} samples")
    graph = pl.Graph.read(model, shapes={"batch": 1, "sequence": SEEN + FRESH}, inputs={"sr": RATE})
    executor = pl.Candidate(where)
    feeds = graph.feeds()
    weights = executor.params({name: feeds[name] for name in graph.params})
    network = executor.compile(graph, weights, wanted=["output", "stateN"])
    here, there = resident(graph, executor, network, chunks), through_host(graph, network, chunks)
    is_equal = here.tobytes() == there.tobytes()
    print("through the host:", "equal bits" if is_equal else "other bits")
    return 0 if is_equal else 1


if len(sys.argv) != 4:
    sys.exit(f"usage: {sys.argv[0]} MODEL.onnx SAMPLES.npy cpu|vulkan[:DEVICE]")
try:
    sys.exit(main(*sys.argv[1:]))
except pl.Unsupported as reason:
    print("not here:", reason)
    sys.exit(77)
except pl.Error as problem:
    print(problem, file=sys.stderr)
    sys.exit(2)
