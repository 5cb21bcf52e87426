// Operands with a slice of the summed axis set to zero, which is how sums without some of their terms are made.
#include "parity/power/faults/slices.hpp"

#include <algorithm>

#include "ir/loops.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The loops that the op of the site declares; none where the site has several ops.
ir::Loops loops_of(const Site& site) {
  if (site.op() == nullptr) return {};
  return ir::loops_of(site.segment.graph, site.segment.graph.nodes().front());
}

/// Whether zeros of an operand take the terms that they are in out of a sum.
bool has_terms(ir::Role role) {
  using enum ir::Role;
  return role == data || role == factor || role == value || role == parameter;
}

void clear(ir::Tensor& tensor, std::size_t axis, const std::function<bool(std::int64_t)>& is_zero) {
  const ir::Lines lines = ir::along(tensor.shape(), static_cast<std::int64_t>(axis));
  const std::size_t width = ir::info(tensor.dtype()).bytes;
  for (std::int64_t line = 0; line < lines.count(); ++line)
    for (std::int64_t k = 0; k < lines.length; ++k)
      if (is_zero(k)) std::ranges::fill(tensor.bytes().subspan(lines.at(line, k) * width, width), std::byte{0});
}

/// Another operand whose numbers are the data of the same terms.
std::optional<std::size_t> partner_of(const Site& site, const ir::Loops& loops, const ir::Loop& loop, std::size_t i) {
  if (loops.operand(i).role != ir::Role::data) return {};
  for (std::size_t other = i + 1; other < loop.in.size(); ++other)
    if (loop.in[other] == loop.in[i] && loops.operand(other).role == ir::Role::data)
      return site.segment.graph.nodes().front().inputs[other];
  return {};
}

}  // namespace

std::vector<ir::Tensor> zeroed(const Site& site, const Summed& summed,
                               const std::function<bool(std::int64_t)>& is_zero) {
  auto inputs = site.inputs();
  clear(inputs[summed.operand], summed.axis, is_zero);
  if (summed.partner) clear(inputs[*summed.partner], summed.axis, is_zero);
  return inputs;
}

std::optional<Summed> summed_axis(const Site& site) {
  if (site.elements() == 0) return {};
  const ir::Loops loops = loops_of(site);
  // A sum that leaves no axis is taken before one that runs over the axis of the result, as windows do.
  for (const bool is_left : {false, true})
    for (const ir::Loop& loop : loops.loops) {
      if (loop.reduction != ir::Reduction::sum || loop.out.has_value() != is_left) continue;
      for (std::size_t i = 0; i < loop.in.size(); ++i)
        if (const ir::Axis axis = loop.in[i]; axis && has_terms(loops.operand(i).role)) {
          const std::size_t operand =
              site.segment.graph.nodes().front().inputs[i];  // a segment counts its inputs first
          const bool is_linear = loops.operand(i).degree == ir::Degree::linear;
          if (site.operands[operand].now.shape()[*axis] > 1)
            return Summed{operand, *axis, partner_of(site, loops, loop, i), is_linear};
        }
    }
  return {};
}

std::vector<ir::Tensor> without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to) {
  return zeroed(site, summed, [=](std::int64_t k) { return from <= k && k < to; });
}

const Numbers& truth_without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to) {
  const auto found = site.lacking.find({from, to});
  if (found != site.lacking.end()) return found->second;
  return site.lacking.emplace(std::pair(from, to), site.truth_of(without(site, summed, from, to))).first->second;
}

bool multiplies(const Site& site) { return ir::is_product(loops_of(site)); }

bool multiplies_two(const Site& site) { return ir::is_product_of_two(loops_of(site)); }

std::optional<Numbers> round_operands(const Site& site, ir::DTypes dtypes, const std::function<double(double)>& round) {
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
