#pragma once

// Numbers that inputs are given on the command line and by files of tensors, before and after a graph is read.

#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "ir/formats/onnx/onnx_file.hpp"
#include "parity/cli/flags/model_files.hpp"

namespace plumb::parity::cli::flags {

/// The numbers of NAME=VALUE, and the shape that their brackets have.
struct Literal {
  std::string name, text;
  ir::Shape shape;                 ///< [] of a single number
  std::vector<std::string> words;  ///< numbers, true, false, nan and inf, in row-major order

  bool is_number() const;  ///< and no list: it may stand for every element of an input
};

/// Reads NAME=VALUE: a number, true or false, or a list of them, perhaps of lists: sr=16000, shape=[1,2,3]. Throws
/// Error for anything else, and for lists that are not as long as those beside them.
Literal parse_literal(const std::string& flag);

/// The type that a file's tensor is taken as for the value of that name, if there is one (taken_as).
ir::TensorType taken_for(const ir::Graph& graph, std::string_view name, const ir::TensorType& found);

/// The numbers in a dtype and in the shape that they were written in. Throws Error where one does not fit.
ir::Tensor tensor_of(const Literal& literal, ir::DType dtype);

/// Lets what is given of the inputs and initialisers of a model, and what is expected of its values, settle what the
/// model leaves open. Throws Error for names that the model has not, and for what is given twice.
void give(const ModelFlags& flags, const ir::formats::OnnxFacts& facts, ir::formats::OnnxOptions& options);

/// All that is given for sources of this graph, by their names there; it has the last word over what the graph's file
/// says of them. `names` are those that its reader met. Says on stderr how many a file fed. Throws Error for what the
/// graph has no use for.
ir::Feeds given_to(const ir::formats::GraphFile& file, const ModelNames& names, const ModelFlags& flags,
                   std::uint64_t most_bytes);

/// A graph of any format, fed what these flags give.
ir::formats::GraphFile read_fed(const std::string& path, const ModelFlags& flags);

/// Those flags as a shell takes them again: " --shape 'n=4' --input 'sr=16000'".
std::string repeated(const ModelFlags& flags);

}  // namespace plumb::parity::cli::flags
