// Window functions, whose size is known when the model is read.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/window.hpp"

namespace plumb::ir::from_onnx {
namespace {

template <ops::WindowFunction function>
void window(NodeReader& node) {
  const auto size = node.known_ints(0, "size");
  require(size.size() == 1 && size[0] >= 0, "size must be one number, 0 at least");
  const DType to = dtype_of(node.integer("output_datatype", 1));
  // ONNX's own formula of whole numbers is in f32.
  const DType made = is_float(to) ? to : DType::f32;
  node.take({made, {size[0]}});
  const ops::Window op{function, size[0], node.integer("periodic", 1) != 0, made};
  node.out(0, node.cast(node.add(op, {}), to));
}

}  // namespace

std::span<const Converter> windows_converters() {
  static constexpr Converter table[] = {
      {"BlackmanWindow", window<ops::WindowFunction::blackman>},
      {"HammingWindow", window<ops::WindowFunction::hamming>},
      {"HannWindow", window<ops::WindowFunction::hann>},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
