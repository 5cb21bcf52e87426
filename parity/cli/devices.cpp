// `plumb devices`: every Vulkan device with what it can do, or why it is refused.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/attribute.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/show/print.hpp"

namespace plumb::parity::cli {
namespace {

constexpr int no_device = 77;

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version >> 22 & 0x7F, version >> 12 & 0x3FF, version & 0xFFF);
}

std::string dtypes_held(const gpu_vulkan::device::DeviceFacts& facts) {
  std::string names;
  for (std::size_t i = 0; i < ir::dtype_count; ++i)
    if (const auto dtype = static_cast<ir::DType>(i); facts.holds(dtype))
      names += (names.empty() ? "" : " ") + std::string(ir::info(dtype).name);
  return names;
}

void print_facts(const gpu_vulkan::device::DeviceFacts& facts) {
  const double gib = 1.0 / (1 << 30);
  show::print("    driver      {} {}\n", facts.driver_name, facts.driver_info);
  show::print("    uuid        {}\n", gpu_vulkan::device::uuid_text(facts.uuid));
  show::print("    memory      {:.2f} GiB device-local{}, buffers up to {:.2f} GiB\n",
              static_cast<double>(facts.device_heap) * gib,
              facts.host_visible_device_local ? " that the host can map" : "",
              static_cast<double>(std::min(facts.max_buffer_range, facts.max_allocation)) * gib);
  show::print("    workgroups  {} invocations, {} KiB shared, subgroups of {}\n", facts.max_invocations,
              facts.shared_memory / 1024, facts.subgroup_size);
  show::print("    dtypes      {}\n", dtypes_held(facts));
  for (const auto& shape : facts.cooperative_shapes)
    show::print("    cooperative {}x{}x{} {} x {} + {} -> {}\n", shape.m, shape.n, shape.k, ir::cat(shape.a),
                ir::cat(shape.b), ir::cat(shape.c), ir::cat(shape.r));
  if (facts.cooperative_shapes.empty()) show::print("    cooperative none\n");
}

std::string to_json(const std::vector<gpu_vulkan::device::DeviceReport>& devices) {
  nlohmann::ordered_json made = {{"schema", "plumb.devices/1"}, {"devices", nlohmann::ordered_json::array()}};
  for (const auto& [facts, refusal] : devices)
    made["devices"].push_back({{"name", facts.name},
                               {"uuid", gpu_vulkan::device::uuid_text(facts.uuid)},
                               {"kind", ir::enum_name(facts.kind)},
                               {"driver", facts.driver_name},
                               {"driver_info", facts.driver_info},
                               {"refusal", refusal}});
  return made.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

struct DevicesFlags {
  std::string json;
  bool verbose = false, force = false;
};

/// No driver is no device, to a program that reads the list.
std::vector<gpu_vulkan::device::DeviceReport> listed(bool is_for_program) try {
  return gpu_vulkan::list_devices();
} catch (const ir::Unsupported&) {
  if (!is_for_program) throw;
  return {};
}

int print_devices(const DevicesFlags& flags) {
  const flags::Outputs outputs{.force = flags.force};
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  const auto devices = listed(json != nullptr);
  flags::write_whole(json, to_json(devices));
  const bool usable = std::ranges::any_of(devices, [](const auto& one) { return one.refusal.empty(); });
  if (flags.json == "-") return usable ? 0 : no_device;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& [facts, refusal] = devices[i];
    show::print("{}: {} (Vulkan {}, {}){}{}\n", i, facts.name, version_text(facts.api_version),
                ir::enum_name(facts.kind), refusal.empty() ? "" : ": refused: ", refusal);
    if (refusal.empty() || flags.verbose) print_facts(facts);
  }
  if (!usable) show::print("no device can be used\n");
  return usable ? 0 : no_device;
}

}  // namespace

Action devices(CLI::App& app) {
  const auto flags = std::make_shared<DevicesFlags>();
  app.add_flag("-v,--verbose", flags->verbose, "also show what is known of refused devices");
  flags::add_output(app, "--json", flags->json, "write the list as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags->force);
  return [flags] { return print_devices(*flags); };
}

}  // namespace plumb::parity::cli
