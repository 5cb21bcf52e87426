// Reshape as a copy, since elements stay in their order.
#include "ir/ops/reshape.hpp"

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Reshape&, Call& call) { ir::raw::copy_bytes(call.in(0).bytes(), call.out(0).bytes()); }

}  // namespace plumb::ref_cpu
