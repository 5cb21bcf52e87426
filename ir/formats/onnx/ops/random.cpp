// Operators that draw random numbers (ops.md E.1): by their own seed, and by a stream for each node, so that two nodes
// differ. No other executor draws the same.
#include "ir/ops/random.hpp"

#include <cmath>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/sample.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::RandomDistribution;

/// ONNX's seeds are real, but for that of Dropout.
std::int64_t seed_of(const NodeReader& node) {
  if (node.op_type() == "Dropout") return node.integer("seed", 0);
  const double seed = node.real("seed", 0);
  require(std::fabs(seed) < 0x1p63, "seed is ", seed);
  return static_cast<std::int64_t>(std::nearbyint(seed));
}

/// The dtype of what is drawn, and of what is made of it.
DType float_of(const NodeReader& node, std::string_view what, DType otherwise) {
  const DType dtype = node.attribute("dtype") != nullptr ? dtype_of(node.integer("dtype")) : otherwise;
  if (!is_float(dtype)) NodeReader::unsupported(what, " of ", dtype);
  return dtype;
}

ops::Random drawn(const NodeReader& node, RandomDistribution distribution, const Shape& shape, DType dtype) {
  ops::Random op{.shape = shape, .dtype = dtype, .distribution = distribution};
  op.seed = seed_of(node);
  op.stream = node.place();
  return op;
}

template <RandomDistribution distribution>
void draw(NodeReader& node, const Shape& shape, DType dtype) {
  node.take({dtype, shape});
  ops::Random op = drawn(node, distribution, shape, dtype);
  if constexpr (distribution == RandomDistribution::normal) {
    op.mean = node.real("mean", 0);
    op.scale = node.real("scale", 1);
  } else {
    op.low = node.real("low", 0);
    op.high = node.real("high", 1);
  }
  node.out(0, node.add(op, {}));
}

template <RandomDistribution distribution>
void of_shape(NodeReader& node) {
  const auto shape = node.ints("shape");
  require(shape.has_value(), "attribute 'shape' is missing");
  draw<distribution>(node, Shape(std::span(*shape)), float_of(node, "random numbers", DType::f32));
}

template <RandomDistribution distribution>
void like(NodeReader& node) {
  const TensorType type = node.type(node.in(0));
  draw<distribution>(node, type.shape, float_of(node, "random numbers", type.dtype));
}

/// 1 where a uniform number is below the probability.
void bernoulli(NodeReader& node) {
  const Ref p = node.in(0);
  const TensorType type = node.type(p);
  const DType to = node.attribute("dtype") != nullptr ? dtype_of(node.integer("dtype")) : type.dtype;
  const Ref uniform = node.add(drawn(node, RandomDistribution::uniform, type.shape, type.dtype), {});
  node.out(0, node.cast(node.add(ops::Compare{ops::Comparison::less}, {uniform, p}), to));
}

/// The share that is dropped.
double dropped_share(NodeReader& node) {
  if (!node.has(1)) return 0.5;
  const auto ratio = node.known_reals(1, "ratio");
  require(ratio.size() == 1 && 0 <= ratio[0] && ratio[0] < 1, "ratio must be one number in [0, 1)");
  return ratio[0];
}

/// In inference nothing is dropped, and the mask says so. In training what is kept grows by 1/(1 − ratio).
void dropout(NodeReader& node) {
  const Ref x = node.in(0);
  const TensorType type = node.type(x);
  const bool trains = node.opset() >= 12 && node.has(2) && node.known_ints(2, "training_mode").at(0) != 0;
  const double ratio = trains ? dropped_share(node) : 0;
  if (ratio == 0) {
    node.out(0, x);
    if (!node.wants(1)) return;
    const DType dtype = node.opset() >= 10 ? DType::boolean : type.dtype;
    return node.out(1, node.add(ops::Expand{type.shape}, {node.scalar(dtype, 1)}));
  }
  const Ref uniform = node.add(drawn(node, RandomDistribution::uniform, type.shape, DType::f32), {});
  const Ref mask = node.add(ops::Compare{ops::Comparison::greater_equal}, {uniform, node.scalar(DType::f32, ratio)});
  const ops::Binary times{ops::BinaryFunction::multiply};
  const Ref grown = node.add(times, {x, node.scalar(type.dtype, 1 / (1 - ratio))});
  node.out(0, node.add(times, {grown, node.cast(mask, type.dtype)}));
  if (node.wants(1)) node.out(1, mask);
}

/// Every draw from a row of logits is a row of its own.
void multinomial(NodeReader& node) {
  const TensorType logits = node.type(node.in(0));
  require(logits.shape.rank() == 2, "input is ", logits, ", and not of rank 2");
  const std::int64_t rows = logits.shape[0], tokens = logits.shape[1], draws = node.integer("sample_size", 1);
  require(draws >= 0, "sample_size is ", draws);
  const DType dtype = node.attribute("dtype") != nullptr ? dtype_of(node.integer("dtype")) : DType::i32;
  if (dtype != DType::i32 && dtype != DType::i64) NodeReader::unsupported("draws of ", dtype);
  ops::Sample op{.seed = seed_of(node), .stream = node.place(), .index_dtype = dtype};
  const Ref row_by_row = node.reshape(node.in(0), {rows, 1, tokens});
  node.out(0, node.add(op, {node.add(ops::Expand{{rows, draws, tokens}}, {row_by_row})}));
}

}  // namespace

std::span<const Converter> random_converters() {
  static constexpr Converter table[] = {
      {"Bernoulli", bernoulli},
      {"Dropout", dropout},
      {"Multinomial", multinomial},
      {"RandomNormal", of_shape<RandomDistribution::normal>},
      {"RandomNormalLike", like<RandomDistribution::normal>},
      {"RandomUniform", of_shape<RandomDistribution::uniform>},
      {"RandomUniformLike", like<RandomDistribution::uniform>},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
