#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/graph_file.hpp"

namespace plumb::ir::formats {

/// The outputs of one op on these operands: with it the reader folds what only shapes the graph.
using Evaluate = std::function<std::vector<Tensor>(const Op&, std::span<const Tensor>)>;

/// Evaluates with an executor, which must outlive the function.
Evaluate evaluate_with(Executor& executor);

struct OnnxOptions {
  Evaluate evaluate = {};  ///< needed
  /// Extents of an input by its name, or one extent by the name of a symbol.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes = {};
  std::optional<std::int64_t> rest = {};  ///< every extent of an input that nothing else settles
  /// Numbers that inputs will be fed, and initialisers have in place of the file's. They settle symbols, and where
  /// shapes or branches depend on them (an input that Reshape reads, say) the graph is made for these numbers: see
  /// notes. Those of an input for which the file has a default value take its place.
  std::map<std::string, Tensor, std::less<>> given = {};
  /// Likewise one number for every element of an input, whatever its shape.
  std::map<std::string, Tensor, std::less<>> spread = {};
  /// Shapes of outputs and inner values, as another implementation gave them: they settle symbols that no input does.
  std::map<std::string, Shape, std::less<>> expected = {};
  std::uint64_t most_bytes = usual_memory_budget;  ///< for all tensors in the file together
  std::size_t most_nodes = 200'000;                ///< after loops are unrolled and functions inlined
};

/// A tensor of a model as the file describes it.
struct OnnxValue {
  std::string name, type;           ///< type as text: "f32[batch, 3, 224, 224]", "sequence", ...
  bool is_tensor = true;            ///< a tensor of numbers: no sequence, map, optional or strings
  std::optional<DType> dtype = {};  ///< where there is one of ours
  /// Where the file says how many there are: its extents, -1 for those that it leaves open.
  std::optional<std::vector<std::int64_t>> extents = {};
  bool has_nameless = false;              ///< whether it leaves its rank open, or an extent that has no name
  std::vector<std::string> symbols = {};  ///< by axis, the name of an extent that the file leaves open, "" of others
  std::string key = {};                   ///< its name byte for byte, as OnnxOptions are asked by it
};

/// The facts of a file that are known without reading the graph into ops.
struct OnnxFacts {
  std::string producer;
  std::int64_t ir_version = 0, opset = 0;
  std::vector<OnnxValue> inputs, outputs;  ///< inputs that the file has no numbers for, in order
  std::vector<OnnxValue> defaults;         ///< inputs that it has numbers for, in whose place others may be given
  std::vector<std::string> all_inputs;     ///< keys of both, in order
  std::vector<std::string> initialisers;   ///< names of tensors that it has numbers for, and of its constants
  std::map<std::string, std::size_t> ops;  ///< nodes by operator, those of subgraphs and functions too
};

/// Names of tensors that differ between a file and its graph: the graph's names by the file's.
struct OnnxNames {
  std::map<std::string, std::string, std::less<>> sources;  ///< inputs and params
  std::map<std::string, std::string, std::less<>> values;   ///< tensors of every kind but results, which have their own
};

/// A model as a graph. Initialisers and larger constants are its params; values keep the
/// names they have in the file.
struct OnnxModel {
  GraphFile file;
  OnnxFacts facts;
  std::vector<std::string> outputs;  ///< [k] is the name of file.graph.results()[k]
  OnnxNames names;
  std::vector<std::string> notes;  ///< notes for the user: a check left out, ...
  /// The graph's names of inputs and initialisers that were given numbers, by their names in the file and as these are
  /// shown; "" for those that the graph has no more since they were folded.
  std::map<std::string, std::string, std::less<>> fed;
};

/// Reads a model. Throws one Unsupported or Error that lists every node that cannot be
/// read, by name, operator, opset and reason.
OnnxModel read_onnx(const std::filesystem::path& path, const OnnxOptions& options);

/// Reads the bytes of a model whose external data lies below `directory`.
OnnxModel parse_onnx(std::string_view bytes, const std::filesystem::path& directory, const OnnxOptions& options);

/// Throws Error when the file is no ONNX model.
OnnxFacts read_onnx_facts(const std::filesystem::path& path);

/// The extents that a model and these options leave open, as arguments of --shape: "batch=1", or "x=1,..." where they
/// have no name. Throws Error when the file is no ONNX model.
std::vector<std::string> open_extents(const std::filesystem::path& path, const OnnxOptions& options);

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Reads a file with one TensorProto, such as input_0.pb. Throws Unsupported for what is
/// no tensor of numbers (strings; the sequences, maps and optionals of some test data).
NamedTensor read_tensor_proto(const std::filesystem::path& path, std::uint64_t most_bytes = usual_memory_budget);
NamedTensor parse_tensor_proto(std::string_view bytes, std::uint64_t most_bytes = usual_memory_budget);

}  // namespace plumb::ir::formats
