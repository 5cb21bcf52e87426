// Takes SignedZeroInfNanPreserve out of a SPIR-V module, for devices that do not offer it.
#include "gpu_vulkan/runtime/driver/float_modes.hpp"

#include "ir/error.hpp"

namespace plumb::gpu_vulkan::runtime::driver {
namespace {

constexpr std::size_t head = 5;  // words before the first instruction
constexpr std::uint32_t execution_mode = 16, capability = 17, specials_capability = 4466, specials_mode = 4461;

bool asks_for_it(std::span<const std::uint32_t> instruction) {
  const std::uint32_t operation = instruction[0] & 0xFFFFu;
  return (operation == capability && instruction.size() > 1 && instruction[1] == specials_capability) ||
         (operation == execution_mode && instruction.size() > 2 && instruction[2] == specials_mode);
}

}  // namespace

std::vector<std::uint32_t> without_specials_kept(std::span<const std::uint32_t> words) {
  ir::require(words.size() >= head, "a shader module of ", words.size(), " words has no head");
  std::vector<std::uint32_t> kept(words.begin(), words.begin() + head);
  for (std::size_t at = head; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    ir::require(length > 0 && length <= words.size() - at, "a shader module is cut in word ", at);
    const auto instruction = words.subspan(at, length);
    if (!asks_for_it(instruction)) kept.insert(kept.end(), instruction.begin(), instruction.end());
    at += length;
  }
  return kept;
}

}  // namespace plumb::gpu_vulkan::runtime::driver
