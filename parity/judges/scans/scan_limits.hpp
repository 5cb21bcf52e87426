#pragma once

#include <algorithm>
#include <functional>

#include "parity/core/float_format.hpp"
#include "parity/judges/limits.hpp"
#include "parity/judges/recurrence.hpp"

/// Limits of the scans (verdict.md V69): states that nobody sees carry their errors from step to step, and results and
/// states that are given are held to what has come together by then.
namespace plumb::parity::judges {

/// How far the elements of one output may be off, and which of them nothing is said of.
struct ScanOutput {
  std::vector<double> deviation;  ///< σ
  std::vector<double> fixed;      ///< allowed in addition to λσ
  std::vector<double> certain;    ///< limit that only a defect exceeds
  std::vector<std::uint8_t> apart;

  explicit ScanOutput(std::int64_t elements);
  void set(std::int64_t i, double sigma, double besides, double most);
};

/// All outputs of a scan: its own, the last state, the states on the way.
struct ScanOutputs {
  std::vector<ScanOutput> outputs;
  std::int64_t every = 0, state_elements = 0;

  ScanOutput& own() { return outputs[0]; }
  /// Calls set(output, place) where element `i` of the state after step `t`, the first being 0, is given.
  template <class Set>
  void given(std::int64_t t, std::int64_t steps, std::int64_t i, const Set& set) {
    if (t + 1 == steps) set(outputs[1], i);
    if (every > 0 && (t + 1) % every == 0) set(outputs[2], ((t + 1) / every - 1) * state_elements + i);
  }
};

/// How far the factors of a scan may be off, step after step, in unit roundoffs: exponentials within 1 ulp, as
/// ops.md 1.8 asks of those inside of ops, of a product or of the difference of two cumulative sums, as chunks have
/// them. A sum is rounded by its size, that of the logarithms since its chunk began (docs/bounds.md).
class FactorErrors {
 public:
  void step(double logarithm) {
    size_ = std::abs(logarithm);
    in_64_ += size_ - in_64_ / 64;
    in_256_ += size_ - in_256_ / 256;
  }
  /// A deviation, for chunks of 64 steps: sums are a quarter of their last size at a random place of a chunk.
  double deviation() const { return 2 + size_ + in_64_ / 4; }
  /// No more than that, in chunks of 256; the mean forgets all but 1/e of what was 256 steps ago.
  double certain() const { return 2 + size_ + 2.8 * in_256_; }

 private:
  double size_ = 0, in_64_ = 0, in_256_ = 0;  ///< |ln a|, and its running means times 64 and 256
};

/// The arithmetic of a scan, and the elements whose sums are looked at closely.
struct ScanManner {
  double unit;     ///< unit roundoff of what is computed in, twice that of f64: there the truth has no more digits
  double floor;    ///< absolute error of any operation: the spacing of subnormals, or the smallest normal where
                   ///< they may be flushed
  double largest;  ///< beyond it some kernel may have an infinity
  core::FloatFormat format;  ///< that of the type that is computed in
  /// Elements that are off by more than half of what is allowed of the mean over all orders of their sums, by output.
  /// Sums of these are looked at in several orders, and what creeps in them counts; none where there is no output.
  std::vector<std::vector<bool>> open = {};

  /// The size of an operand that may be flushed to 0, else 0; products and sums lose up to `floor`.
  double lost(double operand) const { return std::abs(operand) < floor ? std::abs(operand) : 0; }
  bool holds(double x) const { return std::abs(x) <= largest; }  // false of NaN
  bool is_open(std::size_t output, std::int64_t i) const {
    return output < open.size() && open[output][static_cast<std::size_t>(i)];
  }

  /// The deviation of a sum of products of which each is rounded before it is added (verdict.md V13, V14): on the mean
  /// over all orders or, of the largest of several, where element `i` is open.
  double deviation_of(std::span<const double> products, std::int64_t i) const;
  double mean_deviation_of(std::span<const double> products) const;
  /// Error limit of their sum in any order of additions.
  double most_of(std::span<const double> products) const;
};

/// The allowance of an open element for `creep`, in addition to λ times its deviation (verdict.md V23). For terms in no
/// particular order creep is one draw of chance, which λσ covers.
inline double beyond_chance(double creep, double deviation) { return std::max(0.0, creep - deviation); }

/// Makes the limits of a scan's outputs, all elements of them.
using ScanWalk = std::function<void(const Question& question, const ScanManner& manner, ScanOutputs& made)>;

/// The dtype that a scan computes in, by its operand types, and the number of steps per given state; 0: the last only.
struct ScanKind {
  ir::DType computed;
  std::int64_t every;
};

/// The judge of a scan.
Judge judge_of_scan(std::function<ScanKind(ir::Types in)> kind_of, ScanWalk walk);

/// The types of the operands, as the candidate had them.
ir::TensorTypes types_of(const Question& question);

/// Calls fn(i) for all i below count, on all threads.
void for_each_part(std::int64_t count, const std::function<void(std::int64_t i)>& fn);

}  // namespace plumb::parity::judges
