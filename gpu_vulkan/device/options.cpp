// Reads and writes options as text, by the one list of fields from which flags, help and variables are made.
#include "gpu_vulkan/device/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace plumb::gpu_vulkan::device {
namespace {

template <class T>
T number(std::string_view text, std::string_view kind) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  ir::require(problem == std::errc{} && stop == end && value >= 0, "must be a ", kind, " of 0 or more, got '", text,
              "'");
  return value;
}

template <class E>
std::string all_names() {
  std::string all;
  for (const auto name : enum_names(E{})) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

/// Names with commas between them.
KernelFamilies families(std::string_view text) {
  KernelFamilies all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const auto found = ir::enum_value<KernelFamily>(one);
    ir::require(found.has_value(), "must be some of ", all_names<KernelFamily>(), ", got '", one, "'");
    all.push_back(*found);
  }
  return all;
}

template <class T>
T parsed(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool yes = text == "true" || text == "1";
    ir::require(yes || text == "false" || text == "0", "must be true or false, got '", text, "'");
    return yes;
  } else if constexpr (std::is_enum_v<T>) {
    const auto found = ir::enum_value<T>(text);
    ir::require(found.has_value(), "must be one of ", all_names<T>(), ", got '", text, "'");
    return *found;
  } else if constexpr (std::is_same_v<T, KernelFamilies>) {
    return families(text);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string(text);
  } else {
    return number<T>(text, std::is_integral_v<T> ? "whole number" : "number");
  }
}

std::string listed(const KernelFamilies& families) {
  std::string text;
  for (const KernelFamily family : families) text += (text.empty() ? "" : ",") + std::string(ir::enum_name(family));
  return text;
}

template <class T>
constexpr std::string_view kind_of(const T& value) {
  if constexpr (std::is_same_v<T, KernelFamilies>)
    return "names";
  else
    return ir::attribute_kind(value);
}

template <class T>
std::string written(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return std::string(ir::enum_name(value));
  else if constexpr (std::is_same_v<T, KernelFamilies>)
    return listed(value);
  else
    return ir::cat(value);
}

/// A text that is no tile fits no kernel, which would go unnoticed.
void require_tile(std::string_view text) {
  constexpr std::size_t most_digits = 4;
  const auto is_extent = [](std::string_view part) {
    return !part.empty() && part.size() <= most_digits && part.front() != '0' &&
           part.find_first_not_of("0123456789") == part.npos;
  };
  const auto first = text.find('x'), second = text.find('x', first == text.npos ? first : first + 1);
  const bool is_tile = second != text.npos && is_extent(text.substr(0, first)) &&
                       is_extent(text.substr(first + 1, second - first - 1)) && is_extent(text.substr(second + 1));
  ir::require(text.empty() || is_tile, "must be rows x columns x depth, such as 64x64x16, got '", text, "'");
}

std::string variable(std::string_view name) {
  std::string text = "PLUMB_";
  for (const char c : name) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<OptionInfo> vulkan_option_infos() {
  std::vector<OptionInfo> infos;
  const VulkanOptions defaults;
  const auto one = [&](const auto& field) {
    const auto& value = defaults.*field.member;
    OptionInfo info{field.name, kind_of(value), field.doc, written(value), {}, variable(field.name)};
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      const auto names = enum_names(value);
      info.choices.assign(names.begin(), names.end());
    }
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, KernelFamilies>) {
      constexpr auto names = enum_names(KernelFamily{});
      info.choices.assign(names.begin(), names.end());
    }
    infos.push_back(std::move(info));
  };
  std::apply([&](const auto&... field) { (one(field), ...); }, VulkanOptions::fields);
  return infos;
}

std::vector<Setting> settings_of(const VulkanOptions& options, const VulkanOptions& usual) {
  std::vector<Setting> settings;
  const auto one = [&](const auto& field) {
    std::string value = written(options.*field.member);
    if (value != written(usual.*field.member))
      settings.push_back({std::string(field.name), std::move(value), field.said_in});
  };
  std::apply([&](const auto&... field) { (one(field), ...); }, VulkanOptions::fields);
  return settings;
}

void set_option(VulkanOptions& options, std::string_view name, std::string_view text) {
  bool known = false;
  const auto one = [&](const auto& field) {
    if (field.name != name) return;
    known = true;
    auto& value = options.*field.member;
    if (static_cast<const void*>(&value) == &options.tile) require_tile(text);
    value = parsed<std::remove_cvref_t<decltype(value)>>(text);
  };
  try {
    std::apply([&](const auto&... field) { (one(field), ...); }, VulkanOptions::fields);
  } catch (const ir::Error& error) {
    ir::fail("option ", name, " ", error.what());
  }
  ir::require(known, "there is no option '", name, "'");
}

ir::DumpOptions dump_options(const VulkanOptions& options) {
  return {.dump = options.dump, .dump_stats = options.dump_stats, .dump_runs = options.dump_runs};
}

VulkanOptions options_from_environment() {
  VulkanOptions options;
  for (const OptionInfo& info : vulkan_option_infos())
    if (const char* text = std::getenv(info.variable.c_str())) set_option(options, info.name, text);
  ir::require_dumpable(dump_options(options));
  return options;
}

}  // namespace plumb::gpu_vulkan::device
