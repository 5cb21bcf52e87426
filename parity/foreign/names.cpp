// Collects the names of values, and finds names that resemble them.
#include "parity/foreign/names.hpp"

#include <algorithm>

#include "ir/formats/result_names.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::foreign {

Names::Names(const ir::formats::GraphFile& file) : aliases_(file.aliases) {
  const ir::Graph& graph = file.graph;
  const auto add = [this](std::string name, ir::Value value) {
    auto& values = all_[std::move(name)];
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  for (ir::Value value = 0; value < graph.value_count(); ++value) {
    if (!graph.defined(value)) continue;
    add(graph.name(value), value);
    if (!graph.is_source(value)) computed_.push_back(graph.name(value));
  }
  for (std::size_t k = 0; k < graph.results().size(); ++k) add(ir::formats::result_name(graph, k), graph.results()[k]);
  for (const auto& [name, value] : file.aliases)
    if (!all_.contains(name) && graph.defined(value)) add(name, value);
  for (auto& [name, values] : all_) std::ranges::sort(values);
}

std::vector<ir::Value> Names::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? std::vector<ir::Value>{} : found->second;
}

std::string normalised(std::string_view name) {
  if (name.ends_with(":0")) name.remove_suffix(2);
  std::string made(name);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '.' || c == ':') c = '/';
  }
  return made;
}

std::string shared_prefix(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string_view shared = names.front();
  for (const std::string& name : names) {
    const auto length = std::min(shared.size(), name.size());
    const auto differ =
        std::mismatch(shared.begin(), shared.begin() + static_cast<std::ptrdiff_t>(length), name.begin());
    shared = shared.substr(0, static_cast<std::size_t>(differ.first - shared.begin()));
  }
  const auto slash = shared.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(shared.substr(0, slash + 1));
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 256, most = 4096;
  if (name.size() > longest) return "";
  std::vector<std::string> near;
  for (const std::string& one : names)
    if (near.size() < most && one.size() <= longest) near.push_back(one);
  return core::did_you_mean(name, near);
}

}  // namespace plumb::parity::foreign
