// Real lines from half spectra.
#include "ir/ops/irfft.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/transforms/lines.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Irfft& op, Call& call) {
  const ir::TensorType& type = call.in(0).type();
  ir::visit_complex(type.dtype, [&]<class Z>(Z) {
    using T = typename Z::value_type;
    const ir::Lines from = ir::along(type.shape, op.axis), to = ir::along(call.out(0).shape(), op.axis);
    transforms::transform_lines<T>(transforms::Kind::real_inverse, to.length, op.scale(std::span(&type, 1)),
                                   {reinterpret_cast<const T*>(call.in(0).as<Z>().data()), from, 2},
                                   {call.out(0).as<T>().data(), to, 1});
  });
}

}  // namespace plumb::ref_cpu
