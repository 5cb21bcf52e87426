"""Whether expected outputs can be held against plumb: onnxruntime and torch in f32 have to agree with torch in f64."""
import numpy as np

LIMIT = 1e-4  # of the rms
# Exporters change networks by less than that, too: for Helium onnxruntime was 6e-5 away, 43 times as far as torch in
# f32. For all but five of 200 models (Helium, LED, Longformer, BiT, CANINE) it was at most 4 times as far.
TIMES_TORCH, LEAST = 16, 1e-5


def distance(found, wanted):
    """The largest difference by the rms of what is wanted; NaN where either has one, infinite for another shape."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    if found.shape != wanted.shape:
        return float("inf")
    finite = wanted[np.isfinite(wanted)]
    if wanted.size == 0:
        return 0.0
    rms = np.sqrt(np.mean(np.square(finite))) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        differences = np.where(found == wanted, 0.0, np.abs(found - wanted))
    return float(np.max(differences) / (rms + 1e-300))


def largest_distance(found, wanted):
    """Over all outputs."""
    if len(found) != len(wanted):
        return float("inf")
    return float(np.max([distance(one, other) for one, other in zip(found, wanted)], initial=0.0))


def has_nan(outputs):
    return any(np.isnan(np.asarray(one, np.float64)).any() for one in outputs)


def why_no_expected(torch_f32, runtime):
    """Why the f64 result says nothing about the exported model, given the distances from it; empty where it does.

    runtime: of onnxruntime; None where it could not run the model
    """
    if not torch_f32 <= LIMIT:
        return f"torch's f32 result is {torch_f32:.1e} of the rms away from its f64 result"
    if runtime is None:
        return ""
    if not (runtime <= LIMIT and runtime <= max(LEAST, TIMES_TORCH * torch_f32)):
        return (f"exported as another network: onnxruntime is {runtime:.1e} of the rms away from torch's f64 result, "
                f"torch's f32 result {torch_f32:.1e}")
    return ""
