#pragma once

#include <optional>

#include "gpu_vulkan/plan/schedule.hpp"
#include "ir/kernels/broadcast.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// One op of a region.
struct RegionStep {
  ir::Op op;                          ///< unary, binary, compare, where or cast
  std::vector<std::size_t> operands;  ///< the region's inputs are numbered first, then its steps
  ir::DType dtype = ir::DType::f32;   ///< the result's

  bool operator==(const RegionStep&) const = default;
};

/// Elementwise ops that one kernel computes, which passes make: no graph file has it. Every step has
/// the shape of the results, to which the inputs broadcast.
struct Region {
  std::vector<RegionStep> steps;
  std::vector<std::size_t> results;  ///< the steps that are kept
  std::string kernel;                ///< the name of its shader
  plan::ShaderWords words = {};

  static constexpr auto name = "region";
  static constexpr auto summary = "elementwise ops in one kernel";
  static constexpr auto formula = "y = what its steps compute, each rounded to its dtype";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {
      ir::Input{.name = "x", .dtypes = ir::dtypes::any, .shape = "[..]", .like = "its step", .repeated = true}};
  static constexpr std::array outputs = {ir::Output{"y", "as the steps' results"}};
  static constexpr std::array<std::string_view, 1> checks = {"shapes must broadcast"};
  static constexpr auto fields = std::tuple{};

  ir::TensorTypes infer(ir::Types in) const;
  ir::ErrorClass error_class() const { return ir::ErrorClass::comp; }
  bool operator==(const Region& other) const { return steps == other.steps && results == other.results; }
};

/// "add, gelu, cast", for people.
std::string steps_of(const Region& region);

/// The push constants of a kernel over these loops (glsl/region.glsl), if there is room for them.
std::optional<std::array<std::uint32_t, 32>> region_block(const ir::kernels::BroadcastLoops& loops, std::int64_t count);

}  // namespace plumb::gpu_vulkan::fused_ops
