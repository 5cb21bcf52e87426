// The description that files of tensors carry.
#include "parity/cli/show/about_tensors.hpp"

#include <nlohmann/json.hpp>

#include "parity/cases/identity.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::cli::show {

void AboutTensors::add(const std::string& name, ir::Value value, std::string_view executor,
                       const std::vector<ir::NodeReport>* nodes) {
  const auto node = graph_.producer(value);
  Tensor tensor{.node = node ? graph_.nodes()[*node].label : std::string(graph_.name(value)),
                .executor = std::string(executor),
                .order = node ? *node + 1 : 0};
  if (nodes != nullptr && node) {
    tensor.kernel = nodes->at(*node).kernel;
    tensor.tile = nodes->at(*node).tile;
  }
  tensors_.insert_or_assign(name, std::move(tensor));
}

std::string AboutTensors::text(const cases::Case& subject, const flags::ChosenExecutor& on,
                               std::string_view watch) const {
  cases::RunSettings settings{.candidate = on.spec};
  const gpu_vulkan::VulkanExecutor* const device = on.device();
  if (device != nullptr) {
    settings = flags::run_settings(device->options());
    settings.calibration = flags::calibration_of(*device);
  }
  const cases::Identity identity = cases::identity_of(subject, core::Mode::attribute, settings);
  nlohmann::ordered_json about = {{"schema", "plumb.dump/1"},
                                  {"id", identity.id()},
                                  {"subject", identity.subject},
                                  {"options", identity.options},
                                  {"device", device == nullptr ? "" : device->facts().name},
                                  {"driver", device == nullptr ? "" : device->facts().driver_info},
                                  {"candidate", on.foreign() == nullptr ? "" : to_text(on.foreign()->description())},
                                  {"commit", core::build_info().git_commit},
                                  {"watch", watch}};
  auto& tensors = about["tensors"] = nlohmann::ordered_json::object();
  for (const auto& [name, tensor] : tensors_) {
    auto& one = tensors[name] = {{"node", tensor.node}, {"executor", tensor.executor}, {"order", tensor.order}};
    if (!tensor.kernel.empty()) one["kernel"] = tensor.kernel;
    if (!tensor.tile.empty()) one["tile_size"] = tensor.tile;
    if (!tensor.slice.empty()) one["slice"] = tensor.slice;
    if (tensor.perturbed) one["perturbed"] = *tensor.perturbed;
  }
  return about.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace plumb::parity::cli::show
