#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.hpp"

namespace plumb::ir {

/// The unit that adds two numbers of a sum, and with it their roundings.
enum class SumUnit {
  fma,       ///< one rounding for product and addition
  separate,  ///< the product is rounded, then the sum
  either,    ///< the compiler of the device decides which of the two
  matrix,    ///< a matrix unit, which adds several products at once as its profile says
};
constexpr auto enum_names(SumUnit) { return std::array<std::string_view, 4>{"fma", "separate", "either", "matrix"}; }

/// Which terms an item of a level takes: neighbours, or every count-th.
enum class SumTake { run, every };
constexpr auto enum_names(SumTake) { return std::array<std::string_view, 2>{"run", "every"}; }

/// How the items of a level are joined: one after the other, as a balanced tree of pairs, or inside a matrix unit.
enum class SumJoin { chain, pair, unit };
constexpr auto enum_names(SumJoin) { return std::array<std::string_view, 3>{"chain", "pair", "unit"}; }

/// The sum that a kernel makes, of those that its op has: error models ask by it how their sum is added.
enum class SumName {
  product,   ///< factors of matrices, filters, frequencies
  taps,      ///< points around a position
  window,    ///< a pooled line or image
  columns,   ///< overlapping windows, as columns
  windows,   ///< overlapping windows, as frames
  updates,   ///< values that are scattered to one place
  states,    ///< a recurrence, decayed
  prefix,    ///< the elements before each place of a line
  rotation,  ///< a pair that is turned
  distance,  ///< differences of two rows, or their products
  powers,    ///< magnitudes or squares of a line
  squares,   ///< squares of a line, without its mean
  mean,      ///< a line, for its mean
  variance,  ///< squares about the mean
  scores,    ///< a query and a key
  row_sum,   ///< exponentials of a row
  values,    ///< values, weighted by these
  sum,       ///< a reduction; those below have the names of their functions
  l1,
  l2,
  sum_square,
  log_sum,
  log_sum_exp
};
constexpr auto enum_names(SumName) {
  return std::array<std::string_view, 23>{"product", "taps",     "window",     "columns",  "windows",    "updates",
                                          "states",  "prefix",   "rotation",   "distance", "powers",     "squares",
                                          "mean",    "variance", "scores",     "row_sum",  "values",     "sum",
                                          "l1",      "l2",       "sum_square", "log_sum",  "log_sum_exp"};
}

/// An operation of a kernel behind its sum.
enum class SumStep {
  alpha,
  bias,
  activation,
  scale,
  division,
  softcap,
  residual,
  silu,
  translation,
  power,
  skip,
  root,
  log10
};
constexpr auto enum_names(SumStep) {
  return std::array<std::string_view, 13>{"alpha",   "bias",     "activation", "scale",       "division",
                                          "softcap", "residual", "silu",       "translation", "power",
                                          "skip",    "root",     "log10"};
}

/// One level of a sum: `count` items share out its terms and are joined.
struct SumLevel {
  std::int64_t count = 0;  ///< 0: as many as there are
  SumTake take = SumTake::run;
  SumJoin join = SumJoin::chain;
  bool compensated = false;  ///< the error of each addition is carried as a second number
  bool operator==(const SumLevel&) const = default;
};

/// How a kernel adds one of its sums, as data: from the kernel to the limit of its error, the emulator, the self-test,
/// the results file and `plumb plan` (verdict.md V19).
///
///   tiled_wide        unit fma      levels [{0 run chain}]
///   vector, 64 lanes  unit either   levels [{256 run chain} {0 run chain} {64 every pair}]
///   coopmat split4    unit matrix   levels [{16 run unit} {0 run chain} {4 run chain}]
struct Sum {
  SumName of = SumName::product;
  SumUnit unit = SumUnit::separate;
  DType accumulator = DType::f32;
  std::vector<SumLevel> levels = {};   ///< innermost first
  std::string order = "contract";      ///< "contract" (verdict.md 2), or a permutation of it: "reversed", "taps_first"
  bool is_rounded = false;             ///< the result goes on as one rounded number rather than as a pair
  std::vector<SumStep> epilogue = {};  ///< the kernel's operations behind the sum, in order
  std::int64_t rescale = 0;            ///< terms after which a running maximum may scale the sum; 0: never
  bool operator==(const Sum&) const = default;
};

/// The accumulator of a kernel with these sums: the one of largest unit roundoff; nothing where there is no sum.
std::optional<DType> accumulator_of(std::span<const Sum> sums);

/// A sum on one line, for people: "product: matrix f32 [{16 run unit} {0 run chain}]", then what else is not as usual.
std::string to_text(const Sum& sum);

}  // namespace plumb::ir
