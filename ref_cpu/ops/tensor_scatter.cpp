// The result begins as the cache, and the rows of every update are written over it once all indices were found right.
#include "ir/ops/tensor_scatter.hpp"

#include <cstring>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/begin_as.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The row of the cache that the first row of each update goes to.
ScratchVector<std::int64_t> first_rows(const ir::ops::TensorScatter& op, const Call& call, std::int64_t rows,
                                       std::int64_t updated) {
  ScratchVector<std::int64_t> first(static_cast<std::size_t>(call.in(0).shape()[0]), 0);
  if (!op.has_write_indices) return first;
  ir::visit_index(call.in(2).dtype(), [&]<class T>(T) {
    const auto given = call.in(2).as<T>();
    for (std::size_t b = 0; b < first.size(); ++b) {
      const std::int64_t index = given[b];
      if (op.mode == ir::ops::TensorScatterMode::circular) {
        first[b] = (index % rows + rows) % rows;
        continue;
      }
      ir::require(0 <= index && index <= rows - updated, "write_indices[", b, "] is ", index, ", so that rows ", index,
                  " to ", index, " + ", updated - 1, " leave the cache of ", rows);
      first[b] = index;
    }
  });
  return first;
}

}  // namespace

void run(const ir::ops::TensorScatter& op, Call& call) {
  kernels::begin_as(call.in(0), call.out(0));
  const ir::Shape& batch = call.in(0).shape();
  if (call.in(1).elements() == 0) return;
  const ir::Lines into = ir::along(batch, op.axis), from = ir::along(call.in(1).shape(), op.axis);
  const auto first = first_rows(op, call, into.length, from.length);
  const std::size_t bytes = static_cast<std::size_t>(into.inner) * ir::info(call.in(0).dtype()).bytes;
  const std::int64_t in_one = into.outer / batch[0];  // groups of rows in each element of the batch
  parallel_for(into.outer * from.length, std::max<std::int64_t>(1, (1 << 16) / static_cast<std::int64_t>(bytes)),
               [&](std::int64_t row, std::int64_t end) {
                 for (; row < end; ++row) {
                   const std::int64_t group = row / from.length, t = row % from.length;
                   // Neither is more than the extent, so that one turn is enough.
                   std::int64_t to = first[static_cast<std::size_t>(group / in_one)] + t;
                   if (to >= into.length) to -= into.length;
                   std::memcpy(call.out(0).bytes().data() + static_cast<std::size_t>(group * into.length + to) * bytes,
                               call.in(1).bytes().data() + static_cast<std::size_t>(row) * bytes, bytes);
                 }
               });
}

}  // namespace plumb::ref_cpu
