#pragma once

#include <span>
#include <string>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/cases/expected_result.hpp"

/// Results that another implementation gave for a graph (--data, --expected). They are held to how far its roundings
/// may have moved them from the truth, through the whole graph; the candidate has no part in it, and is judged node by
/// node (verdict.md 8).
namespace plumb::parity::checks::expected {

struct Options {
  unsigned runs = 8;           ///< sign runs, 8 to 64
  std::string precision = {};  ///< "f64", "f32", "tf32", "f16" or "bf16"; empty: that of the tensors
  double lambda = 0;           ///< standard deviations allowed for; 0: as many as these tensors alone ask for
};

/// The names that Options::precision takes.
std::span<const std::string_view> precision_names();

/// How many elements of a case's expectation have a limit that chance may exceed (verdict.md V52).
std::uint64_t limits_in(const cases::Expectation& expectation);

}  // namespace plumb::parity::checks::expected
