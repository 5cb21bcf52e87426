#!/usr/bin/env python3
"""Holds what `plumb run MODEL.gguf --tokens TOKENS --decode M -o MODEL.npz` gave to one forward pass in f64.

usage: decoded.py TOKENS MODEL...

The pass is over the prompt and all tokens that were drawn, as forward.py has it, with no cache. In each run the logits
must be those of f32 roundings, and the token the likeliest, unless the two likeliest are as near. Passes over another
sequence must be told apart: one without the token that a step read, as from a stale row, one with two of its tokens
exchanged, as from rows one off, and one whose first token is the last drawn, as from an append that wraps.
"""

import sys

import numpy
from forward import Model, model_of

# This is a share of the largest logit: decoders of two blocks differ from f64 by 1e-6 of it, and faults by 1e-2.
ROUNDINGS = 1e-5


def error(logits, wanted):
    return numpy.abs(logits - wanted).max(axis=-1) / numpy.abs(wanted).max(axis=-1)


def judge(name, prompt):
    kept = numpy.load(f"{name}.npz")
    logits, drawn = kept["logits"][0].astype(float), kept["tokens.next"][0].tolist()
    runs = len(drawn)
    model = Model(model_of([f"{name}.gguf"]), "", rows=len(prompt) + runs - 1)
    read = prompt + drawn[:-1]
    wanted = model.logits(read, runs)
    errors = error(logits, wanted)
    assert logits.shape == wanted.shape and errors.max() < ROUNDINGS, f"{name}: errors {errors} of the largest logit"
    for run, token in enumerate(drawn):
        best = wanted[run].max()
        assert best - wanted[run][token] <= 2 * ROUNDINGS * best, f"{name}: run {run} drew {token}"
    at = len(prompt)
    wrong = {"stale": read[:at] + [read[at - 1]] + read[at + 1:], "off": read[:-2] + read[:-3:-1],
             "wrapped": read[-1:] + read[1:]}
    for fault, tokens in wrong.items():
        if tokens != read:
            found = error(logits[-1], model.logits(tokens)[0])
            assert found > 100 * ROUNDINGS, f"{name}: {fault} rows are within {found} of the largest logit"
    return errors.max()


def main():
    prompt = [int(one) for one in sys.argv[1].split(",")]
    worst = max(judge(name, prompt) for name in sys.argv[2:])
    print(f"{len(sys.argv) - 2} models, errors of up to {worst:.1e} of the largest logit")


if __name__ == "__main__":
    main()
