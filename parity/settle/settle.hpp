#pragma once

#include "parity/cases/settled.hpp"
#include "parity/settle/subject.hpp"

/// Elements whose error, beyond what storing them takes, is more than half of the limit that a whole tensor is held to
/// at first. That limit is the mean over all orders of the terms, which data in no particular order stay far below;
/// these few are looked at one by one, term by term, as their kernel added them (verdict.md V15 to V26).
namespace plumb::parity::settle {

/// How many open elements are looked at: all, or, once one of them is clearly beyond all that is allowed it, no more
/// than until 2^22 terms have been walked.
enum class Looks { at_all, until_one_fails };

/// An output of which open elements were looked at: its limits, with those of these elements, and how they came out.
struct SettledOutput {
  compare::Allowed allowed;
  cases::Settled counts = {};
};

/// Looks at open elements of output `k`; at none where no sum of the segment can be walked. `bounded` is the segment's
/// own evaluation, with the limits of whole tensors.
SettledOutput settle(const Subject& subject, std::size_t k, const bounds::Bounded& bounded, const ir::TensorView& got,
                     Looks looks = Looks::at_all);

/// The effective limit of every element of output `k`, as if all were open (verdict.md V15): it takes as long as the
/// node by itself, term by term.
compare::Allowed exact_limits(const Subject& subject, std::size_t k, const bounds::Bounded& bounded, ir::DType dtype);

}  // namespace plumb::parity::settle
