#include "parity/emulated_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/attribute.hpp"
#include "parity/compare.hpp"
#include "parity/emulator.hpp"

namespace plumb::parity {

std::optional<double> emulator_ulp(const DeviceProfile& profile, std::string_view kernel, const ir::Op& op,
                                   std::span<const ir::TensorView> inputs, const ir::TensorView& got) {
  if (inputs.empty()) return std::nullopt;
  const Products products = profile.products_of(kernel, inputs[0].dtype());
  if (!products.is_known()) return std::nullopt;
  const auto replayed = emulate(op, inputs, got.type(), products);
  if (!replayed) return std::nullopt;
  const Comparison comparison = compare(*replayed, got, {.rule = Allowed::Rule::within});
  if (comparison.n_nan_differ + comparison.n_inf_differ > 0) return std::numeric_limits<double>::infinity();
  return comparison.max_ulp.value >= 0 ? comparison.max_ulp.value : 0;
}

std::string emulation_note(const DeviceProfile& profile, std::span<const std::optional<double>> ulps) {
  double worst = 0;
  std::size_t count = 0;
  for (const auto& ulp : ulps)
    if (ulp) worst = std::max(worst, *ulp), ++count;
  if (count == 0) return "no node was replayed: the emulator replays matrix products by kernels that the profile knows";
  return fmt::format("{} product{} replayed with profile {}: at most {:.3g} ulps away", count, count == 1 ? "" : "s",
                     profile.sha256().substr(0, 12), worst);
}

std::vector<std::pair<std::string, std::string>> profile_attributes(const DeviceProfile& profile) {
  const auto bits = [](int count) { return count > 0 ? std::to_string(count) : std::string("unknown"); };
  const auto word = [](auto value) { return std::string(ir::enum_name(value)); };
  Products unit, wide;
  for (const Products& p : profile.products) {
    const bool is_better = p.is_known() && p.operands == ir::DType::f16;
    if (is_better || (unit.kernel.empty() && p.is_known())) unit = p;
    if (p.operands == ir::DType::f32 && (wide.operand_bits == 0 || p.operand_bits < wide.operand_bits)) wide = p;
  }
  const SubnormalHandling f32 = profile.subnormals_of(ir::DType::f32);
  return {{"profile_sha256", profile == safe_profile() ? "" : profile.sha256()},
          {"kernel", unit.kernel},
          {"acc_block", bits(unit.block)},
          {"acc_rounding", word(unit.rounding)},
          {"acc_bits", bits(unit.accumulator_bits)},
          {"subnormal_in", word(f32.in)},
          {"subnormal_out", word(f32.out)},
          {"fma", word(profile.fma_of(ir::DType::f32))},
          {"f32_effective_bits", bits(wide.operand_bits)}};
}

}  // namespace plumb::parity
