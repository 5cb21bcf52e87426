#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.hpp"
#include "ir/executor.hpp"
#include "ir/op.hpp"

/// The numeric fingerprint of a device (docs/probe.md): what `plumb probe` finds by experiment,
/// and what bounds and the emulator read. What was not found is said to be unknown, never guessed.
namespace plumb::parity::profile {

enum class Rounding { unknown, nearest, truncating };
enum class Subnormals { unknown, kept, flushed };
enum class FmaKind { unknown, fused, separate };
enum class Known { unknown, no, yes };

constexpr auto enum_names(Rounding) { return std::array<std::string_view, 3>{"unknown", "nearest", "truncating"}; }
constexpr auto enum_names(Subnormals) { return std::array<std::string_view, 3>{"unknown", "kept", "flushed"}; }
constexpr auto enum_names(FmaKind) { return std::array<std::string_view, 3>{"unknown", "fused", "separate"}; }
constexpr auto enum_names(Known) { return std::array<std::string_view, 3>{"unknown", "no", "yes"}; }

/// How one unit of a device sums products y = sum over k of a[k] b[k], as the model of Fasi, Higham, Mikaitis
/// and Pranesh (PeerJ CS 7:e330) has it. It adds `block` products and the sum so far at once:
///
///   1. every term is aligned to the largest and cut off (toward zero) `extra_bits` below the
///      last place of an accumulator of that magnitude;
///   2. these are added exactly; the sum is rounded to `accumulator_bits`, as `rounding` says.
///
/// A fused multiply-add is a block of one of which every bit is kept; multiply, round, add is
/// the same with products that are not exact.
struct Products {
  static constexpr int every_bit = 64;  ///< extra bits: none was seen to be lost

  ir::SumUnit unit = ir::SumUnit::either;  ///< unit and accumulator name the adder as in a kernel's ir::Sum
  ir::DType operands = ir::DType::f32;     ///< dtype of a and b
  ir::DType accumulator = ir::DType::f32;
  int operand_bits = 0;  ///< bits of the significands that are multiplied, 11 for TF32; 0: unknown
  Known exact_products = Known::unknown;
  int accumulator_bits = 0;  ///< bits of its significand: 24 for f32, 11 for f16; 0: unknown
  std::optional<int> extra_bits = {};
  Known normalized = Known::unknown;  ///< products are brought to [1, 2) before they are aligned; if not, the
                                      ///< exponent of one is the sum of its operands'
  Rounding rounding = Rounding::unknown;
  int block = 0;                                ///< products added at once; 0: unknown
  int group = 0;                                ///< terms that are summed from 0 and then added, as another term,
                                                ///< to the sum so far; 0: none, each block is added to it
  Subnormals subnormals = Subnormals::unknown;  ///< among the operands, and among sums in the accumulator

  /// Half or all of the spacing at 1 of the accumulator: what one rounding may do, relative to the
  /// sum. An unknown one has the safe scale: an f32 that truncates.
  double unit_roundoff() const;
  /// Whether the emulator can replay it.
  bool is_known() const;
  bool operator==(const Products&) const = default;
};

/// The handling of subnormals of a dtype, as operands and as results.
struct SubnormalHandling {
  ir::DType dtype = ir::DType::f32;
  Subnormals in = Subnormals::unknown, out = Subnormals::unknown;
  bool operator==(const SubnormalHandling&) const = default;
};

/// Whether a b + c of the op fma is rounded once.
struct FmaHandling {
  ir::DType dtype = ir::DType::f32;
  FmaKind kind = FmaKind::unknown;
  bool operator==(const FmaHandling&) const = default;
};

/// The largest error that was seen of a function of the op unary.
struct FunctionError {
  std::string function = {};  ///< a name of ops::UnaryFunction
  ir::DType dtype = ir::DType::f32;
  double max_ulp = 0;  ///< ulps of the dtype at the truth; inf where only one side is finite
  double at = 0;       ///< the operand
  std::int64_t samples = 0;
  bool exhaustive = false;  ///< every value of the dtype was tried
  bool operator==(const FunctionError&) const = default;
};

/// How a kernel adds that was found at one place: for these operands, or by its name.
struct MeasuredSum {
  std::string op = {};                        ///< as graph files call it
  std::vector<ir::TensorType> operands = {};  ///< types of the product that was looked at
  std::string kernel = {};                    ///< as the candidate calls it; "" where it does not
  ir::Sum sum = {};
  bool operator==(const MeasuredSum&) const = default;
};

struct DeviceProfile {
  std::string name = {}, driver = {}, uuid = {};  ///< as parity::Device has them; empty: no device
  std::vector<Products> products = {};
  std::vector<SubnormalHandling> subnormals = {};
  std::vector<FmaHandling> fma = {};
  std::vector<FunctionError> functions = {};
  std::vector<MeasuredSum> sums = {};

  /// How a kernel of that name adds or, where none is known by it, one of that op on those operands; null where nobody
  /// looked.
  const MeasuredSum* sum_of(std::string_view kernel, std::string_view op, ir::Types operands) const;
  /// How the unit that makes this sum adds products of operands of that dtype; unknown in everything where that unit
  /// was not measured on these dtypes (verdict.md V27).
  Products products_of(const ir::Sum& sum, ir::DType operands) const;
  SubnormalHandling subnormals_of(ir::DType dtype) const;
  FmaKind fma_of(ir::DType dtype) const;
  /// Nothing where it was not measured.
  std::optional<double> max_ulp_of(std::string_view function, ir::DType dtype) const;

  /// The hash of everything above, as files have it: equal for equal contents only.
  std::string sha256() const;
  bool operator==(const DeviceProfile&) const = default;
};

/// The profile of a device that nobody has probed: everything is unknown.
DeviceProfile safe_profile();

/// The file of a profile (docs/probe.md): equal text for equal profiles.
std::string to_toml(const DeviceProfile& profile);

}  // namespace plumb::parity::profile
