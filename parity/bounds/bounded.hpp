#pragma once

#include <map>

#include "parity/bounds/error_model.hpp"
#include "parity/compare/telling.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::bounds {

/// The truth of a segment's outputs, how far from it each may be, and how far the truth itself may be off: it is an
/// evaluation, too, in f64, which the certain limits of the same error models hold for (docs/truth.md).
struct Bounded {
  core::Evaluated truth;
  std::vector<compare::Allowed> allowed, uncertainty;
  std::vector<compare::Line> lines;  ///< elements of each output that share a scale
};

/// How many real numbers a tensor of this type has: two for each complex one.
std::uint64_t real_numbers_of(const ir::TensorType& type);

/// How many real numbers of a segment's output `k` have a limit that chance may exceed: none where it is exact, rounded
/// once or held to a number of ulps. Known before anything is evaluated (verdict.md V52).
std::uint64_t limits_of_chance(const core::Segment& segment, std::size_t k);

/// Limits of values of a segment that are known better than by the models of their ops: those of sums whose elements
/// were looked at one by one.
using KnownErrors = std::map<ir::Value, compare::Limits>;

/// Evaluates a segment and the error models of its ops in one go (ops.md D), on tensors
/// of the widened dtypes. What an op adds is bounded by its own model and carried through those
/// behind it to first order. Throws NoModel, naming the op, where one has no such model.
Bounded evaluate_bounded(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                         const Manner& manner, const KnownErrors& known = {});
inline Bounded evaluate_bounded(ir::Executor& reference, const core::Segment& segment, const core::Lookup& fed,
                                const Manner& manner) {
  return evaluate_bounded(reference, segment, core::feeds_of(segment, fed), manner);
}
/// As evaluate_bounded() of a segment whose outputs are all judged by its error class, and whose truth is known.
Bounded bounded_by_class(const core::Segment& segment, core::Evaluated truth, const Manner& manner);

}  // namespace plumb::parity::bounds
