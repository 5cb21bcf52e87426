// Fills of tensors by distribution and seed: the same numbers on every machine and for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/tensor.hpp"

namespace plumb::ir {

enum class Distribution { normal, uniform, uniform_int, bernoulli, constant, range, adversarial, packed };

constexpr auto enum_names(Distribution) {
  return std::array<std::string_view, 8>{"normal",   "uniform", "uniform_int", "bernoulli",
                                         "constant", "range",   "adversarial", "packed"};
}

/// Numbers that are hard on some arithmetic (verdict.md V55; docs/fills.md says what each is). What becomes of a tensor
/// depends on what the graph does with it, so that ir/adversarial makes them.
enum class AdversarialKind {
  stagnating,
  creeping,
  risen_fallen,
  wave,
  alternating,
  sorted,
  few_valued,
  constant,
  cancelling,
  scaled_lines,
  outliers,
  tiny_sink,
  saturated,
  masked,
  far_line,
  equal_lines,
  ties,
  subnormal,
  huge,
  specials,
  edges
};

constexpr auto enum_names(AdversarialKind) {
  return std::array<std::string_view, 21>{
      "stagnating", "creeping",    "risen_fallen", "wave",      "alternating", "sorted",    "few_valued",
      "constant",   "cancelling",  "scaled_lines", "outliers",  "tiny_sink",   "saturated", "masked",
      "far_line",   "equal_lines", "ties",         "subnormal", "huge",        "specials",  "edges"};
}

/// How a tensor is filled: a distribution and the parameters that belong to it; the
/// others are not looked at.
struct Fill {
  Distribution distribution = Distribution::normal;
  double mean = 0, scale = 1;                ///< normal
  double low = 0, high = 1;                  ///< uniform: [low, high); uniform_int: low, ..., high - 1
  double probability = 0.5;                  ///< bernoulli: of 1
  double value = 0;                          ///< constant
  double start = 0, delta = 1;               ///< range: element i is start + i delta
  std::optional<AdversarialKind> kind = {};  ///< adversarial; none: the seed chooses
  std::string format = {};                   ///< packed: what the bytes are codes of (ir/kernels/packed/fill.hpp)

  bool operator==(const Fill&) const = default;
};

/// One parameter of one distribution, for readers, writers and documents.
struct FillParameter {
  Distribution distribution;
  std::string_view name;
  double Fill::*member;
};

inline constexpr std::array fill_parameters = {
    FillParameter{Distribution::normal, "mean", &Fill::mean},
    FillParameter{Distribution::normal, "scale", &Fill::scale},
    FillParameter{Distribution::uniform, "low", &Fill::low},
    FillParameter{Distribution::uniform, "high", &Fill::high},
    FillParameter{Distribution::uniform_int, "low", &Fill::low},
    FillParameter{Distribution::uniform_int, "high", &Fill::high},
    FillParameter{Distribution::bernoulli, "probability", &Fill::probability},
    FillParameter{Distribution::constant, "value", &Fill::value},
    FillParameter{Distribution::range, "start", &Fill::start},
    FillParameter{Distribution::range, "delta", &Fill::delta},
};

/// The fill of a tensor of this dtype for which none is chosen: normal numbers,
/// small integers, fair coins.
Fill default_fill(DType dtype);

/// Throws Error when a tensor of this dtype cannot be filled so: normal and uniform
/// make reals and complex numbers, uniform_int integers and reals, bool takes bernoulli
/// and constants 0 and 1 only, and every integer made must fit the dtype.
void check_fill(const TensorType& type, const Fill& fill);

/// The tensor filled, by the formulas of ops.md B.3; the same numbers on every machine
/// and for any number of threads. Normal and uniform complex tensors are real ones of
/// twice the length; the other distributions give them no imaginary part. Throws Error
/// as check_fill does, and for adversarial numbers, which depend on a graph (ir/adversarial), and packed ones.
Tensor fill(const TensorType& type, const Fill& fill, std::uint64_t seed, std::uint32_t stream);

/// The stream of the tensor called `name`: each has numbers of its own.
std::uint32_t stream_of(std::string_view name);

/// Puts values of the same tensor in the place of others, so that hardly any function gives the same for both: those of
/// its second half, each twice, from the last on, and floats with the other sign. A reversal alone would leave a
/// maximum or a histogram what it is. Indices stay in range.
void make_other(Tensor& x);

}  // namespace plumb::ir
