// The flags for models that leave something open, and the readers of graphs and test suites by extension.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/formats/onnx/onnx_file.hpp"
#include "parity/cli/flags/gguf_flags.hpp"
#include "parity/studies/conformance/conformance.hpp"
#include "parity/verify/verify.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// The flags that say how a model is to be read that leaves something open.
struct ModelFlags {
  std::vector<std::string> shapes;   ///< "name=1,3,224,224" of an input, "symbol=8" of an extent
  std::vector<std::string> buckets;  ///< "symbol=128" of an extent, at which the model runs besides
  std::string data;                  ///< folder with input_0.pb, output_0.pb, ...
  std::string load_inputs;           ///< file of tensors by the names of inputs
  std::vector<std::string> inputs;   ///< "sr=16000" of an input
  std::string expected;              ///< file of what another implementation gave, whose shapes settle extents
  std::string dump, dump_prefix;     ///< file of what a candidate saved, whose inputs settle what nothing else does
  bool are_for_several = false;      ///< models: a name need not be in each of them (require_known_shapes)
  GgufFlags gguf = {};
};

void add_model_flags(CLI::App& app, ModelFlags& flags);

/// Whether the extension is that of an ONNX model; every command goes by it.
bool is_onnx(const std::filesystem::path& path);

/// The graph's names of tensors by the model's names, from which they may differ.
struct ModelNames {
  std::map<std::string, std::string, std::less<>> fed = {};  ///< those that were given numbers, "" if folded
  std::map<std::string, std::string, std::less<>> values = {};
};

/// All that the flags say of a model before it is read; `facts` are its own.
ir::formats::OnnxOptions options_for(const std::filesystem::path& path, const ModelFlags& flags,
                                     const ir::formats::OnnxFacts& facts);

/// A reader of graphs by extension: .onnx, .gguf, else plumb.graph/1. Remarks of a model's
/// reader go to stderr, its names of tensors to `names`. The reader throws Error as the formats' own do.
verify::GraphReader model_reader(const ModelFlags& flags, std::shared_ptr<ModelNames> names = nullptr);

/// Throws Error when a name of --shape is neither an input nor an open extent of any of these models. The reader of one
/// model asks that, too.
void require_known_shapes(std::span<const std::string> paths, const ModelFlags& flags);

/// Extents that a model leaves open and no flag settles, as --shape would: "batch=1"; empty where nothing is open,
/// or the file is no ONNX model.
std::vector<std::string> open_extents(const std::filesystem::path& path, const ModelFlags& flags);

/// A reader by extension to whom the nodes of a graph matter alone: it makes no remarks, and reads nothing that is
/// expected of a model. It throws Error as the formats' own do.
verify::GraphReader node_reader(const ModelFlags& flags);

/// How the folders of ONNX's backend tests are read.
studies::conformance::SuiteReader onnx_suite_reader();

}  // namespace plumb::parity::cli::flags
