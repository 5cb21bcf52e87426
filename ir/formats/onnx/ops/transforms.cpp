// Fourier transforms, whose complex numbers ONNX has as pairs along the last axis.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/complex_part.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/fft.hpp"
#include "ir/ops/frame.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/make_complex.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/rfft.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::from_onnx {
namespace {

std::int64_t known_number(NodeReader& node, std::size_t i, std::string_view what) {
  const auto numbers = node.known_ints(i, what);
  require(numbers.size() == 1, what, " must be one number, got ", numbers.size());
  return numbers[0];
}

/// Floats that transforms know: f16 and bf16 are computed in f32.
Ref as_wide(NodeReader& node, Ref x) {
  const DType dtype = node.dtype(x);
  if (!is_float(dtype)) NodeReader::unsupported("a transform of ", dtype);
  return dtype == DType::f64 ? x : node.cast(x, DType::f32);
}

/// x with so many elements along an axis: cut off, or zeros behind it.
Ref fitted(NodeReader& node, Ref x, std::size_t axis, std::int64_t extent) {
  const Shape& shape = node.shape(x);
  if (shape[axis] == extent) return x;
  if (shape[axis] > extent)
    return node.add(
        ops::Slice{.axes = {static_cast<std::int64_t>(axis)}, .starts = {0}, .sizes = {extent}, .steps = {}}, {x});
  ops::Pad pad;
  pad.pads.assign(2 * shape.size(), 0);
  pad.pads[shape.size() + axis] = extent - shape[axis];
  return node.add(pad, {x});
}

Shape without_last(const Shape& shape) { return shape.leading(shape.size() - 1); }

/// Complex numbers from pairs, or from reals where the last axis has one element.
Ref complex_of(NodeReader& node, Ref x) {
  const Shape shape = without_last(node.shape(x));
  if (node.shape(x).back() == 1)
    return node.add(ops::MakeComplex{}, {node.reshape(x, shape), node.scalar(node.dtype(x), 0)});
  const auto parts = node.add_all(ops::Split{.axis = -1, .sizes = {1, 1}}, {x});
  return node.add(ops::MakeComplex{}, {node.reshape(parts.at(0), shape), node.reshape(parts.at(1), shape)});
}

/// Pairs of the parts of complex numbers.
Ref pairs_of(NodeReader& node, Ref z) {
  Shape shape = node.shape(z);
  shape.push_back(1);
  std::vector<Ref> parts;
  for (const auto part : {ops::ComplexPartFunction::real, ops::ComplexPartFunction::imag})
    parts.push_back(node.reshape(node.add(ops::ComplexPart{part}, {z}), shape));
  return node.add(ops::Concat{.axis = -1}, parts);
}

void require_numbers(const Shape& shape) {
  require(shape.size() >= 2 && (shape.back() == 1 || shape.back() == 2),
          "the last axis must have one element, of reals, or two, of complex numbers: got ", shape);
}

/// The axis of a DFT, an attribute before opset 20, which counts the axis of the pairs as well.
std::size_t dft_axis(NodeReader& node, const Shape& shape) {
  std::int64_t axis = node.opset() < 20 ? node.integer("axis", 1) : -2;
  if (node.opset() >= 20 && node.has(2)) axis = known_number(node, 2, "axis");
  const std::size_t found = shape.axis(axis);
  require(found + 1 < shape.size(), "axis ", axis, " is that of real and imaginary parts");
  return found;
}

void dft(NodeReader& node) {
  const DType dtype = node.dtype(node.in(0));
  Ref x = as_wide(node, node.in(0));
  const Shape shape = node.shape(x);
  require_numbers(shape);
  const std::size_t at = dft_axis(node, shape);
  const auto axis = static_cast<std::int64_t>(at);
  const bool is_inverse = node.integer("inverse", 0) != 0, is_onesided = node.integer("onesided", 0) != 0;
  const std::int64_t otherwise = is_inverse && is_onesided ? 2 * (shape[at] - 1) : shape[at];
  const std::int64_t n = node.has(1) ? known_number(node, 1, "dft_length") : otherwise;
  require(n >= 1, "dft_length must be at least 1, got ", n);
  x = fitted(node, x, at, is_inverse && is_onesided ? n / 2 + 1 : n);
  if (is_inverse && is_onesided) {
    const Ref y = node.add(ops::Irfft{.n = n, .axis = axis}, {complex_of(node, x)});
    Shape reals = node.shape(y);
    reals.push_back(1);
    return node.out(0, node.cast(node.reshape(y, reals), dtype));
  }
  Ref y{};
  if (is_onesided && shape.back() == 1) {
    y = node.add(ops::Rfft{.axis = axis}, {node.reshape(x, without_last(node.shape(x)))});
  } else {
    y = node.add(ops::Fft{.axis = axis, .inverse = is_inverse}, {complex_of(node, x)});
    if (is_onesided) y = fitted(node, y, at, n / 2 + 1);
  }
  node.out(0, node.cast(pairs_of(node, y), dtype));
}

/// Frames of a line, weighted.
Ref framed(NodeReader& node, Ref x, const ops::Frame& frame, std::optional<Ref> window) {
  const Ref y = node.add(frame, {x});
  if (!window) return y;
  return node.add(ops::Binary{ops::BinaryFunction::multiply}, {y, *window});
}

void stft(NodeReader& node) {
  const DType dtype = node.dtype(node.in(0));
  const Ref x = as_wide(node, node.in(0));
  const Shape shape = node.shape(x);
  require_numbers(shape);
  require(shape.size() == 3, "the signal must be [batch, length, 1 or 2], got ", shape);
  std::optional<Ref> window = node.maybe(2);
  const std::int64_t otherwise = window ? node.shape(*window).elements() : shape[1];
  const ops::Frame frame{.size = node.has(3) ? known_number(node, 3, "frame_length") : otherwise,
                         .hop = known_number(node, 1, "frame_step")};
  if (window) {
    require(node.shape(*window).size() == 1, "the window must be a list, got ", node.shape(*window));
    if (node.shape(*window)[0] > frame.size)
      NodeReader::unsupported("a window of ", node.shape(*window)[0], " for frames of ", frame.size);
    window = fitted(node, as_wide(node, *window), 0, frame.size);
  }
  const bool is_onesided = node.integer("onesided", 1) != 0;
  const Shape line = without_last(shape);
  if (shape[2] == 2) {
    if (is_onesided) NodeReader::unsupported("onesided spectra of complex signals");
    std::vector<Ref> parts;
    for (const Ref part : node.add_all(ops::Split{.axis = -1, .sizes = {1, 1}}, {x}))
      parts.push_back(framed(node, node.reshape(part, line), frame, window));
    const Ref y = node.add(ops::Fft{}, {node.add(ops::MakeComplex{}, parts)});
    return node.out(0, node.cast(pairs_of(node, y), dtype));
  }
  const Ref frames = framed(node, node.reshape(x, line), frame, window);
  const Ref y = is_onesided
                    ? node.add(ops::Rfft{}, {frames})
                    : node.add(ops::Fft{}, {node.add(ops::MakeComplex{}, {frames, node.scalar(node.dtype(x), 0)})});
  node.out(0, node.cast(pairs_of(node, y), dtype));
}

}  // namespace

std::span<const Converter> transforms_converters() {
  static constexpr Converter table[] = {
      {"DFT", dft},
      {"STFT", stft},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
