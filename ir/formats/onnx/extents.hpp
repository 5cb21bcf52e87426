#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::ir::from_onnx {

/// The name of an extent that a file leaves open; "" where it has none. Exporters write "?", "-1" and "None" for
/// extents that have nothing to do with each other: those are no names.
std::string_view symbol_of(const ::onnx::TensorShapeProto_Dimension& dimension);

/// The extents of a model's inputs: those of its file, and what was said of those that the file leaves open.
class Extents {
 public:
  /// Extents of flags and given tensors come first; those expected of outputs and inner values settle the rest. The
  /// options must outlive this.
  Extents(const ::onnx::GraphProto& graph, const formats::OnnxOptions& options);

  /// The type of an input. Throws Error where an extent is left open, and where two of those who know it differ: with
  /// the axis and both numbers.
  TensorType type_of(const ::onnx::ValueInfoProto& input) const;

  /// The extents of an input that are left open, as arguments of --shape.
  std::vector<std::string> left_open(const ::onnx::ValueInfoProto& input) const;

  /// Contradictions between expected tensors, in words.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Settled {
    std::int64_t extent = 0;
    std::string by;  ///< "input 'x', axis 0", in a message
  };

  void learn_from_inputs(const ::onnx::GraphProto& graph);
  void learn_from_expected(const ::onnx::GraphProto& graph);
  Shape told(const ::onnx::ValueInfoProto& input) const;
  std::int64_t open_extent(const ::onnx::ValueInfoProto& input, const ::onnx::TensorShapeProto_Dimension& dimension,
                           std::size_t axis, std::int64_t told) const;

  const formats::OnnxOptions& options_;
  std::map<std::string, Settled, std::less<>> symbols_;
  std::vector<std::string> problems_;
};

}  // namespace plumb::ir::from_onnx
