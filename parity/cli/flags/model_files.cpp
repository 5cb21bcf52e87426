// Reads graphs by extension; ONNX with shapes from flags, data folders, and the suites of backend tests.
#include "parity/cli/flags/model_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>

#include "ir/formats/onnx/onnx_file.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/regular_expression.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli::flags {
namespace {

namespace fs = std::filesystem;

std::int64_t extent_of(std::string_view text, std::string_view flag) {
  std::int64_t extent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
  ir::require(error == std::errc{} && end == text.data() + text.size() && extent >= 0,
              "--shape wants name=extent,extent,..., got '", flag, "'");
  return extent;
}

ir::formats::OnnxOptions options_of(const std::vector<std::string>& shapes) {
  // Folds what only shapes a graph; small tensors, for which threads do not pay.
  static ref_cpu::CpuExecutor executor({.threads = 1});
  ir::formats::OnnxOptions options{.evaluate = ir::formats::evaluate_with(executor)};
  for (const std::string& flag : shapes) {
    const auto equals = flag.find('=');
    ir::require(equals != std::string::npos && equals != 0, "--shape wants name=extent,extent,..., got '", flag, "'");
    std::vector<std::int64_t> extents;
    std::string_view rest = std::string_view(flag).substr(equals + 1);
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      extents.push_back(extent_of(rest.substr(0, comma), flag));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    options.shapes.insert_or_assign(flag.substr(0, equals), std::move(extents));
  }
  return options;
}

/// Names that --shape may give an extent or extents, of one model.
void add_shape_names(const fs::path& path, std::vector<std::string>& names) {
  for (const ir::formats::OnnxValue& input : ir::formats::read_onnx_facts(path).inputs) {
    names.push_back(input.name);
    names.insert(names.end(), input.symbols.begin(), input.symbols.end());
  }
}

/// The tensor of data/prefix_k.pb; nothing where there is no such file.
std::optional<ir::Tensor> datum(const fs::path& data, const char* prefix, std::size_t k) {
  const fs::path path = data / fmt::format("{}_{}.pb", prefix, k);
  if (!fs::exists(path)) return std::nullopt;
  return ir::formats::read_tensor_proto(path).tensor;
}

/// A model with what the files of a data folder feed it and expect of it.
ir::formats::OnnxModel read_with_data(const fs::path& path, const fs::path& data, ir::formats::OnnxOptions options) {
  const auto facts = ir::formats::read_onnx_facts(path);
  for (std::size_t k = 0; k < facts.inputs.size(); ++k)
    if (auto tensor = datum(data, "input", k)) options.given.insert_or_assign(facts.inputs[k].name, std::move(*tensor));
  ir::formats::OnnxModel model = ir::formats::read_onnx(path, options);
  for (auto& [name, tensor] : options.given) {
    const auto value = model.file.graph.find(name);
    if (value && model.file.graph.is_source(*value)) model.file.sources.insert_or_assign(name, tensor);
  }
  for (std::size_t k = 0; k < model.outputs.size(); ++k) {
    const auto tensor = datum(data, "output", k);
    if (!tensor) continue;
    const ir::Graph& graph = model.file.graph;
    const auto type = graph.type(graph.results()[k]);
    ir::require(verify::may_be_given(tensor->type(), type), path.string(), ": output '", model.outputs[k], "' is ",
                type, ", but ", (data / fmt::format("output_{}.pb", k)).string(), " holds ", tensor->type());
    model.file.given_outputs.insert_or_assign(graph.name(graph.results()[k]), *tensor);
  }
  return model;
}

/// Operators whose results are random numbers.
bool is_random(const ir::formats::OnnxFacts& facts) {
  for (const char* op :
       {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"})
    if (facts.ops.contains(op)) return true;
  return false;
}

conformance::SuiteReader::Subject subject_of(const conformance::SuiteCase& one) {
  const auto facts = ir::formats::read_onnx_facts(one.model);
  conformance::SuiteReader::Subject subject{.op = facts.ops.size() == 1 ? facts.ops.begin()->first : "network",
                                            .out_of_scope = ""};
  for (const auto* values : {&facts.inputs, &facts.outputs})
    for (const ir::formats::OnnxValue& value : *values)
      if (!value.is_tensor)
        subject.out_of_scope = fmt::format("'{}' is a {}, not a tensor of numbers", value.name, value.type);
  if (is_random(facts)) subject.out_of_scope = "its expected output is random";
  return subject;
}

}  // namespace

void add_model_flags(CLI::App& app, ModelFlags& flags) {
  app.add_option("--shape", flags.shapes,
                 "the shape of an ONNX input (name=1,3,224,224), or an extent that the file leaves open (symbol=8)")
      ->group("input");
  app.add_option("--data", flags.data,
                 "folder with what to feed an ONNX model (input_0.pb ...) and what it must give (output_0.pb ...)")
      ->check(CLI::ExistingDirectory)
      ->group("input");
}

verify::GraphReader model_reader(const ModelFlags& flags) {
  return [flags](const fs::path& path) {
    if (path.extension() != ".onnx") {
      ir::require(flags.data.empty() && flags.shapes.empty(), path.string(),
                  ": --data and --shape go with ONNX models, and this is not one");
      return ir::formats::read_graph(path);
    }
    const auto options = options_of(flags.shapes);
    if (!flags.are_for_several) require_known_shapes(std::array{path.string()}, flags);
    ir::formats::OnnxModel model =
        flags.data.empty() ? ir::formats::read_onnx(path, options) : read_with_data(path, flags.data, options);
    for (const std::string& note : model.notes) std::cerr << "note: " << path.string() << ": " << note << '\n';
    return std::move(model.file);
  };
}

void require_known_shapes(std::span<const std::string> paths, const ModelFlags& flags) {
  if (flags.shapes.empty()) return;
  std::vector<std::string> names;
  for (const fs::path path : paths) try {
      if (path.extension() == ".onnx") add_shape_names(path, names);
    } catch (const ir::Error&) {
      return;  // what is wrong with this file is said when it is read
    }
  const std::string where = paths.size() == 1 ? paths[0] + ": " : "";
  for (const std::string& flag : flags.shapes) {
    const std::string name = flag.substr(0, flag.find('='));
    ir::require(std::ranges::find(names, name) != names.end(), where, "no input or open extent is called '", name,
                "', which --shape names", core::did_you_mean(name, names));
  }
}

std::vector<std::string> open_extents(const fs::path& path, const ModelFlags& flags) {
  std::vector<std::string> open;
  if (path.extension() != ".onnx" || !flags.data.empty()) return open;
  require_known_shapes(std::array{path.string()}, flags);
  const auto settled = options_of(flags.shapes).shapes;
  const auto add = [&](const std::string& text) {
    if (std::ranges::find(open, text) == open.end()) open.push_back(text);
  };
  for (const ir::formats::OnnxValue& input : ir::formats::read_onnx_facts(path).inputs) {
    if (!input.is_tensor || settled.contains(input.name)) continue;
    for (const std::string& symbol : input.symbols)
      if (!settled.contains(symbol)) add(symbol + "=1");
    if (input.has_nameless) add(input.name + "=1,...");
  }
  return open;
}

void require_some_match(std::span<const std::string> paths, const ModelFlags& flags, const std::string& filter) {
  const core::RegularExpression chosen(filter, "--filter");
  const auto is_chosen = [&](const ir::Node& node) { return chosen.is_in(node.label); };
  bool has_nodes = false;
  for (const fs::path path : paths) try {
      const ir::formats::GraphFile file = path.extension() == ".onnx"
                                              ? ir::formats::read_onnx(path, options_of(flags.shapes)).file
                                              : ir::formats::read_graph(path);
      if (std::ranges::any_of(file.graph.nodes(), is_chosen)) return;
      has_nodes |= !file.graph.nodes().empty();
    } catch (const ir::Error&) {
      // What is wrong with this file is said when it is verified.
    }
  ir::require(!has_nodes, "no node matches --filter '", filter, "'");
}

conformance::SuiteReader onnx_suite_reader() {
  return {.subject = subject_of, .read = [](const conformance::SuiteCase& one, const fs::path& data) {
            return std::move(read_with_data(one.model, data, options_of({})).file);
          }};
}

}  // namespace plumb::parity::cli::flags
