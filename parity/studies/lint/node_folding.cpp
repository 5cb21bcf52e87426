// Results that are known number by number, since their operands are: a mask made of constants, a window's squares.
#include <algorithm>
#include <complex>

#include "parity/studies/lint/node_sampler.hpp"

namespace plumb::parity::studies::lint {
namespace {

constexpr double most_folded = 65'536;  ///< reads of a result that is known number by number

}  // namespace

std::optional<ir::Tensor> NodeSampler::folded(const ir::Node& node, std::size_t k) {
  const ir::TensorType& out = graph_.type(node.outputs[k]);
  const std::int64_t count = out.shape.elements();
  const auto is_there = [this](ir::Value v) { return values_[v].numbers.has_value(); };
  const auto reads = reads_of_.find(&node);
  if (count == 0 || reads == reads_of_.end() || !std::ranges::all_of(node.inputs, is_there)) return std::nullopt;
  if (static_cast<double>(count) * std::max(reads->second, 1.0) > most_folded) return std::nullopt;
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph_.type(v));
  begin(node, k, std::move(in), out, 0);
  draw_ = Draw::typical;
  const bool is_complex = ir::is_complex(out.dtype);
  ir::Tensor made({is_complex ? ir::DType::c128 : ir::DType::f64, out.shape});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto y = element_at(i);
    if (!y) return std::nullopt;
    const auto re = static_cast<double>(y->re.value), im = static_cast<double>(y->im.value);
    const auto at = static_cast<std::size_t>(i);
    if (is_complex)
      made.as<std::complex<double>>()[at] = {re, im};
    else
      made.as<double>()[at] = re;
  }
  return made;
}

}  // namespace plumb::parity::studies::lint
