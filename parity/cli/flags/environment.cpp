// Refuses PLUMB_ variables that nobody reads, with the one that was perhaps meant.
#include "parity/cli/flags/environment.hpp"

#include <unistd.h>

#include <algorithm>

#include "gpu_vulkan/device/options.hpp"
#include "ir/error.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli::flags {
namespace {

constexpr std::string_view prefix = "PLUMB_";

/// Names behind the prefix: of every knob, and of variables that CPU levels, scripts, tests and the build read.
std::vector<std::string> known_variables() {
  std::vector<std::string> names = {"CPU_LEVEL",     "SOURCE_DIR",    "SDK",          "RUNNER",
                                    "WERROR",        "FLUSHES",       "FUSES",        "ACCURACY",
                                    "BENCH",         "CPU_ARCH",      "CPU_LEVELS",   "DEBIAN_ROOT",
                                    "DEBIAN_MIRROR", "DEBIAN_BRINGS", "SUBMITS",      "THOROUGH_ALLOCATIONS",
                                    "CACHE",         "CI_CACHE",      "TEST_SECONDS", "LINES"};
  for (const auto& option : gpu_vulkan::device::vulkan_option_infos())
    names.push_back(option.variable.substr(prefix.size()));
  return names;
}

}  // namespace

void require_known_environment() {
  const auto known = known_variables();
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix)) continue;
    const std::string_view word = name.substr(prefix.size());
    ir::require(std::ranges::find(known, word) != known.end(), "nothing reads the environment's ", name,
                core::did_you_mean(word, known, prefix));
  }
}

}  // namespace plumb::parity::cli::flags
