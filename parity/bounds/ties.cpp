// Which results a tie is decided of, and truths that are rounded to odd.
#include "parity/bounds/ties.hpp"

#include <bit>
#include <cmath>

namespace plumb::parity::bounds {

bool decides_ties(const core::Segment& segment, std::size_t k) {
  if (segment.graph.nodes().size() != 1) return false;
  const ir::DType dtype = segment.graph.type(segment.outputs.at(k)).dtype;
  if (!ir::is_float(dtype) || dtype == ir::DType::f64) return false;
  const ir::Node& node = segment.graph.nodes().front();
  for (const ir::Value v : node.inputs)
    if (segment.graph.type(v).dtype != dtype && !ir::is_integer(segment.graph.type(v).dtype)) return false;
  return error_model(node.op).decides_ties;
}

void round_to_odd(ir::Tensor& truth, const ir::Tensor& lost) {
  const auto y = truth.as<double>();
  const auto rest = lost.as<double>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(y[i]);
    if (!(rest[i] != 0) || !std::isfinite(rest[i]) || (bits & 1) != 0) continue;
    y[i] = std::bit_cast<double>((rest[i] > 0) == (y[i] > 0) ? bits + 1 : bits - 1);
  }
}

}  // namespace plumb::parity::bounds
