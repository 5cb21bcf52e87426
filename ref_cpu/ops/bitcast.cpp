#include "ir/ops/bitcast.hpp"

#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Bitcast&, Call& call) { std::ranges::copy(call.in(0).bytes(), call.out(0).bytes().begin()); }

}  // namespace plumb::ref_cpu
