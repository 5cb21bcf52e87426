// x, and the updates of all tuples that are the position's first coordinates.
#include "ir/ops/scatter_nd.hpp"

#include "parity/element/scattered.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ScatterNd& op, const Call& call) {
  const ir::Shape& indices = call.in(1);
  const auto given = static_cast<std::size_t>(indices.back());
  std::vector<Number> updates;
  for_each(std::span(indices).first(indices.size() - 1), [&](const Position& number) {
    Position tuple = number, in_updates = number;
    tuple.push_back(0);
    for (std::size_t k = 0; k < given; ++k) {
      tuple.back() = static_cast<std::int64_t>(k);
      if (call.index(1, tuple, call.out()[k]) != call.at(k)) return;
    }
    in_updates.insert(in_updates.end(), call.at().begin() + static_cast<std::ptrdiff_t>(given), call.at().end());
    updates.push_back(call.number(2, in_updates));
  });
  return joined(joining_of(op.reduction), call.dtype_out(), call.number(0, call.at()), updates);
}

}  // namespace plumb::parity::element
