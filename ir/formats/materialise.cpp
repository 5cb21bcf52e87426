#include "ir/adversarial/adversarial.hpp"
#include "ir/files/path_below.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/kernels/packed/fill.hpp"
#include "ir/raw/float_environment.hpp"

namespace plumb::ir::formats {
namespace {

/// Opens each external file once.
class Externals {
 public:
  explicit Externals(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Tensor read(const External& source, const TensorType& wanted) {
    const TensorFile& file = open(source.file);
    require(file.contains(source.key), source.file, ": has no tensor '", source.key, "'");
    const TensorType found = taken_as(file.type(source.key), wanted.dtype);
    require(found == wanted, source.file, ": '", source.key, "' is ", found, ", the graph wants ", wanted);
    return taken_as(file.read(source.key), wanted.dtype);
  }

 private:
  const TensorFile& open(const std::string& name) {
    auto& file = files_[name];
    if (!file) file = open_tensors(files::path_below(directory_, name));
    return *file;
  }

  std::filesystem::path directory_;
  std::map<std::string, std::unique_ptr<TensorFile>> files_;
};

void check_budget(const Graph& graph, std::uint64_t most_bytes) {
  std::uint64_t bytes = 0;
  for (Value v = 0; graph.is_source(v); ++v) {
    const bool too_many = __builtin_add_overflow(bytes, graph.type(v).bytes(), &bytes) || bytes > most_bytes;
    require(!too_many, "the inputs and params up to '", graph.name(v), "' (", graph.type(v), ") need more than ",
            most_bytes, " bytes of memory");
  }
  for (const Node& node : graph.nodes())
    for (const Value v : node.outputs)
      require(graph.type(v).bytes() <= most_bytes, "node '", node.label, "' (", node.op.name(), "): computes ",
              graph.type(v), ", which needs more than ", most_bytes, " bytes of memory");
}

}  // namespace

Feeds materialise(const GraphFile& file, std::uint64_t seed, std::uint64_t most_bytes) {
  const raw::FloatEnvironment own;
  check_budget(file.graph, most_bytes);
  Externals externals(file.directory);
  Feeds feeds;
  for (Value v = 0; file.graph.is_source(v); ++v) {
    const auto name = file.graph.name(v);
    const TensorType& type = file.graph.type(v);
    const auto source = file.sources.find(name);
    const auto made = [&](const Generated& from) {
      const std::uint64_t chosen = from.seed.value_or(seed);
      if (from.fill.distribution == Distribution::adversarial)
        return adversarial::fill(file.graph, v, from.fill.kind, chosen, stream_of(name));
      if (from.fill.distribution == Distribution::packed)
        return kernels::packed::fill(type, kernels::packed::format_named(from.fill.format), chosen, stream_of(name));
      return fill(type, from.fill, chosen, stream_of(name));
    };
    try {
      if (source == file.sources.end())
        feeds.emplace(name, made({default_fill(type.dtype)}));
      else if (const auto* tensor = std::get_if<Tensor>(&source->second))
        feeds.emplace(name, *tensor);
      else if (const auto* from = std::get_if<External>(&source->second))
        feeds.emplace(name, externals.read(*from, type));
      else
        feeds.emplace(name, made(std::get<Generated>(source->second)));
    } catch (const Error& error) {
      fail(v < file.graph.inputs().size() ? "input '" : "param '", name, "': ", error.what());
    }
  }
  return feeds;
}

}  // namespace plumb::ir::formats
