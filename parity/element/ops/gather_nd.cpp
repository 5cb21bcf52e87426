// y[b, i, j] = x[b, indices[b, i, 0 .. m - 1], j].
#include "ir/ops/gather_nd.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::GatherNd& op, const Call& call) {
  const ir::Shape &x = call.in(0), &indices = call.in(1);
  const auto batch = static_cast<std::size_t>(op.batch_dims), given = static_cast<std::size_t>(indices.back());
  const std::size_t leading = indices.size() - 1;
  Position tuple(call.at().begin(), call.at().begin() + static_cast<std::ptrdiff_t>(leading));
  Position in_x(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(batch));
  tuple.push_back(0);
  for (std::size_t k = 0; k < given; ++k) {
    tuple.back() = static_cast<std::int64_t>(k);
    in_x.push_back(call.index(1, tuple, x[batch + k]));
  }
  in_x.insert(in_x.end(), call.at().begin() + static_cast<std::ptrdiff_t>(leading), call.at().end());
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
