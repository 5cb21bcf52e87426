// Operands with a slice of the summed axis set to zero, which is how sums without some of their terms are made.
#include "parity/power/faults/slices.hpp"

#include <algorithm>

#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"

namespace plumb::parity::power::faults {
namespace {

std::optional<std::size_t> reduced_axis(const ir::ops::Reduce& op, const ir::Shape& x) {
  using Function = ir::ops::ReduceFunction;
  if ((op.function != Function::sum && op.function != Function::mean) || op.axes.empty()) return {};
  return x.axis(op.axes.back());
}

/// The operand's name and the axis, which may count from the end.
std::optional<std::pair<std::string_view, std::int64_t>> named_axis(const Site& site) {
  namespace ops = ir::ops;
  const ir::Op* op = site.op();
  if (op == nullptr) return {};
  if (op->is<ops::Matmul>()) return {{"a", op->as<ops::Matmul>().transpose_a ? -2 : -1}};
  if (op->is<ops::Gemm>()) return {{"a", op->as<ops::Gemm>().transpose_a ? -2 : -1}};
  if (op->is<ops::Conv>()) return {{"w", 1}};
  if (op->is<ops::Attention>()) {
    const bool heads_first = op->as<ops::Attention>().layout == ops::AttentionLayout::bhsd;
    return {{"v", heads_first ? 2 : 1}};
  }
  if (op->is<ops::Reduce>())
    if (const auto axis = reduced_axis(op->as<ops::Reduce>(), site.operands.front().now.shape()))
      return {{"x", static_cast<std::int64_t>(*axis)}};
  return {};
}

}  // namespace

std::vector<ir::Tensor> zeroed(const Site& site, const Summed& summed,
                               const std::function<bool(std::int64_t)>& is_zero) {
  auto inputs = site.inputs();
  ir::Tensor& tensor = inputs[summed.operand];
  const ir::Lines lines = ir::along(tensor.shape(), static_cast<std::int64_t>(summed.axis));
  const std::size_t width = ir::info(tensor.dtype()).bytes;
  for (std::int64_t line = 0; line < lines.count(); ++line)
    for (std::int64_t k = 0; k < lines.length; ++k)
      if (is_zero(k)) std::ranges::fill(tensor.bytes().subspan(lines.at(line, k) * width, width), std::byte{0});
  return inputs;
}

std::optional<Summed> summed_axis(const Site& site) {
  const auto named = named_axis(site);
  if (!named) return {};
  const auto operand = site.operand(named->first);
  if (!operand || site.elements() == 0) return {};
  const ir::Shape& shape = site.operands[*operand].now.shape();
  const std::size_t axis = shape.axis(named->second);
  if (shape[axis] < 2) return {};
  return Summed{*operand, axis};
}

std::vector<ir::Tensor> without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to) {
  return zeroed(site, summed, [=](std::int64_t k) { return from <= k && k < to; });
}

const Numbers& truth_without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to) {
  const auto found = site.lacking.find({from, to});
  if (found != site.lacking.end()) return found->second;
  return site.lacking.emplace(std::pair(from, to), site.truth_of(without(site, summed, from, to))).first->second;
}

bool multiplies(const Site& site) {
  if (site.op() == nullptr || site.as<ir::ops::Reduce>() != nullptr) return false;
  return site.op()->error_class() == ir::ErrorClass::dot || site.as<ir::ops::Attention>() != nullptr;
}

std::optional<Numbers> on_rounded(const Site& site, ir::DTypes dtypes, const std::function<double(double)>& round) {
  if (!multiplies(site)) return {};
  auto inputs = site.inputs();
  for (ir::Tensor& input : inputs) {
    if (!dtypes.contains(input.dtype())) continue;
    Numbers numbers = numbers_of(input);
    for (double& x : numbers) x = round(x);
    input = tensor_of(input.type(), numbers);
  }
  return site.on(inputs);
}

}  // namespace plumb::parity::power::faults
