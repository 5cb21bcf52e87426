#include "ir/ops/cast.hpp"

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Cast& op, Lowering& node) {
  const ir::DType from = node.in_type(0).dtype, to = op.to;
  const DeviceFacts& facts = node.facts();
  if (from == to) return node.alias(0, 0);
  node.needs_its_types();
  node.needs(facts.storage8 && facts.storage16, facts.name, " has no 8- and 16-bit elements in storage buffers");
  node.needs(from != ir::DType::c128 && to != ir::DType::c128, "shaders have no cast of c128");
  const bool i64 = from == ir::DType::i64 || to == ir::DType::i64, f64 = from == ir::DType::f64 || to == ir::DType::f64;
  const auto bytes = [](ir::DType dtype) { return static_cast<std::uint32_t>(ir::info(dtype).bytes); };
  const std::int64_t count = node.out_type(0).shape.elements();
  constexpr std::uint32_t threads = 128, each = 4;
  node.dispatch({
      .shader = {i64 && f64 ? "cast.i64_f64"
                 : i64      ? "cast.i64"
                 : f64      ? "cast.f64"
                            : "cast.w32",
                 {threads, std::uint32_t(from), std::uint32_t(to), bytes(from), bytes(to)}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = std::uint32_t(count),
      .groups = groups_for(count, std::int64_t{threads} * each),
  });
}

}  // namespace plumb::gpu_vulkan
