// Dispatches the conversion of elements between any two dtypes, for casts and for f32 steps inside other ops.
#include "gpu_vulkan/kernels/elementwise/convert.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {

void convert(ir::DType from_dtype, plan::Slot from, ir::DType to_dtype, plan::Slot to, std::int64_t count,
             plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  node.needs(facts.storage8 && facts.storage16, facts.name, " has no 8- and 16-bit elements in storage buffers");
  const auto either = [&](ir::DType dtype) { return from_dtype == dtype || to_dtype == dtype; };
  const bool i64 = either(ir::DType::i64), f64 = either(ir::DType::f64);
  const auto bytes = [](ir::DType dtype) { return static_cast<std::uint32_t>(ir::info(dtype).bytes); };
  constexpr std::uint32_t threads = 128, each = 4, units = 2;
  node.dispatch({
      .shader = {i64 && f64 ? "cast.i64_f64"
                 : i64      ? "cast.i64"
                 : f64      ? "cast.f64"
                            : "cast.w32",
                 {{"invocations", threads},
                  {"from", from_dtype},
                  {"to", to_dtype},
                  {"from_bytes", bytes(from_dtype)},
                  {"to_bytes", bytes(to_dtype)},
                  {"units", units}}},
      .reads = {from},
      .writes = {to},
      .push = std::uint32_t(count),
      .groups = plan::groups_for(count, std::int64_t{threads} * each * units),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::elementwise
