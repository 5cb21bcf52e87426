// Graphs of the ABI: read, described, and fed.
#include <algorithm>

#include "ir/formats/json.hpp"
#include "ir/formats/result_names.hpp"
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "library/log.hpp"
#include "parity/check/check.hpp"
#include "parity/core/build_info.hpp"
#include "ref_cpu/libraries.hpp"

using namespace plumb;

namespace plumb::library::abi {
namespace {

/// "x=1,3;batch=8" as texts for each name.
std::vector<std::string> shapes_of(const char* text) {
  std::vector<std::string> shapes;
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    if (end > 0) shapes.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shapes;
}

bool is_kind(std::int32_t which) { return which >= PLUMB_INPUTS && which <= PLUMB_COMPUTED; }

}  // namespace

ir::Op op_of(const char* op, const char* attributes) {
  parity::check::Words words;
  if (attributes != nullptr) {
    const ir::formats::Json json = ir::formats::parse_json(attributes, {.bytes = 1 << 24, .values = 1 << 20});
    ir::require(json.object() != nullptr, "attributes: is a JSON object, got ", json.kind());
    for (const auto& [name, value] : *json.object())
      words.emplace_back(name, value.text() != nullptr ? *value.text() : to_text(value));
  }
  return parity::check::op_of(text_of(op, "op"), words, {.op = "op", .attribute = "attribute"});
}

}  // namespace plumb::library::abi

plumb_graph::plumb_graph(library::Model read) : model(std::move(read)) {
  const ir::Graph& graph = model.file->graph;
  const auto add = [&](int which, const std::string& name, ir::Value value) {
    names[which].push_back(name);
    values[which].push_back(value);
  };
  for (const std::string& input : graph.inputs()) add(PLUMB_INPUTS, input, *graph.find(input));
  for (const std::string& param : graph.params()) add(PLUMB_PARAMS, param, *graph.find(param));
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    add(PLUMB_RESULTS, ir::formats::result_name(graph, k), graph.results()[k]);
  for (const ir::Node& node : graph.nodes())
    for (const ir::Value value : node.outputs) add(PLUMB_COMPUTED, graph.name(value), value);
}

using library::abi::guarded;

uint32_t plumb_abi_version() { return PLUMB_ABI; }

const char* plumb_version() {
  static const std::string version(parity::core::build_info().version);
  return version.c_str();
}

const char* plumb_licence() { return ref_cpu::has_fftw() ? "GPL-2.0-or-later" : "MIT"; }

plumb_error* plumb_graph_read(const char* path, const plumb_read_options* options, plumb_graph** graph) {
  return guarded([&] {
    library::abi::require_place(graph, "graph");
    const auto given = library::abi::read(options, "options");
    const std::string file = library::abi::text_of(path, "path");
    auto made = std::make_unique<plumb_graph>(
        library::read_model(file, {.shapes = library::abi::shapes_of(given.shapes),
                                   .given = library::abi::feeds_of(given.given, given.given_count, "options.given")}));
    for (const std::string& note : made->model.notes) library::tell(file + ": " + note);
    *graph = made.release();
  });
}

plumb_error* plumb_graph_parse(const char* json, const char* folder, plumb_graph** graph) {
  return guarded([&] {
    library::abi::require_place(graph, "graph");
    const std::string text = library::abi::text_of(json, "json");
    const std::string from = library::abi::text_or(folder, ".");
    const auto file = std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, from));
    *graph = new plumb_graph({.path = "graph", .file = file, .is_of_file = false});
  });
}

plumb_error* plumb_graph_of_op(const char* op, const char* attributes, const plumb_tensor* operands, size_t count,
                               plumb_graph** graph) {
  return guarded([&] {
    library::abi::require_place(graph, "graph");
    const ir::Op made = library::abi::op_of(op, attributes);
    ir::TensorTypes types;
    if (count > 0) library::abi::require_sized(operands, "operands");
    for (std::size_t k = 0; k < count; ++k)
      types.push_back(library::abi::type_of(library::abi::read_element(operands, k), ir::cat("operands[", k, "]")));
    const auto file = std::make_shared<ir::formats::GraphFile>();
    file->graph = ir::graph_of(made, types);
    *graph = new plumb_graph({.path = std::string(made.name()), .file = file, .is_of_file = false});
  });
}

void plumb_graph_free(plumb_graph* graph) { delete graph; }

size_t plumb_graph_count(const plumb_graph* graph, int32_t which) {
  return graph != nullptr && library::abi::is_kind(which) ? graph->names[which].size() : 0;
}

plumb_error* plumb_graph_value(const plumb_graph* graph, int32_t which, size_t k, plumb_tensor* value) {
  return guarded([&] {
    const plumb_graph& of = library::abi::require_handle(graph, "graph");
    ir::require(library::abi::is_kind(which), "which: there is no kind of values ", which);
    ir::require(k < of.names[which].size(), "k: is ", k, ", and there are ", of.names[which].size());
    const ir::TensorType& type = of.model.file->graph.type(of.values[which][k]);
    library::abi::write(library::abi::described(type, of.names[which][k].c_str()), value, "value");
  });
}

size_t plumb_graph_note_count(const plumb_graph* graph) { return graph != nullptr ? graph->model.notes.size() : 0; }

const char* plumb_graph_note(const plumb_graph* graph, size_t k) {
  return k < plumb_graph_note_count(graph) ? graph->model.notes[k].c_str() : "";
}

plumb_error* plumb_graph_feeds(const plumb_graph* graph, uint64_t seed, plumb_feeds** feeds) {
  return guarded([&] {
    library::abi::require_place(feeds, "feeds");
    const plumb_graph& of = library::abi::require_handle(graph, "graph");
    auto made = std::make_unique<plumb_feeds>();
    for (auto& [name, tensor] : ir::formats::materialise(*of.model.file, seed))
      made->tensors.emplace_back(name, std::move(tensor));
    *feeds = made.release();
  });
}

size_t plumb_feeds_count(const plumb_feeds* feeds) { return feeds != nullptr ? feeds->tensors.size() : 0; }

plumb_error* plumb_feeds_tensor(const plumb_feeds* feeds, size_t k, plumb_tensor* tensor) {
  return guarded([&] {
    const plumb_feeds& of = library::abi::require_handle(feeds, "feeds");
    ir::require(k < of.tensors.size(), "k: is ", k, ", and there are ", of.tensors.size());
    library::abi::write(library::abi::shown(of.tensors[k].second, of.tensors[k].first.c_str()), tensor, "tensor");
  });
}

void plumb_feeds_free(plumb_feeds* feeds) { delete feeds; }
