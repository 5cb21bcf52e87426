#include "parity/checks/samples/slice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "ir/passes/widen.hpp"
#include "ir/raw/copy_bytes.hpp"

namespace plumb::parity::checks::samples {
namespace {

/// The axis of each operand that is cut, where one is.
using Cuts = std::vector<std::optional<std::size_t>>;

ir::TensorType cut_type(ir::TensorType type, std::optional<std::size_t> axis, std::size_t entries) {
  if (axis) type.shape[*axis] = static_cast<std::int64_t>(entries);
  return type;
}

/// How many elements lie side by side for one entry of an axis.
std::size_t inner_of(const ir::Shape& shape, std::size_t axis) {
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  return inner;
}

/// The flat indices of what the entries of an axis keep.
std::vector<std::size_t> kept_elements(const ir::Shape& shape, std::size_t axis,
                                       const std::vector<std::size_t>& entries) {
  const std::size_t inner = inner_of(shape, axis), extent = static_cast<std::size_t>(shape[axis]);
  const std::size_t outer = static_cast<std::size_t>(shape.elements()) / (inner * extent);
  std::vector<std::size_t> kept;
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::size_t entry : entries)
      for (std::size_t l = 0; l < inner; ++l) kept.push_back((o * extent + entry) * inner + l);
  return kept;
}

/// The kept part of an operand, as reference precision has it.
ir::Tensor cut(const ir::TensorView& x, std::optional<std::size_t> axis, const std::vector<std::size_t>& entries) {
  if (!axis) return ir::passes::widen(x);
  ir::Tensor smaller(cut_type({x.dtype(), x.shape()}, axis, entries.size()));
  const std::size_t run = inner_of(x.shape(), *axis) * ir::info(x.dtype()).bytes;  // that one entry has side by side
  const std::size_t extent = static_cast<std::size_t>(x.shape()[*axis]);
  const std::size_t outer = run == 0 ? 0 : x.bytes().size() / (run * extent);
  std::size_t to = 0;
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::size_t entry : entries) {
      ir::raw::copy_bytes(x.bytes().subspan((o * extent + entry) * run, run), smaller.bytes().subspan(to, run));
      to += run;
    }
  return ir::passes::widen(smaller);
}

/// The segment on operands that are cut so; nothing where the shapes do not fit.
std::optional<core::Segment> cut_segment(const core::Segment& segment, std::size_t k, std::size_t axis,
                                         std::size_t entries, const Cuts& cuts) try {
  core::Segment smaller{.graph = {}, .fed = segment.fed, .outputs = {}, .judged = segment.judged};
  std::map<ir::Value, ir::Value> renumbered;
  const ir::Graph& graph = segment.graph;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i)
    renumbered.emplace(i, smaller.graph.input(graph.inputs()[i], cut_type(graph.type(i), cuts[i], entries)));
  for (const ir::Node& node : graph.nodes()) {
    std::vector<ir::Value> inputs;
    for (const ir::Value v : node.inputs) inputs.push_back(renumbered.at(v));
    const auto outputs = smaller.graph.add_all(node.label, node.op, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) renumbered.emplace(node.outputs[o], outputs[o]);
  }
  for (const ir::Value v : segment.outputs) smaller.outputs.push_back(renumbered.at(v));
  const ir::TensorType wanted = cut_type(graph.type(segment.outputs[k]), axis, entries);
  if (smaller.graph.type(smaller.outputs[k]) != wanted) return std::nullopt;
  return smaller;
} catch (const ir::Error&) {
  return std::nullopt;
}

/// Whether a slice makes the elements of the truth that it stands for.
bool makes(const ir::Tensor& output, const std::vector<std::size_t>& kept, const ir::Tensor& truth) {
  const auto y = truth.as<double>(), made = output.as<double>();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const double wanted = y[kept[i]];
    const bool is_like = made[i] == wanted || (std::isnan(made[i]) && std::isnan(wanted));
    if (!is_like && !(std::abs(made[i] - wanted) <= 1e-9 * std::abs(wanted))) return false;
  }
  return true;
}

/// Whether a slice runs and makes the elements of the truth that it stands for. One whose indices lie in what was cut
/// off is refused.
bool stands_for(const settle::Subject& subject, const Slice& slice, std::size_t k, const ir::Tensor& truth) try {
  return makes(output_of(subject, slice, k, slice.fed), slice.kept, truth);
} catch (const ir::Error&) {
  return false;
}

/// The next choice of cuts, of what each operand allows; false behind the last.
bool next(std::vector<std::size_t>& choice, const std::vector<Cuts>& allowed) {
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (++choice[i] < allowed[i].size()) return true;
    choice[i] = 0;
  }
  return false;
}

}  // namespace

Slice whole_of(const settle::Subject& subject, std::size_t k) {
  Slice slice{.segment = subject.segment, .fed = {}, .kept = {}};
  for (const ir::TensorView& x : subject.inputs) slice.fed.push_back(ir::passes::widen(x));
  slice.kept.resize(static_cast<std::size_t>(subject.segment.graph.type(subject.segment.outputs[k]).shape.elements()));
  std::iota(slice.kept.begin(), slice.kept.end(), std::size_t{0});
  return slice;
}

std::optional<Slice> slice_of(const settle::Subject& subject, std::size_t k, std::size_t axis,
                              const std::vector<std::size_t>& entries, const ir::Tensor& truth, int tries) {
  constexpr int most_choices = 256;
  const ir::Graph& graph = subject.segment.graph;
  const ir::Shape& shape = truth.shape();
  std::vector<Cuts> allowed;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    Cuts& cuts = allowed.emplace_back(Cuts{std::nullopt});
    const ir::Shape& of_input = graph.type(i).shape;
    for (std::size_t a = 0; a < of_input.size(); ++a)
      if (of_input[a] == shape[axis]) cuts.emplace_back(a);
  }
  std::vector<std::size_t> choice(allowed.size(), 0);
  for (int n = 0; n < most_choices && tries > 0 && next(choice, allowed); ++n) {
    Cuts cuts;
    for (std::size_t i = 0; i < choice.size(); ++i) cuts.push_back(allowed[i][choice[i]]);
    auto segment = cut_segment(subject.segment, k, axis, entries.size(), cuts);
    if (!segment) continue;
    --tries;
    Slice slice{std::move(*segment), {}, kept_elements(shape, axis, entries)};
    for (std::size_t i = 0; i < cuts.size(); ++i) slice.fed.push_back(cut(subject.inputs[i], cuts[i], entries));
    if (stands_for(subject, slice, k, truth)) return slice;
  }
  return std::nullopt;
}

ir::Tensor output_of(const settle::Subject& subject, const Slice& slice, std::size_t k,
                     const std::vector<ir::Tensor>& fed) {
  ir::Feeds feeds;
  for (std::size_t i = 0; i < fed.size(); ++i) feeds.emplace(slice.segment.graph.inputs()[i], fed[i]);
  return core::evaluate_widened(subject.reference, slice.segment, feeds).outputs.at(k);
}

}  // namespace plumb::parity::checks::samples
