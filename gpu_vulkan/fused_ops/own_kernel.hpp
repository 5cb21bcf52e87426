#pragma once

#include "gpu_vulkan/plan/schedule.hpp"
#include "ir/registered_op.hpp"

namespace plumb::gpu_vulkan::fused_ops {

/// A registered op by the shader that its author gave for one node: one dispatch. Passes make it, no graph file has it.
struct OwnKernel {
  ir::RegisteredOp op;
  std::string kernel;  ///< the name of its shader
  plan::ShaderWords words = {};
  plan::Groups groups{1, 1, 1};
  std::array<std::uint32_t, 32> push{};

  static constexpr auto name = "own_kernel";
  static constexpr auto summary = "a registered op by its author's shader";
  static constexpr auto formula = "as the op's";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {
      ir::Input{.name = "x", .dtypes = ir::dtypes::any, .shape = "[..]", .like = "its own", .repeated = true}};
  static constexpr std::array outputs = {ir::Output{"y", "as the op's"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  ir::TensorTypes infer(ir::Types in) const { return op.infer(in); }
  ir::ErrorClass error_class() const { return op.error_class(); }
  bool operator==(const OwnKernel&) const = default;
};

}  // namespace plumb::gpu_vulkan::fused_ops
