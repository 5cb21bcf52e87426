// Constants, copied from the op's own bytes.
#include "ir/ops/constant.hpp"

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Constant& op, Call& call) { ir::raw::copy_bytes(op.data, call.out(0).bytes()); }

}  // namespace plumb::ref_cpu
