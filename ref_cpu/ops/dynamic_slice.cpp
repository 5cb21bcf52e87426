// A box at clamped starts, as one strided copy.
#include "ir/ops/dynamic_slice.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/clamped_starts.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::DynamicSlice&, Call& call) {
  const ir::TensorView& x = call.in(0);
  const ir::Shape& box = call.out(0).shape();
  const auto& copy =
      call.kept([&] { return kernels::PlannedCopy(ir::kernels::read_strided(x.dtype(), box, x.shape().strides())); });
  const std::size_t from = kernels::clamped_start(call.in(1), x.type(), box);
  kernels::strided_copy(copy, x.bytes().subspan(from), call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
