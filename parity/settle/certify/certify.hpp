#pragma once

#include <optional>
#include <span>
#include <string>

#include "parity/bounds/bounded.hpp"
#include "parity/cases/certificate.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/settle/subject.hpp"
#include "parity/sums/double_double.hpp"

namespace plumb::parity::settle::certify {

/// Compares output `k` of a segment with its truth, as far as is `allowed`. Elements of which the truth is too
/// uncertain to say on which side of its limit the error is are computed again in double-double, and stay so in
/// `bounded`: of ops whose terms can be walked and of norms, line by line, where the segment is one node; in order, as
/// long as no more than 2^26 terms are added. Complex numbers are not looked through for such elements. `got` is what
/// the candidate made of its operands.
compare::Comparison certify(const settle::Subject& subject, std::size_t k, bounds::Bounded& bounded,
                            const compare::Allowed& allowed, const ir::TensorView& got,
                            cases::Certificate& certificate);

/// Element `index` of the first output of the op that is walked, on f64 operands.
std::optional<sums::DoubleDouble> element_of(const element::terms::Walker& walker, std::size_t index);

}  // namespace plumb::parity::settle::certify
