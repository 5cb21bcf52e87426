// Reads graphs by extension; ONNX with shapes from flags, data folders, and the suites of backend tests.
#include "parity/cli/flags/model_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <map>

#include "ir/files/file_kind.hpp"
#include "ir/formats/gguf_tensors.hpp"
#include "ir/formats/tensor_files.hpp"
#include "library/model.hpp"
#include "parity/cli/flags/given_tensors.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli::flags {
namespace {

namespace fs = std::filesystem;

/// Names that --shape may give an extent or extents, of one model.
void add_shape_names(const fs::path& path, std::vector<std::string>& names) {
  for (const ir::formats::OnnxValue& input : ir::formats::read_onnx_facts(path).inputs) {
    names.push_back(input.name);
    std::ranges::copy_if(input.symbols, std::back_inserter(names), [](const auto& name) { return !name.empty(); });
  }
}

/// The files of a data folder that are called prefix_0.pb, prefix_1.pb, ..., by these numbers.
std::map<std::size_t, fs::path> data_files(const fs::path& data, const std::string& prefix) {
  std::map<std::size_t, fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename().string(), begin = prefix + "_", end = ".pb";
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) continue;
    const std::string_view number =
        std::string_view(name).substr(begin.size(), name.size() - begin.size() - end.size());
    std::size_t k = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), k);
    if (error == std::errc{} && stop == number.data() + number.size()) files.emplace(k, entry.path());
  }
  return files;
}

/// The input that file `k` of `count` is for. ONNX numbers the inputs; a model whose inputs have default values may be
/// given those alone that have none, or be told by the name in the file.
std::string input_of(const ir::formats::OnnxFacts& facts, std::size_t k, std::size_t count, const std::string& name) {
  const bool has_defaults = facts.inputs.size() < facts.all_inputs.size();
  const bool is_named = std::ranges::find(facts.all_inputs, name) != facts.all_inputs.end();
  if (has_defaults && is_named) return name;
  const bool are_all_counted = has_defaults && count > facts.inputs.size();
  const std::size_t most = are_all_counted ? facts.all_inputs.size() : facts.inputs.size();
  ir::require(k < most, "the model has ", most, " inputs, so that none is number ", k);
  return are_all_counted ? facts.all_inputs[k] : facts.inputs[k].key;
}

/// Adds the inputs of a model that the files of a data folder hold.
void read_inputs(const fs::path& data, const ir::formats::OnnxFacts& facts, ir::formats::OnnxOptions& options) {
  const auto files = data_files(data, "input");
  const bool has_defaults = facts.inputs.size() < facts.all_inputs.size();
  for (const auto& numbered : files) {  // clang 14 takes no parts of a binding into a lambda
    const auto k = numbered.first;
    const fs::path& path = numbered.second;
    // An input that is no tensor of numbers is refused where the model needs it.
    if (!has_defaults && k < facts.inputs.size() && !facts.inputs[k].is_tensor) continue;
    auto [name, tensor] = ir::formats::read_tensor_proto(path);
    const std::string input = [&, named = name] {
      try {
        return input_of(facts, k, files.size(), named);
      } catch (const ir::Error& error) {
        ir::fail(path.string(), ": ", error.what());
      }
    }();
    const auto declared = std::ranges::find(facts.inputs, input, &ir::formats::OnnxValue::key);
    if (declared != facts.inputs.end() && declared->dtype)
      tensor = ir::formats::taken_as(std::move(tensor), *declared->dtype);
    ir::require(options.given.emplace(input, std::move(tensor)).second, path.string(), ": input '", input,
                "' is given twice");
  }
}

/// The folder of data that a flag means for a model: one that is there, or one beside the model.
fs::path data_folder(const fs::path& model, const std::string& given) {
  const fs::path beside = model.parent_path() / given;
  std::error_code problem;
  for (const fs::path& folder : {fs::path(given), beside})
    if (fs::is_directory(folder, problem)) return folder;
  ir::fail(model.string(), ": --data names no folder: there is no '", given, "', nor '", beside.string(), "'");
}

bool gives_something(const ModelFlags& flags) {
  return !flags.data.empty() || !flags.load_inputs.empty() || !flags.inputs.empty() || !flags.expected.empty() ||
         !flags.dump.empty();
}

ir::formats::OnnxModel read_model(const fs::path& path, const ModelFlags& flags) {
  if (!gives_something(flags)) return ir::formats::read_onnx(path, library::onnx_options(flags.shapes, "--shape"));
  return ir::formats::read_onnx(path, options_for(path, flags, ir::formats::read_onnx_facts(path)));
}

/// A graph that nothing but flags settles.
ir::formats::GraphFile read_without_data(const fs::path& path, const ModelFlags& flags) {
  if (ir::formats::is_gguf(path)) return read_gguf_model(path, flags.gguf);
  require_no_gguf_flags(path, flags.gguf);
  return ir::formats::read_graph(path);
}

/// A model with what the files of a data folder feed it and expect of it.
ir::formats::OnnxModel read_with_data(const fs::path& path, const ModelFlags& flags) {
  ir::formats::OnnxModel model = read_model(path, flags);
  if (flags.data.empty()) return model;
  const ir::Graph& graph = model.file.graph;
  for (const auto& [k, from] : data_files(data_folder(path, flags.data), "output")) {
    ir::require(k < model.outputs.size(), from.string(), ": the model has ", model.outputs.size(),
                " outputs, so that none is number ", k);
    const auto type = graph.type(graph.results()[k]);
    const ir::Tensor tensor = ir::formats::taken_as(ir::formats::read_tensor_proto(from).tensor, type.dtype);
    ir::require(verify::may_be_given(tensor.type(), type), path.string(), ": output '", model.outputs[k], "' is ", type,
                ", but ", from.string(), " holds ", tensor.type());
    model.file.given_outputs.insert_or_assign(graph.name(graph.results()[k]), tensor);
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

studies::conformance::SuiteReader::Subject subject_of(const studies::conformance::SuiteCase& one) {
  const auto facts = ir::formats::read_onnx_facts(one.model);
  studies::conformance::SuiteReader::Subject subject{.op = facts.ops.size() == 1 ? facts.ops.begin()->first : "network",
                                                     .out_of_scope = ""};
  for (const auto* values : {&facts.inputs, &facts.outputs})
    for (const ir::formats::OnnxValue& value : *values)
      if (!value.is_tensor)
        subject.out_of_scope = fmt::format("'{}' is a {}, not a tensor of numbers", value.name, value.type);
  if (is_random(facts)) subject.out_of_scope = "its expected output is random";
  return subject;
}

}  // namespace

ir::formats::OnnxOptions options_for(const fs::path& path, const ModelFlags& flags,
                                     const ir::formats::OnnxFacts& facts) {
  ir::formats::OnnxOptions options = library::onnx_options(flags.shapes, "--shape");
  if (!flags.data.empty()) read_inputs(data_folder(path, flags.data), facts, options);
  give(flags, facts, options);
  return options;
}

bool is_onnx(const fs::path& path) { return ir::files::has_extension(path, ".onnx"); }

void add_model_flags(CLI::App& app, ModelFlags& flags) {
  app.add_option("--shape", flags.shapes,
                 "the shape of an ONNX input (name=1,3,224,224), or an extent that the file leaves open (symbol=8); "
                 "'*=1' is for all that is open still")
      ->group("input");
  app.add_option("--data", flags.data,
                 "folder with what to feed an ONNX model (input_0.pb ...) and what it must give (output_0.pb ...): a "
                 "path, or its name in the folder of each model")
      ->group("input");
  app.add_option("--load-inputs", flags.load_inputs,
                 "read these tensors by name (.npz, .h5, .safetensors, a folder of .npy) instead of generating them; "
                 "they settle extents and branches "
                 "that an ONNX model leaves open")
      ->group("input");
  app.add_option("--input", flags.inputs,
                 "NAME=VALUE: what an input is, a number (for every element) or a list, as in --input sr=16000 or "
                 "--input 'shape=[1,2,3]'; settles what depends on it, too")
      ->group("input");
  add_gguf_flags(app, flags.gguf);
}

verify::GraphReader model_reader(const ModelFlags& flags, std::shared_ptr<ModelNames> names) {
  return [flags, names](const fs::path& path) {
    if (names) *names = {};
    if (!is_onnx(path)) {
      ir::require(flags.data.empty() && flags.shapes.empty(), path.string(),
                  ": --data and --shape go with ONNX models, and this is not one");
      return read_without_data(path, flags);
    }
    require_no_gguf_flags(path, flags.gguf);
    if (!flags.are_for_several) require_known_shapes(std::array{path.string()}, flags);
    ir::formats::OnnxModel model = read_with_data(path, flags);
    if (!model.notes.empty()) report::Progress::erase_any();
    for (const std::string& note : model.notes) std::cerr << "note: " << path.string() << ": " << note << '\n';
    if (names) *names = {.fed = std::move(model.fed), .values = std::move(model.names.values)};
    return std::move(model.file);
  };
}

void require_known_shapes(std::span<const std::string> paths, const ModelFlags& flags) {
  if (flags.shapes.empty()) return;
  std::vector<std::string> names;
  for (const fs::path path : paths) try {
      if (is_onnx(path)) add_shape_names(path, names);
    } catch (const ir::Error&) {
      return;  // the fault of this file is reported when it is read
    }
  const std::string where = paths.size() == 1 ? paths[0] + ": " : "";
  for (const std::string& flag : flags.shapes) {
    const std::string name = flag.substr(0, flag.find('='));
    if (name == library::all_that_is_open) continue;
    ir::require(std::ranges::find(names, name) != names.end(), where, "no input or open extent is called '", name,
                "', which --shape names", core::did_you_mean(name, names));
  }
}

std::vector<std::string> open_extents(const fs::path& path, const ModelFlags& flags) {
  if (!is_onnx(path)) return {};
  require_known_shapes(std::array{path.string()}, flags);
  return ir::formats::open_extents(path, options_for(path, flags, ir::formats::read_onnx_facts(path)));
}

verify::GraphReader node_reader(const ModelFlags& flags) {
  return [flags](const fs::path& path) {
    return is_onnx(path) ? std::move(read_model(path, flags).file) : read_without_data(path, flags);
  };
}

studies::conformance::SuiteReader onnx_suite_reader() {
  return {.subject = subject_of, .read = [](const studies::conformance::SuiteCase& one, const fs::path& data) {
            ModelFlags flags;
            flags.data = data.string();
            return std::move(read_with_data(one.model, flags).file);
          }};
}

}  // namespace plumb::parity::cli::flags
