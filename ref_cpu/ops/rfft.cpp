// Transforms of real lines.
#include "ir/ops/rfft.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/transforms/lines.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Rfft& op, Call& call) {
  const ir::TensorType& type = call.in(0).type();
  ir::visit_complex(call.out(0).dtype(), [&]<class Z>(Z) {
    using T = typename Z::value_type;
    const ir::Lines from = ir::along(type.shape, op.axis), to = ir::along(call.out(0).shape(), op.axis);
    transforms::transform_lines<T>(transforms::Kind::real_forward, from.length, op.scale(std::span(&type, 1)),
                                   {call.in(0).as<T>().data(), from, 1},
                                   {reinterpret_cast<T*>(call.out(0).as<Z>().data()), to, 2});
  });
}

}  // namespace plumb::ref_cpu
