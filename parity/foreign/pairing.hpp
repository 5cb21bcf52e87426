#pragma once

// Finds the values of a graph among a candidate's tensors, by name and never by position (library.md A).

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parity/foreign/candidate.hpp"
#include "parity/foreign/name_map.hpp"
#include "parity/foreign/names.hpp"

namespace plumb::parity::foreign {

/// A tensor that a candidate has, without its numbers.
struct Offered {
  std::string name;
  ir::TensorType type;
};

/// The tensor that a value was found to be.
struct Paired {
  std::size_t tensor = 0;  ///< its place in the list of what is offered
  Pairing method = Pairing::exact;
  std::vector<std::int64_t> transpose = {};  ///< axes of the tensor in the order of the value's; empty: the same

  bool operator==(const Paired&) const = default;
};

struct Pairs {
  std::map<ir::Value, Paired> values;
  std::vector<std::string> notes;  ///< rules and names that did not decide
};

/// Pairs by map, then by exact names, then by normalised ones. A value keeps the tensor that was found first. Throws
/// Error where a map gives one value two tensors, or transposes a tensor of another rank.
Pairs pair_by_name(const Names& names, const std::vector<Offered>& offered, const std::optional<NameMap>& map = {});

/// Norms by value or by tensor: the root of the sum of squared magnitudes, in f64.
using ValueNorms = std::map<ir::Value, double>;
double norm_of(const ir::TensorView& tensor);

/// Pairs what has no pair yet: a tensor and a value of equal shape, both of floats, say, whose norms differ by at most
/// 10^-3 of the truth's, where this is so of no other truth and of no other tensor, paired or not. Norms that are 0 or
/// not finite say nothing. `norm` is called for tensors that have the shape of a value without a pair.
void pair_by_statistics(const ir::Graph& graph, const std::vector<Offered>& offered, const ValueNorms& truths,
                        const std::function<double(std::size_t tensor)>& norm, Pairs& pairs);

/// One remark on each tensor that has no pair, with the nearest name, as far as a reader wants to see them.
std::vector<std::string> unmatched(const Names& names, const std::vector<Offered>& offered, const Pairs& pairs);

}  // namespace plumb::parity::foreign
