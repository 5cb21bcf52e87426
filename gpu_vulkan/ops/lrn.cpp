// Lowers local response normalisation: each element adds up the squares of its window of channels.
#include "ir/ops/lrn.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Lrn& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& x = node.in_type(0);
  const ir::Lines channels = ir::along(x.shape, 1);
  struct Block {
    std::array<std::uint32_t, 2> factor, bias, beta;
    std::uint32_t count, channels, inner, before, after;
  };
  const auto reach = [&](std::int64_t n) { return static_cast<std::uint32_t>(std::min(n, channels.length)); };
  const bool is_f64 = x.dtype == ir::DType::f64;
  const auto words = [&](double real) { return kernels::common::words_of(real, x.dtype); };
  const float in_f32 = static_cast<float>(op.alpha) / static_cast<float>(op.size);
  constexpr std::uint32_t threads = 128;
  const ir::SumLevel window = kernels::common::compensated(kernels::common::chain());
  kernels::common::publish({.of = ir::SumName::squares,
                            .levels = {window},
                            .epilogue = {ir::SumStep::scale, ir::SumStep::bias, ir::SumStep::power}},
                           x.dtype, node);
  node.dispatch({
      .shader = {ir::cat("lrn.", x.dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{words(is_f64 ? op.alpha / static_cast<double>(op.size) : in_f32), words(op.bias), words(op.beta),
                    static_cast<std::uint32_t>(x.shape.elements()), static_cast<std::uint32_t>(channels.length),
                    static_cast<std::uint32_t>(channels.inner), reach((op.size - 1) / 2), reach(op.size / 2)},
      .groups = plan::groups_for(x.shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
