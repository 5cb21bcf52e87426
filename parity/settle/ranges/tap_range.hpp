#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ir/ops/grid_sample.hpp"
#include "ir/ops/resize.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The weighted taps that the elements of an output are: what a tap that is not finite makes of them although its
/// weight is 0, so that it is absent (verdict.md V36), and what axes in another order make of large ones.
class TapRange {
 public:
  /// Nothing where output `k` is not that of one resize or grid_sample that weights.
  static std::optional<TapRange> of(const Subject& subject, std::size_t k);

  /// Whether `got` is what a kernel may have there: NaN or an infinity beside a finite truth, or NaN for an infinity,
  /// where it multiplies a 0 by what is not finite, or sums along one axis beyond the range; and a finite number for a
  /// truth that is not, where some source within its limit does not touch what is not finite, and sees that number,
  /// within `certain`.
  bool explains(std::size_t i, double truth, double got, double certain) const;

 private:
  /// The samples of each element from sources that are off to either side.
  struct Nearby {
    std::vector<bool> touches;        ///< whether one is not finite
    std::vector<double> least, most;  ///< the least and the largest finite one
  };
  explicit TapRange(const Subject& subject);
  Nearby sampled_around(const ir::ops::GridSample& op, double least_shift) const;
  bool resizes_to(const ir::ops::Resize& op, std::size_t i, double truth) const;

  ir::Executor* reference_;
  ir::Op op_;
  ir::TensorType x_type_;
  ir::Shape y_;
  std::vector<ir::Tensor> in_;
  bool has_infinity_ = false;  ///< or NaN, in x
  mutable std::shared_ptr<const Nearby> touched_, within_;
};

}  // namespace plumb::parity::settle
