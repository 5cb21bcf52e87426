// Exactness of scatter-nd: sums of updates, where it adds.
#include "ir/ops/scatter_nd.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::ScatterNd& op, ir::Types in, ir::Types out) { return scattered(op, in, out); }

}  // namespace plumb::parity::checks::exact
