// Scatter-nd in the order of the updates, in parallel over the elements of a slice.
#include "ir/ops/scatter_nd.hpp"

#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/kernels/scatter.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ScatterNd& op, Call& call) {
  const ir::Shape& x = call.in(0).shape();
  const auto slices = kernels::slices_of(call.in(1), x);
  const auto m = static_cast<std::size_t>(call.in(1).shape().back());
  const std::int64_t inner =
      call.kept([&] { return ir::Shape(std::span<const std::int64_t>(x).subspan(m)).elements(); });
  kernels::scatter(op.reduction, call, [&](const auto& apply) {
    parallel_for(inner, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::size_t u = 0; u < slices.size(); ++u)
        for (std::int64_t j = begin; j < end; ++j)
          apply(static_cast<std::size_t>(slices[u] * inner + j),
                u * static_cast<std::size_t>(inner) + static_cast<std::size_t>(j));
    });
  });
}

}  // namespace plumb::ref_cpu
