#pragma once

#include <vector>

#include "parity/compare/scan.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The certain limit of an element, with what storing it takes; where none is known, the probable one.
double certain_at(const compare::Limit& limit, double truth, std::size_t i);

/// The misses of the host, where it runs a segment natively, that no order of rounding explains: an intermediate result
/// left the range there (verdict.md V34).
struct HostRange {
  /// Whether any node of the segment misses its own truth, on the operands that the host gave it. Where none does, its
  /// misses at the end come from the roundings between nodes, which a fused kernel has not.
  bool is_left = false;
  /// By element of the output, how far the host may be off without having left the range: the certain limit of plain
  /// chains, whatever the candidate's kernel does. Empty where the segment is more than one node, or has none.
  std::vector<double> certain = {};
};

/// Runs the segment natively and holds each of its nodes to its own limits.
HostRange host_range(const Subject& subject, std::size_t k);

}  // namespace plumb::parity::settle
