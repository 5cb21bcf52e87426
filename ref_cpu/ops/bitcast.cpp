// Bitcast: the bytes are copied as they are.
#include "ir/ops/bitcast.hpp"

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Bitcast&, Call& call) { ir::raw::copy_bytes(call.in(0).bytes(), call.out(0).bytes()); }

}  // namespace plumb::ref_cpu
