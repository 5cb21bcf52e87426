// What runs of a results file share, each written once: graphs, devices, environments and texts called by their hash.
#include "parity/results/record_parts.hpp"

#include <fmt/format.h>

#include "ir/adversarial/adversarial.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/results_rows.hpp"

namespace plumb::parity::results {

std::string component(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  return safe == "." || safe == ".." ? "%2E" + safe.substr(1) : safe;
}

std::string add_text(ir::hdf5::Store& store, const std::string& folder, const char* name, const std::string& text) {
  const std::string hash = core::sha256(text), id = hash.substr(0, 12);
  add_text_beside(store, folder + '/' + id, name, text);
  return id;
}

void add_text_beside(ir::hdf5::Store& store, const std::string& group, const char* name, const std::string& text) {
  const std::string path = group + '/' + name;
  if (store.contains(path)) return;
  store.write_text(path, text);
  store.set(path, "sha256", core::sha256(text));
}

std::string add_graph(ir::hdf5::Store& store, const cases::Case& subject, const NameId& name_id) {
  const ir::Graph& graph = subject.file->graph;
  const std::string id = add_text(store, "/graph", "json", ir::formats::graph_json(graph)), path = "/graph/" + id;
  if (store.contains(path + "/nodes")) return id;
  store.make_table(path + "/nodes", graph_node_type());
  store.append(path + "/nodes", graph_node_type(), graph_nodes(graph, subject.proofs, name_id));
  store.make_grid(path + "/edges", 4);
  store.append_grid(path + "/edges", graph_edges(graph));
  store.make_texts(path + "/sums");
  return id;
}

std::string add_device(ir::hdf5::Store& store, const profile::Device& device) {
  const std::string path = "/device/" + component(device.uuid);
  if (device.uuid.empty() || store.contains(path)) return device.uuid;
  store.make_group(path);
  store.set(path, "name", device.name);
  store.set(path, "vendor_id", std::uint64_t{device.vendor_id});
  store.set(path, "device_id", std::uint64_t{device.device_id});
  store.set(path, "driver_name", device.driver_name);
  store.set(path, "driver_info", device.driver_info);
  store.set(path, "driver_version", std::uint64_t{device.driver_version});
  store.set(path, "api_version", std::uint64_t{device.api_version});
  store.set(path, "is_software", std::int64_t{device.is_software});
  for (const auto& [name, value] : device.float_controls) store.set(path, name, value);
  store.make_group(path + "/profile");
  for (const auto& [name, value] : device.profile) store.set(path + "/profile", name, value);
  store.make_table(path + "/coopmat", coopmat_type());
  store.append(path + "/coopmat", coopmat_type(), coopmat_rows(device.cooperative_shapes));
  return device.uuid;
}

std::string add_environment(ir::hdf5::Store& store, const profile::Environment& environment) {
  const core::BuildInfo& build = core::build_info();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"compiler", std::string(build.compiler)}, {"flags", std::string(build.flags)},
      {"glslang", std::string(build.glslang)},   {"cpu", environment.cpu},
      {"cpu_level", environment.cpu_level},      {"threads", std::to_string(environment.threads)}};
  facts.insert(facts.end(), environment.libraries.begin(), environment.libraries.end());
  std::string text;
  for (const auto& [name, value] : facts) text += name + "=" + value + "\n";
  const std::string id = core::sha256(text).substr(0, 12), path = "/env/" + id;
  if (!store.contains(path)) {
    store.make_group(path);
    for (const auto& [name, value] : facts) store.set(path, name, value);
  }
  return id;
}

void add_sources(ir::hdf5::Store& store, const cases::Case& subject, std::uint32_t run) {
  const ir::formats::GraphFile& file = *subject.file;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const std::string name = file.graph.name(v), path = ir::cat("/inputs/", run, "/", component(name));
    const auto source = file.sources.find(name);
    const ir::DType dtype = file.graph.type(v).dtype;
    if (source != file.sources.end() && std::holds_alternative<ir::Tensor>(source->second)) {
      if (!store.contains(path)) store.write_tensor(path, std::get<ir::Tensor>(source->second));
      continue;
    }
    if (!store.contains(path)) store.make_group(path);
    if (source != file.sources.end() && std::holds_alternative<ir::formats::External>(source->second)) {
      store.set(path, "file", std::get<ir::formats::External>(source->second).file);
      store.set(path, "key", std::get<ir::formats::External>(source->second).key);
      continue;
    }
    const auto made = source == file.sources.end() ? ir::formats::Generated{ir::default_fill(dtype)}
                                                   : std::get<ir::formats::Generated>(source->second);
    std::string range;
    for (const ir::FillParameter& parameter : ir::fill_parameters)
      if (parameter.distribution == made.fill.distribution)
        range += fmt::format("{}{}={}", range.empty() ? "" : " ", parameter.name, made.fill.*parameter.member);
    if (made.fill.distribution == ir::Distribution::adversarial)
      range = ir::cat(
          "kind=",
          ir::enum_name(made.fill.kind.value_or(ir::adversarial::kind_of_seed(made.seed.value_or(subject.seed)))));
    store.set(path, "generator", "philox4x32");
    store.set(path, "seed", made.seed.value_or(subject.seed));
    store.set(path, "fill", std::string(ir::enum_name(made.fill.distribution)));
    store.set(path, "range", range);
  }
}

}  // namespace plumb::parity::results
