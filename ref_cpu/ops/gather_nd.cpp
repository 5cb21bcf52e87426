// Gather-nd: slices named by index tuples, copied whole.
#include "ir/ops/gather_nd.hpp"

#include <cstring>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/indices.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::GatherNd& op, Call& call) {
  const ir::TensorView &x = call.in(0), &indices = call.in(1);
  const auto b = static_cast<std::size_t>(op.batch_dims), m = static_cast<std::size_t>(indices.shape().back());
  const auto& of_batch = call.kept([&] { return ir::Shape(std::span<const std::int64_t>(x.shape()).subspan(b)); });
  const auto slices = kernels::slices_of(indices, of_batch);
  const auto count = static_cast<std::int64_t>(slices.size());
  const std::int64_t in_batch = count / call.kept([&] { return indices.shape().leading(b).elements(); });
  // Slices, for every element of the batch.
  const std::int64_t of_x = call.kept([&] { return of_batch.leading(m).elements(); });
  const std::size_t bytes = call.out(0).bytes().size() / slices.size();
  parallel_for(count, std::max<std::int64_t>(1, (1 << 16) / static_cast<std::int64_t>(bytes)),
               [&](std::int64_t i, std::int64_t end) {
                 for (; i < end; ++i) {
                   const auto from =
                       static_cast<std::size_t>(i / in_batch * of_x + slices[static_cast<std::size_t>(i)]);
                   std::memcpy(call.out(0).bytes().data() + static_cast<std::size_t>(i) * bytes,
                               x.bytes().data() + from * bytes, bytes);
                 }
               });
}

}  // namespace plumb::ref_cpu
