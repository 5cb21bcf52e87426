#include "ir/ops/constant.hpp"

#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Constant& op, Call& call) { std::ranges::copy(op.data, call.out(0).bytes().begin()); }

}  // namespace plumb::ref_cpu
