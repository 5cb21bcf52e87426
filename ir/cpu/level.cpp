#include "ir/cpu/level.hpp"

#include <algorithm>
#include <cstdlib>

#include "ir/attribute.hpp"
#include "ir/error.hpp"

namespace plumb::ir::cpu {
namespace {

/// The instructions that compilers make use of at a level. A processor that has all of these has the others.
bool has_level([[maybe_unused]] Level level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (level) {
    case Level::v2:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case Level::v3:
      return has_level(Level::v2) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case Level::v4:
      return has_level(Level::v3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
#endif
  return false;  // no other processor has a level of x86-64
}

std::string names_of(std::span<const Level> levels) {
  std::string text;
  for (const Level level : levels) text += (text.empty() ? "" : ", ") + std::string(enum_name(level));
  return text;
}

}  // namespace

std::optional<Level> highest_level() {
  for (const Level level : {Level::v4, Level::v3, Level::v2})
    if (has_level(level)) return level;
  return std::nullopt;
}

std::optional<Level> choose_level(std::span<const Level> compiled, std::string_view wanted,
                                  std::optional<Level> highest) {
  if (compiled.empty()) {
    require(wanted.empty(), "PLUMB_CPU_LEVEL is '", wanted, "', but this program was built for one kind of processor ",
            "only (PLUMB_CPU_LEVELS of CMake gives it several levels)");
    return std::nullopt;
  }
  const auto runs = [&](Level level) { return highest && level <= *highest; };
  require(runs(compiled.front()), "this program needs a processor of level x86-64-", enum_name(compiled.front()));
  if (wanted.empty()) return *std::find_if(compiled.rbegin(), compiled.rend(), runs);
  const auto found = std::ranges::find(compiled, wanted, [](Level level) { return enum_name(level); });
  require(found != compiled.end(), "PLUMB_CPU_LEVEL is '", wanted, "', but the levels of this program are ",
          names_of(compiled));
  require(runs(*found), "PLUMB_CPU_LEVEL is '", wanted, "', but this processor has no instructions above ",
          enum_name(*highest));
  return *found;
}

std::optional<Level> level(std::span<const Level> compiled) {
  const char* const wanted = std::getenv("PLUMB_CPU_LEVEL");
  return choose_level(compiled, wanted == nullptr ? "" : wanted, highest_level());
}

}  // namespace plumb::ir::cpu
