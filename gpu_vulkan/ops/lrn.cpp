// Lowers local response normalisation: each element adds up the squares of its window of channels.
#include "ir/ops/lrn.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Lrn& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& x = node.in_type(0);
  node.needs(x.dtype != ir::DType::f64, "shaders have no f64 power");
  const ir::Lines channels = ir::along(x.shape, 1);
  struct Block {
    std::uint32_t count, channels, inner, before, after;
    float factor, bias, beta;
  };
  const auto reach = [&](std::int64_t n) { return static_cast<std::uint32_t>(std::min(n, channels.length)); };
  constexpr std::uint32_t threads = 128;
  const ir::SumLevel window = kernels::common::compensated(kernels::common::chain());
  kernels::common::publish({.of = "squares", .levels = {window}, .epilogue = {"scale", "bias", "power"}}, x.dtype,
                           node);
  node.dispatch({
      .shader = {ir::cat("lrn.", x.dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(x.shape.elements()), static_cast<std::uint32_t>(channels.length),
                    static_cast<std::uint32_t>(channels.inner), reach((op.size - 1) / 2), reach(op.size / 2),
                    static_cast<float>(op.alpha) / static_cast<float>(op.size), static_cast<float>(op.bias),
                    static_cast<float>(op.beta)},
      .groups = plan::groups_for(x.shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
