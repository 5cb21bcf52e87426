// Faults of shaders: one specialization constant of one dispatch is not what the plan says.

#include <algorithm>

#include "gpu_vulkan/plan/plan.hpp"
#include "parity/cli/planting/plan_faults.hpp"

namespace plumb::parity::cli {
namespace {

using gpu_vulkan::plan::Dispatch;

/// The changed value of a constant; nothing where it stays as it is.
using Change = std::optional<std::uint32_t> (*)(std::uint32_t value);

std::optional<std::uint32_t> cleared(std::uint32_t value) { return value == 0 ? std::nullopt : std::optional(0u); }
std::optional<std::uint32_t> set(std::uint32_t value) { return value == 0 ? std::optional(1u) : std::nullopt; }
std::optional<std::uint32_t> flipped(std::uint32_t value) { return value ^ 1u; }
/// Twice an f32 that is given by its bits.
std::optional<std::uint32_t> doubled(std::uint32_t bits) {
  constexpr std::uint32_t exponents = 0x7F80'0000, one = 0x0080'0000;
  if ((bits & exponents) == 0 || (bits & exponents) >= exponents - one) return {};
  return bits + one;
}

struct ShaderFault {
  power::faults::Fault fault;
  std::string_view constant;
  Change change;
};

constexpr power::faults::Fault named(std::string_view name, std::string_view summary, std::string_view where) {
  return {name, summary, where, true, nullptr};
}

/// Constants that say what is computed; those of extents and workgroups would let a shader run wild.
constexpr ShaderFault all_shader_faults[] = {
    {named("shader:no_bias", "a shader takes no bias", "kernels with a bias"), "has_bias", cleared},
    {named("shader:no_residual", "a shader takes no residual", "kernels with a residual"), "has_residual", cleared},
    {named("shader:no_mask", "a shader takes no mask", "attention with a mask"), "has_mask", cleared},
    {named("shader:all_keys_seen", "a shader hides no key", "attention with hidden keys"), "may_mask", cleared},
    {named("shader:not_capped", "a shader has no softcap", "attention with a softcap"), "capped", cleared},
    {named("shader:k_is_aligned", "a shader reads whole slices of K, the last as well", "products"), "k_aligned", set},
    {named("shader:other_layout", "a shader takes heads before tokens, or behind", "attention in either layout"),
     "sequence_first", flipped},
    {named("shader:other_function", "a shader computes the next function", "any with a function"), "function", flipped},
    {named("shader:reversed", "a shader goes the other way", "running sums"), "reverse", flipped},
    {named("shader:other_end", "a running sum is with its own element, or without", "running sums"), "exclusive",
     flipped},
    {named("shader:other_order", "a shader sorts the other way", "sorts"), "descending", flipped},
    {named("shader:largest_for_smallest", "a shader selects at the other end", "kernels that take the k largest"),
     "smallest", flipped},
    {named("shader:other_of_equals", "of equal elements a shader selects the other", "indices of the largest"),
     "select_last", flipped},
    {named("shader:other_corners", "a shader places corners otherwise", "resize, grid_sample"), "align_corners",
     flipped},
    {named("shader:other_padding", "a shader pads otherwise", "samples of a grid"), "padding", flipped},
    {named("shader:other_mode", "a shader interpolates otherwise", "resize, grid_sample"), "mode", flipped},
    {named("shader:other_beyond", "a shader takes other numbers beyond an edge", "kernels that pad"), "beyond",
     flipped},
    {named("shader:other_triangle", "a shader keeps the other triangle", "kernels of triangles"), "upper", flipped},
    {named("shader:other_norm", "a shader takes another norm", "lp_norm, pool"), "squared", flipped},
    {named("shader:epsilon_doubled", "a shader's epsilon is twice what it should be", "norms"), "epsilon_low", doubled},
    {named("shader:alpha_doubled", "a shader's alpha is twice what it should be", "gemm, activations"), "alpha_low",
     doubled},
    {named("shader:beta_doubled", "a shader's beta is twice what it should be", "gemm, activations"), "beta_low",
     doubled},
    {named("shader:lower_limit_doubled", "a lower limit is twice what it should be", "kernels that clamp"), "low_bits",
     doubled},
    {named("shader:upper_limit_doubled", "an upper limit is twice what it should be", "kernels that clamp"),
     "high_bits", doubled},
    {named("shader:no_scale", "a shader takes no scale", "norms with a scale"), "scale_walk", cleared},
    {named("shader:no_norm_bias", "a shader takes no bias", "norms with a bias"), "bias_walk", cleared},
    {named("shader:other_index", "a shader reads an operand by another index", "elementwise"), "dense", flipped},
};

bool has(const Dispatch& dispatch, std::string_view constant) {
  return std::ranges::any_of(dispatch.shader.constants.all(), [&](const auto& one) { return one.name() == constant; });
}

/// Changes it in the dispatch in the middle of those that have it and would notice.
bool change_one(gpu_vulkan::plan::Plan& plan, const ShaderFault& fault) {
  std::vector<Dispatch*> found;
  for (Dispatch& dispatch : plan.schedule.dispatches)
    if (has(dispatch, fault.constant) && fault.change(dispatch.shader.constants[fault.constant]))
      found.push_back(&dispatch);
  if (found.empty()) return false;
  auto& constants = found[found.size() / 2]->shader.constants;
  constants.set(fault.constant, *fault.change(constants[fault.constant]));
  return true;
}

}  // namespace

std::vector<PlanFault> shader_faults() {
  std::vector<PlanFault> faults;
  for (const ShaderFault& one : all_shader_faults)
    faults.push_back({one.fault, [&one](gpu_vulkan::plan::Plan& plan) { return change_one(plan, one); }});
  return faults;
}

}  // namespace plumb::parity::cli
