#pragma once

#include <filesystem>

#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::parity::cli::show {

/// Writes, of each dispatch of the plan, NUMBER-NODE.spv, its module as the library has it, and NUMBER-NODE.comp, its
/// GLSL behind lines that name the node, the specialization constants, the workgroups and what is bound; and the files
/// that these include, below gpu_vulkan, so that `glslangValidator -V --target-env vulkan1.3 -IFOLDER` compiles them.
/// Shaders that were given as SPIR-V have no GLSL. Files of dispatches of an earlier plan are removed. Returns how many
/// dispatches there are. Throws Error, which names the file.
std::size_t write_shaders(const std::filesystem::path& folder, const gpu_vulkan::plan::Plan& plan,
                          const ir::Graph& graph);

}  // namespace plumb::parity::cli::show
