// Picks a device by index, UUID or name with wildcards, else the best kind; the refusals are told where none will do.
#include "gpu_vulkan/device/devices.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "ir/raw/glob.hpp"

namespace plumb::gpu_vulkan::device {
namespace {

std::optional<std::size_t> as_index(std::string_view text) {
  std::size_t index = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, index);
  return problem == std::errc{} && stop == end ? std::optional(index) : std::nullopt;
}

bool is_meant(const DeviceReport& device, std::size_t index, std::string_view selector) {
  if (selector.empty()) return true;
  if (const auto wanted = as_index(selector)) return index == *wanted;
  if (selector == "cpu") return device.facts.kind == DeviceKind::software;
  const auto names = [selector](std::string_view text) {
    return ir::raw::glob_matches(selector, text, ir::raw::Letters::either_case);
  };
  return names(uuid_text(device.facts.uuid)) || names(device.facts.name);
}

}  // namespace

std::size_t choose_device(const std::vector<DeviceReport>& devices, std::string_view selector) {
  std::optional<std::size_t> best;
  std::string refusals;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& [facts, refusal] = devices[i];
    if (!is_meant(devices[i], i, selector)) continue;
    if (!refusal.empty())
      refusals += ir::cat("\n", i, " ", facts.name, ": ", refusal);
    else if (!best || facts.kind < devices[*best].facts.kind)
      best = i;
  }
  if (best) return *best;
  if (devices.empty()) throw ir::Unsupported("the Vulkan drivers found no device");
  // One that is misspelt is no device that this machine happens to lack.
  if (refusals.empty() && selector != "cpu")
    ir::fail("no Vulkan device is called '", selector, "', of ", devices.size(), "; `plumb devices` lists them");
  if (refusals.empty()) throw ir::Unsupported(ir::cat("none of ", devices.size(), " Vulkan devices is a CPU"));
  throw ir::Unsupported("no Vulkan device can be used:" + refusals);
}

std::string uuid_text(const std::array<std::uint8_t, 16>& uuid) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid[i] >> 4];
    text += digits[uuid[i] & 15];
  }
  return text;
}

}  // namespace plumb::gpu_vulkan::device
