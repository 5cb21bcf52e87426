// Parts that runs of a results file share, each written once: graphs, devices, environments and texts, named by hash.
#include "parity/results/record_parts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "ir/adversarial/adversarial.hpp"
#include "ir/hdf5/vet.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {

std::string without_folders(const std::string& argument) {
  const auto start = argument.find('/') == 0 ? 0 : argument.find("=/");
  if (start == std::string::npos) return argument;
  const std::size_t path = start == 0 ? 0 : start + 1;
  return argument.substr(0, path) + std::filesystem::path(argument.substr(path)).filename().string();
}

int version_replaced(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) return 0;
  try {
    ir::hdf5::vet(path, ir::hdf5::Extent::attributes_of_root);
    return require_results_file(ir::hdf5::Store::open(path));
  } catch (const ir::Error& error) {
    ir::fail(path.string(), " exists and is not replaced, as it is no results file: ", error.what());
  }
}

void make_file(ir::hdf5::Store& store, const std::vector<std::string>& argv) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const core::BuildInfo& build = core::build_info();
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(without_folders(word));
  make_layout(store);
  store.set("/", "tool_version", std::string(build.version));
  store.set("/", "git_commit", std::string(build.git_commit));
  store.set("/", "git_dirty", std::int64_t{build.git_dirty});
  store.set("/", "created_utc",
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now))));
  store.set("/", "argv", words);
}

std::string component(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  return safe == "." || safe == ".." ? "%2E" + safe.substr(1) : safe;
}

std::string add_text(ir::hdf5::Store& store, const std::string& folder, const char* name, const std::string& text) {
  const std::string id = core::text_id(text);
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
  const std::string id = core::text_id(text), path = "/env/" + id;
  if (!store.contains(path)) {
    store.make_group(path);
    for (const auto& [name, value] : facts) store.set(path, name, value);
  }
  return id;
}

namespace {

std::string sha256_of(const ir::TensorView& tensor) {
  const auto bytes = tensor.bytes();
  return core::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// The attributes from which the numbers of a source can be made again.
void describe(const ir::formats::Generated& made, std::uint64_t seed, ir::hdf5::StoredValues& said) {
  std::string range;
  for (const ir::FillParameter& parameter : ir::fill_parameters)
    if (parameter.distribution == made.fill.distribution)
      range += fmt::format("{}{}={}", range.empty() ? "" : " ", parameter.name, made.fill.*parameter.member);
  if (made.fill.distribution == ir::Distribution::adversarial)
    range = ir::cat("kind=",
                    ir::enum_name(made.fill.kind.value_or(ir::adversarial::kind_of_seed(made.seed.value_or(seed)))));
  if (made.fill.distribution == ir::Distribution::packed) range = "format=" + made.fill.format;
  said.emplace("generator", "philox4x32");
  said.emplace("seed", made.seed.value_or(seed));
  said.emplace("fill", std::string(ir::enum_name(made.fill.distribution)));
  said.emplace("range", range);
}

/// A line for each of these, "name=value".
std::string text_of(const ir::hdf5::StoredValues& said) {
  std::string text;
  for (const auto& [name, value] : said) {
    const auto* const number = std::get_if<std::uint64_t>(&value);
    text += name + '=' + (number != nullptr ? std::to_string(*number) : std::get<std::string>(value)) + '\n';
  }
  return text;
}

}  // namespace

/// An input or a param: where its numbers come from, and those of them that are kept.
struct Sources::Source {
  std::string name;
  ir::hdf5::StoredValues said;
  const ir::Tensor* numbers = nullptr;
};

Sources::Source Sources::source_of(const cases::Case& subject, ir::Value v, Fed fed) const {
  const ir::formats::GraphFile& file = *subject.file;
  Source made{.name = file.graph.name(v), .said = {}};
  const auto found = file.sources.find(made.name);
  const auto* const source = found == file.sources.end() ? nullptr : &found->second;
  const auto* const tensor = source == nullptr ? nullptr : std::get_if<ir::Tensor>(source);
  if (fed == Fed::kept) made.numbers = &subject.feeds.at(made.name);
  if (tensor != nullptr && made.numbers == nullptr) made.numbers = tensor;
  if (source == nullptr)
    describe({ir::default_fill(file.graph.type(v).dtype)}, subject.seed, made.said);
  else if (const auto* const generated = std::get_if<ir::formats::Generated>(source))
    describe(*generated, subject.seed, made.said);
  else if (const auto* const external = std::get_if<ir::formats::External>(source))
    made.said = {{"file", external->file}, {"key", external->key}};
  if (made.numbers != nullptr) made.said.emplace("sha256", sha256_of(*made.numbers));
  return made;
}

void Sources::write(ir::hdf5::Store& store, const std::string& path, const Source& source) {
  if (source.numbers != nullptr) {
    // Equal numbers have another name in the file, and no second place.
    const auto [kept, is_new] = kept_.try_emplace(ir::cat(source.numbers->type(), '\n', text_of(source.said)), path);
    if (!is_new) return store.link(path, kept->second);
    store.write_tensor(path, *source.numbers);
  } else {
    store.make_group(path);
  }
  for (const auto& [name, value] : source.said) store.set(path, name, value);
}

const std::string& Sources::hash_of_file(const cases::Case& subject) {
  static const std::string none;
  // Numbers that were made for a purpose are not the file's.
  if (!subject.origin.is_of_file || subject.fill != core::FillKind::graph) return none;
  const auto [found, is_new] = file_hashes_.try_emplace(subject.name);
  if (is_new) found->second = core::sha256_of_file(subject.name);
  return found->second;
}

std::string Sources::add_params(ir::hdf5::Store& store, const cases::Case& subject, Fed fed) {
  const ir::Graph& graph = subject.file->graph;
  const std::string& hash = hash_of_file(subject);
  std::vector<Source> params;
  std::string text = "file=" + hash + '\n';
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v) {
    params.push_back(source_of(subject, v, fed));
    Source& one = params.back();
    text += ir::cat("param=", one.name, ' ', graph.type(v), '\n', text_of(one.said));
    if (fed != Fed::kept && !hash.empty() && !subject.origin.given.contains(one.name)) one.numbers = nullptr;
    text += one.numbers == nullptr ? "left\n" : "kept\n";
  }
  if (params.empty()) return "";
  const std::string id = core::text_id(text), group = "/params/" + id;
  if (store.contains(group)) return id;
  store.make_group(group);
  store.set(group, "sha256", core::sha256(text));
  if (!hash.empty()) {
    store.set(group, "file", std::filesystem::path(subject.name).filename().string());
    store.set(group, "file_sha256", hash);
  }
  for (const Source& one : params) write(store, group + '/' + component(one.name), one);
  return id;
}

void Sources::add(ir::hdf5::Store& store, const cases::Case& subject, std::uint32_t run, Fed fed) {
  if (next_ > run) return;
  next_ = run + 1;
  const std::string group = ir::cat("/inputs/", run);
  store.make_group(group);
  if (const std::string params = add_params(store, subject, fed); !params.empty()) store.set(group, "params", params);
  for (ir::Value v = 0; v < subject.file->graph.inputs().size(); ++v) {
    Source one = source_of(subject, v, fed);
    if (!keeps_inputs_) one.numbers = nullptr;
    write(store, group + '/' + component(one.name), one);
  }
}

}  // namespace plumb::parity::results
