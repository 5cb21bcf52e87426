#pragma once

#include <string>
#include <vector>

#include "parity/checks/exact/rule.hpp"

/// Makers of the rules in parity/checks/exact/ops. That folder has a file for every op
/// whose rule does not follow from its loops:
///
///   Rule rule(const ir::ops::X&, ir::Types in, ir::Types out)
namespace plumb::parity::checks::exact {

/// The op makes numbers that no float holds, for this reason.
Rule rounds(std::string why);

/// An elementwise op, each element of which is the sum of these terms.
Rule adds(std::vector<Term> terms);

/// An op whose elements sum many products; the op itself, on absolute values, gives the size of the sum.
Rule adds_up(const ir::Op& op, std::vector<Term> terms);

/// A sum over a divisor; nothing but a power of two keeps it exact.
Rule mean(const ir::Op& sum, std::int64_t divisor);

/// Updates (operand 2) scattered into operand 0, added where several meet.
Rule scattered(const ir::Op& op, ir::Types in, ir::Types out);

/// A Fourier transform of so many points: sums alone where roots of unity are ±1 and ±i.
Rule fourier(std::int64_t points, double scale);

/// How many terms one element sums; at least 1.
std::int64_t terms_of(const ir::Op& op, ir::Types in, ir::Types out);

}  // namespace plumb::parity::checks::exact
