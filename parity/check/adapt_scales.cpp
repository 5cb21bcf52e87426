// Shapes, dtypes and numbers of scales and zero points.
#include "parity/check/adapt_scales.hpp"

#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/fake_quantize.hpp"
#include "ir/ops/quantize_linear.hpp"

namespace plumb::parity::check {
namespace {

/// Which scales an operand of this shape may have.
ir::Shape scales_of(const ir::Shape& x, std::int64_t axis, std::int64_t block_size) {
  const std::int64_t at = axis < 0 ? axis + x.rank() : axis;
  if (at < 0 || at >= x.rank() || block_size < 0) return {};
  const std::int64_t extent = x[static_cast<std::size_t>(at)];
  if (block_size == 0) return {extent};
  ir::Shape blocks = x;
  blocks[static_cast<std::size_t>(at)] = extent / block_size + (extent % block_size != 0 ? 1 : 0);
  return blocks;
}

template <class Op>
void adapt_to(const Op& op, Sketch& sketch) {
  sketch.reshape("scale", "[]");
  sketch.reshape("zero_point", "[]");
  sketch.fills["scale"] = {.distribution = ir::Distribution::uniform, .low = 0.02, .high = 0.1};
  sketch.amend = [axis = op.axis, block_size = op.block_size](std::vector<ir::Shape>& shapes, Random& random) {
    if (random() % 4 == 0) return;  // one for all
    for (std::size_t i = 1; i < shapes.size(); ++i) shapes[i] = scales_of(shapes.at(0), axis, block_size);
  };
}

}  // namespace

void adapt_scales(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::FakeQuantize>())
    sketch.amend = [axis = op.as<ir::ops::FakeQuantize>().axis](std::vector<ir::Shape>& shapes, Random&) {
      for (std::size_t i = 1; i < shapes.size(); ++i) shapes[i] = scales_of(shapes.at(0), axis, 0);
    };
  if (op.is<ir::ops::DequantizeLinear>()) adapt_to(op.as<ir::ops::DequantizeLinear>(), sketch);
  if (!op.is<ir::ops::QuantizeLinear>()) return;
  const auto& quantizer = op.as<ir::ops::QuantizeLinear>();
  adapt_to(quantizer, sketch);
  if (quantizer.has_zero_point) sketch.operand("zero_point").dtypes = quantizer.dtype;
}

}  // namespace plumb::parity::check
