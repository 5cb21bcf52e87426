#include "ir/ops/roll.hpp"

#include "ref_cpu/index_map.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Roll& op, Call& call) {
  index_map(op.map(call.in(0).type()), call.in(0).bytes(), {}, call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
