// Writes what a file of dumped tensors says of itself.
#include "ir/formats/dumps/dump_description.hpp"

#include <nlohmann/json.hpp>

namespace plumb::ir::formats {

void DumpDescription::add(const std::string& name, Value value, std::string_view executor,
                          const std::vector<NodeReport>* nodes) {
  const auto node = graph_.producer(value);
  DumpedTensor tensor{.node = node ? graph_.nodes()[*node].label : std::string(graph_.name(value)),
                      .executor = std::string(executor),
                      .order = node ? *node + 1 : 0};
  if (nodes != nullptr && node) {
    tensor.kernel = nodes->at(*node).kernel;
    tensor.tile = nodes->at(*node).tile;
  }
  tensors_.insert_or_assign(name, std::move(tensor));
}

std::string DumpDescription::text(const std::vector<std::pair<std::string_view, std::string>>& fields) const {
  nlohmann::ordered_json about = {{"schema", "plumb.dump/1"}};
  for (const auto& [name, text] : fields) about[std::string(name)] = text;
  auto& tensors = about["tensors"] = nlohmann::ordered_json::object();
  for (const auto& [name, tensor] : tensors_) {
    auto& one = tensors[name] = {{"node", tensor.node}, {"executor", tensor.executor}, {"order", tensor.order}};
    if (!tensor.kernel.empty()) one["kernel"] = tensor.kernel;
    if (!tensor.tile.empty()) one["tile_size"] = tensor.tile;
    if (!tensor.slice.empty()) one["slice"] = tensor.slice;
    if (tensor.perturbed) one["perturbed"] = *tensor.perturbed;
  }
  if (!missing_.empty()) about["missing"] = missing_;
  return about.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace plumb::ir::formats
