// Replays dot products bit for bit as a profile says that a device adds them, matrix units included.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/op.hpp"
#include "ir/tensor.hpp"
#include "parity/compare/elements/unit_sums.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

__extension__ typedef __int128 Wide;

/// How sums are grouped, innermost first (ir::Sum::levels).
using Levels = std::vector<ir::SumLevel>;

/// One sum of all terms, in their order.
Levels one_chain();

/// f32 arithmetic as IEEE 754 has it, but for subnormals that are flushed.
Products plain_products(bool fused, Subnormals subnormals = Subnormals::kept);

/// Whether the emulator can replay a sum of so many terms: it must be in the order of the contract, without
/// compensation, and its levels must say which terms each item takes.
bool is_replayable(const ir::Sum& sum, std::int64_t terms);

/// Sums products as a kernel does: by the model of Products for what its unit adds at once, and in its levels, whose
/// items are joined in f32, to nearest.
class ProductEmulator {
 public:
  /// Throws Error unless everything about the products is known.
  ProductEmulator(const Products& products, const Levels& levels);

  /// The sum over k of a[k] b[k], rounded to f32 in the end. The numbers are those of the
  /// operands' dtype; what is not finite propagates as in IEEE 754.
  float dot(std::span<const float> a, std::span<const float> b) const;

  /// A number of f32 as the device keeps it: a subnormal one becomes 0 where it flushes these.
  float kept(float x) const;

  /// Numbers that are summed with others, prepared once for all sums that they are part of: a row, or columns side by
  /// side. Bits that operands lose before they are multiplied are removed.
  struct Prepared {
    std::vector<float> plain;
    std::vector<double> numbers;
    std::vector<std::int64_t> exponents;
    std::vector<bool> is_finite;  ///< by line
  };
  using Sums = compare::elements::UnitResults;
  static constexpr std::size_t at_once = compare::elements::sums_at_once;

  /// Lines of as many numbers, at most `at_once` and with those that are missing as zeros where `side_by_side`.
  Prepared prepared(std::span<const std::span<const float>> lines, bool side_by_side) const;
  /// Puts other numbers, of as many lines, in place of term k of columns.
  void set_term(Prepared& columns, std::size_t k, std::span<const float> numbers) const;
  /// Whether dots() may be asked: f64 has room for what this unit keeps. dot() always may.
  bool makes_many() const { return makes_many_; }
  /// The sums of a row and each of these columns, which are dot()'s in every bit but where one says that it overflowed,
  /// which an operand that is not finite counts for by units that are not f32's own: these have to be asked of dot().
  void dots(const Prepared& row, const Prepared& columns, Sums& sums) const;

 private:
  struct Term {
    double value = 0;
    int exponent = 0;  ///< by which it is aligned
  };
  struct Format {
    int bits, min_exponent, max_exponent;
  };

  /// A number significand 2^exponent in the accumulator's format.
  double rounded(Wide significand, int exponent) const;
  Term product(float a, float b) const;
  double add_block(std::span<const Term> terms, double sum) const;
  /// Terms begin, begin + step, ... before `end`.
  struct Terms {
    std::size_t begin, end, step;
    std::size_t count() const { return begin < end ? (end - begin + step - 1) / step : 0; }
  };
  /// The sum that the unit itself makes, beginning at 0.
  double sum(std::span<const float> a, std::span<const float> b, Terms terms) const;
  float plain_sum(std::span<const float> a, std::span<const float> b, Terms terms) const;
  /// The sum that the levels below number `level` of outer_ make.
  float level_sum(std::span<const float> a, std::span<const float> b, Terms terms, std::size_t level) const;
  float operand(float x) const;
  bool has_exponents() const { return !rules_.is_plain && !rules_.is_normalized; }
  void set(Prepared& lines, std::size_t at, std::size_t line, float number) const;
  int place_of(float x) const;
  void level_sums(const compare::elements::UnitOperands& operands, Terms terms, std::size_t level, Sums& sums) const;
  std::size_t run_of(Terms terms, std::size_t level) const;

  Products products_;
  Levels outer_;                         ///< those above what the unit sums by itself
  std::vector<std::size_t> capacities_;  ///< terms that an item of each of these takes; 0: as many as there are
  Format accumulator_;
  int operand_min_exponent_, extra_bits_;
  std::size_t group_;  ///< in terms, of any number where there are none
  bool flushes_, cuts_operands_, is_plain_, makes_many_;
  compare::elements::UnitRules rules_;
};

/// Whether the emulator replays sums of an op to their bits: matmul, gemm and conv.
bool is_product(const ir::Op& op);

/// The result of type `out` that a device gives for a matmul, gemm or conv of f16, bf16 or f32 on these inputs, where
/// its kernel adds like this; nothing for another op or dtype.
std::optional<ir::Tensor> emulate(const ir::Op& op, std::span<const ir::TensorView> inputs, const ir::TensorType& out,
                                  const Products& products, const ir::Sum& sum);

}  // namespace plumb::parity::profile
