// A box at clamped starts, as one strided copy.
#include "ir/ops/dynamic_slice.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/clamped_starts.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::DynamicSlice&, Call& call) {
  const ir::TensorView& x = call.in(0);
  const ir::Shape& box = call.out(0).shape();
  const std::int64_t from = kernels::clamped_start(call.in(1), x.shape(), box);
  kernels::strided_copy(ir::kernels::read_strided(x.dtype(), box, x.shape().strides(), from), x.bytes(),
                        call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
