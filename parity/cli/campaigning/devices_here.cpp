// Has another process list the devices, and reads its list.
#include "parity/cli/campaigning/devices_here.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ir/error.hpp"
#include "ir/files/process.hpp"
#include "ir/files/read_file.hpp"
#include "ir/raw/glob.hpp"
#include "library/own_files.hpp"
#include "parity/foreign/scratch.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_list_bytes = 1 << 24;
constexpr int no_device = 77;

bool matches(const std::string& pattern, const std::string& name) {
  return ir::raw::glob_matches(pattern, name, ir::raw::Letters::either_case);
}

}  // namespace

std::string HostDevice::folder_name() const { return fmt::format("{}.{}.{}", campaign::host_name(), index, uuid); }

std::vector<HostDevice> devices_here() {
  const foreign::Scratch scratch(1 << 20, {});
  const std::filesystem::path file = scratch.path() / "devices.json";
  const ir::files::ProcessEnd end =
      ir::files::run_process({library::own_program("plumb"), "devices", "--json", file.string()});
  ir::require(end.signal.empty() && !end.is_late && (end.status == 0 || end.status == no_device),
              "the devices of this host cannot be listed: ", ir::files::last_lines(end.output));
  std::vector<HostDevice> devices;
  std::size_t index = 0;
  const auto listed = nlohmann::json::parse(ir::files::read_text(file, most_list_bytes));
  for (const auto& one : listed.at("devices")) {
    if (one.at("refusal") == "")
      devices.push_back({.name = one.at("name"),
                         .uuid = one.at("uuid"),
                         .index = index,
                         .is_software = one.at("kind") == "software"});
    ++index;
  }
  return devices;
}

std::vector<HostDevice> named_devices(const std::vector<HostDevice>& all, const std::string& device) {
  std::vector<HostDevice> named;
  for (const HostDevice& one : all)
    if (device == fmt::format("{}", one.index) || matches(device, one.uuid) || matches(device, one.name) ||
        (device == "cpu" && one.is_software))
      named.push_back(one);
  std::string names;
  for (const HostDevice& one : all) names += (names.empty() ? "" : ", ") + one.name;
  ir::require(!named.empty(), "--device ", device, ": no device here is called so; there ",
              names.empty() ? "is none that can be used" : "are: " + names);
  for (HostDevice& one : named) one.is_named = true;
  return named;
}

bool takes_device(const campaign::Task& task, const HostDevice& device) {
  const bool may_be_any = !device.is_software || device.is_named;
  return std::ranges::any_of(task.devices, [&](const std::string& pattern) {
    const bool says_something = pattern.find_first_not_of('*') != pattern.npos;
    return (says_something || may_be_any) && matches(pattern, device.name);
  });
}

}  // namespace plumb::parity::cli
