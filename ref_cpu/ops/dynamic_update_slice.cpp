// The result begins as the whole tensor, and the box at clamped starts is written over it.
#include "ir/ops/dynamic_update_slice.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/begin_as.hpp"
#include "ref_cpu/kernels/clamped_starts.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::DynamicUpdateSlice&, Call& call) {
  const ir::TensorView &x = call.in(0), &update = call.in(1);
  kernels::begin_as(x, call.out(0));
  const auto& copy = call.kept([&] {
    ir::kernels::StridedCopy box{.width = ir::info(x.dtype()).bytes, .axes = {}};
    const auto in_x = x.shape().strides(), in_update = update.shape().strides();
    for (std::size_t k = 0; k < in_x.size(); ++k) box.axes.push_back({update.shape()[k], in_update[k], in_x[k]});
    return kernels::PlannedCopy(box);
  });
  const std::size_t to = kernels::clamped_start(call.in(2), x.type(), update.shape());
  kernels::strided_copy(copy, update.bytes(), call.out(0).bytes().subspan(to));
}

}  // namespace plumb::ref_cpu
