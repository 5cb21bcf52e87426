// Transforms of complex lines.
#include "ir/ops/fft.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/transforms/lines.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Fft& op, Call& call) {
  const ir::TensorType& type = call.in(0).type();
  const ir::Lines lines = ir::along(type.shape, op.axis);
  ir::visit_complex(type.dtype, [&]<class Z>(Z) {
    using T = typename Z::value_type;
    transforms::transform_lines<T>(op.inverse ? transforms::Kind::inverse : transforms::Kind::forward, lines.length,
                                   op.scale(std::span(&type, 1)),
                                   {reinterpret_cast<const T*>(call.in(0).as<Z>().data()), lines, 2},
                                   {reinterpret_cast<T*>(call.out(0).as<Z>().data()), lines, 2});
  });
}

}  // namespace plumb::ref_cpu
