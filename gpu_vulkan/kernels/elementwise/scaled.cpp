// Dispatches shaders whose elements have scales, four elements an invocation.
#include "gpu_vulkan/kernels/elementwise/scaled.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/elementwise/convert.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {
namespace {

struct ScaleBlock {
  std::uint32_t count, inner, extent;
  common::Divisor inner_divisor, extent_divisor, block_divisor;
  std::uint32_t outer_step, block_step, inner_step;
};

}  // namespace

plan::Slot operand_in(ir::DType dtype, std::size_t i, plan::Lowering& node) {
  const ir::TensorType& type = node.in_type(i);
  if (type.dtype == dtype) return node.in(i);
  const plan::Slot converted = node.scratch(ir::TensorType{dtype, type.shape}.bytes());
  convert(type.dtype, node.in(i), dtype, converted, type.shape.elements(), node);
  return converted;
}

plan::Slot scales_of(bool is_f64, plan::Lowering& node) {
  return operand_in(is_f64 ? ir::DType::f64 : ir::DType::f32, 1, node);
}

std::optional<plan::Slot> zeros_of(bool has_zero_point, plan::Lowering& node) {
  return has_zero_point ? std::optional(operand_in(ir::DType::i32, 2, node)) : std::nullopt;
}

void scaled(const Scaled& kernel, bool is_f64, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  node.needs(facts.storage8 && facts.storage16, facts.name, " has no 8- and 16-bit elements in storage buffers");
  constexpr std::uint32_t threads = 128, each = 4;
  const auto bytes = [](ir::DType dtype) { return static_cast<std::uint32_t>(ir::info(dtype).bytes); };
  const auto small = ir::kernels::small_float(kernel.code);
  const plan::Constants constants = {{"invocations", threads},
                                     {"from", kernel.from},
                                     {"to", kernel.to},
                                     {"from_bytes", bytes(kernel.from)},
                                     {"to_bytes", bytes(kernel.to)},
                                     {"one_scale", kernel.map.is_one()},
                                     {"has_zero", kernel.zeros.has_value()},
                                     {"float_codes", kernel.code != ir::kernels::CodeFormat::integer},
                                     {"fraction_bits", plan::word(small.fraction_bits)},
                                     {"least_exponent", plan::word(small.least_exponent)},
                                     {"largest", plan::word(small.largest)},
                                     {"beyond", plan::word(small.beyond)},
                                     {"nan_code", plan::word(small.nan)},
                                     {"sign_bit", plan::word(small.sign)}};
  const std::int64_t count = node.out_type(0).shape.elements();
  const std::string shader = ir::cat(kernel.shader, is_f64 ? ".f64" : ".w32");
  node.is_called(shader);  // The kernels that convert its operands do not name it.
  node.dispatch({
      .shader = {.name = shader, .constants = constants.then(kernel.constants)},
      .reads = {kernel.x, kernel.scales, kernel.zeros.value_or(kernel.scales)},
      .writes = {kernel.y},
      .push = ScaleBlock{plan::word(count), plan::word(kernel.map.inner), plan::word(kernel.map.extent),
                         common::Divisor(kernel.map.inner), common::Divisor(kernel.map.extent),
                         common::Divisor(kernel.map.block), plan::word(kernel.map.outer_step),
                         plan::word(kernel.map.block_step), plan::word(kernel.map.inner_step)},
      .groups = plan::groups_for((count + each - 1) / each, threads),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::elementwise
