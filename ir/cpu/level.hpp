#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

/// Which instructions of x86-64 code may use. A program that is made for many machines has its kernels several times,
/// once for each level, and takes those of the processor that it runs on (cmake/levels.cmake).
namespace plumb::ir::cpu {

/// The levels of the x86-64 ABI: SSE 4.2; AVX2 and FMA; AVX-512.
enum class Level { v2, v3, v4 };

constexpr auto enum_names(Level) { return std::array<std::string_view, 3>{"v2", "v3", "v4"}; }

/// The highest level whose instructions this processor and its operating system offer; nothing below v2.
std::optional<Level> highest_level();

/// The level whose kernels run, of those that were compiled (the lowest is first): the highest that the processor has,
/// or the one that `wanted` names, unless that is empty. Nothing where none is compiled, that is, where kernels are
/// made for one processor only. Throws Error where `wanted` cannot run, or nothing can.
std::optional<Level> choose_level(std::span<const Level> compiled, std::string_view wanted,
                                  std::optional<Level> highest);

/// The level for this processor and what the environment variable PLUMB_CPU_LEVEL wants.
std::optional<Level> level(std::span<const Level> compiled);

}  // namespace plumb::ir::cpu
