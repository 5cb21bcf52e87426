#pragma once

#include <map>
#include <optional>
#include <string>

#include "parity/cases/expected_result.hpp"
#include "parity/checks/expected/end_to_end.hpp"

/// Other ways in which another implementation may have computed, when its results are not those of the precision that
/// they are held to.
namespace plumb::parity::checks::expected {

struct NamedPrecision {
  std::string_view name;
  bounds::runs::Precision precision;
  std::string_view meaning;  ///< "operands of products kept 11 of 24 bits": as a failure says it
};

/// All that can be named, each coarser than those before it.
std::span<const NamedPrecision> precisions();
/// Throws Error for a name that none has.
const NamedPrecision& precision_of(std::string_view name);

/// The precision that numbers of a dtype are stored in, complex ones by their parts, by its name; "" of integers.
std::string_view stored_precision(ir::DType dtype);
/// The coarser of two precisions, of which either may be "".
std::string_view coarser_of(std::string_view one, std::string_view other);

/// The graph whose results are held, and how they are.
struct Asked {
  ir::Executor& reference;
  const ir::Graph& graph;
  const ir::Feeds& feeds;
  bounds::runs::Sampling sampling;
  const bounds::runs::Evaluate& evaluate;
};

/// Tensors that failed, by the value that they are of.
using Failed = std::map<ir::Value, const ir::Tensor*>;

/// Whether every number could be kept in a narrower type as it is; infinities and NaNs could.
bool are_numbers_of(const ir::Tensor& tensor, ir::DType narrow);

/// The explanation that all failed tensors together agree with: functions that are off absolutely or, of the precisions
/// coarser than the one that it was held to, the first whose roundings are as large as the errors. Nothing where there
/// is none. Costs as many evaluations of the graph as holding the tensors did, for each that is tried.
std::optional<cases::Explanation> explain(const Asked& asked, const NamedPrecision& held, const Failed& failed);

}  // namespace plumb::parity::checks::expected
