// Small changes of a tensor's numbers, as V56 lists them.
#pragma once

#include <random>
#include <vector>

#include "ir/graph.hpp"

namespace plumb::parity::studies::search {

/// Changes the numbers of one source of the graph in one way: a stretch of the lines that its reader sums along is
/// negated, sorted, permuted or made equal, lines are snapped to a few levels or scaled, two elements are swapped, or
/// one becomes an outlier. Floats only; the numbers stay in the range of their dtype.
void change(const ir::Graph& graph, ir::Value source, ir::Tensor& tensor, std::mt19937_64& random);

}  // namespace plumb::parity::studies::search
