// Puts sums into the operands of products of given shapes, and takes them out of the results.
#include "parity/profile/probe/product_lines.hpp"

#include <algorithm>
#include <bit>

#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::parity::profile::probe {
namespace {

/// Which operands of a product are transposed.
std::pair<bool, bool> transposes_of(const ir::Op& op) {
  if (const bool is_matmul = op.is<ir::ops::Matmul>(); !is_matmul) {
    const auto& gemm = op.as<ir::ops::Gemm>();
    return {gemm.transpose_a, gemm.transpose_b};
  }
  const auto& matmul = op.as<ir::ops::Matmul>();
  return {matmul.transpose_a, matmul.transpose_b};
}

std::size_t extent(const ir::Shape& shape, std::size_t from_last) {
  return static_cast<std::size_t>(shape[shape.size() - 1 - from_last]);
}

/// The matrices of an operand.
std::size_t batches_of(const ir::Shape& shape) {
  std::size_t batches = 1;
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) batches *= static_cast<std::size_t>(shape[i]);
  return batches;
}

}  // namespace

std::optional<ProductLines> ProductLines::of(const ProductPlace& place) {
  const auto [transpose_a, transpose_b] = transposes_of(place.op);
  const ir::Shape &a = place.operands[0].shape, &b = place.operands[1].shape;
  const ir::Graph graph = ir::graph_of(place.op, place.operands);
  ProductLines made(place);
  made.terms_ = static_cast<std::int64_t>(extent(a, transpose_a ? 1 : 0));
  made.rows_ = extent(a, transpose_a ? 0 : 1);
  made.columns_ = extent(b, transpose_b ? 1 : 0);
  made.batches_ = batches_of(graph.type(graph.results().front()).shape);
  made.a_ = {batches_of(a) * made.rows_, made.rows_, !transpose_a};
  made.b_ = {batches_of(b) * made.columns_, made.columns_, transpose_b};
  const bool rows_fit = batches_of(a) == made.batches_, columns_fit = batches_of(b) == made.batches_;
  made.by_rows_ = rows_fit && (!columns_fit || made.a_.lines >= made.b_.lines);
  made.lines_ = made.by_rows_ ? made.a_.lines : made.b_.lines;
  if (made.terms_ == 0 || made.lines_ == 0 || made.rows_ * made.columns_ == 0) return std::nullopt;
  return rows_fit || columns_fit ? std::optional(made) : std::nullopt;
}

/// An operand whose line l has `lines[l]`, or all of whose lines have the only one that is given.
ir::Tensor ProductLines::operand(std::size_t which, const Side& side, std::span<const std::vector<float>> lines) const {
  ir::Tensor tensor(place_.operands[which]);
  const std::span<float> values = tensor.as<float>();
  const auto terms = static_cast<std::size_t>(terms_);
  const bool are_alike = lines.size() == 1 && (which == 0) != by_rows_;
  for (std::size_t line = 0; line < side.lines; ++line) {
    if (!are_alike && line >= lines.size()) break;
    const std::vector<float>& from = lines[are_alike ? 0 : line];
    const std::size_t matrix = line / side.per_batch, within = line % side.per_batch;
    for (std::size_t k = 0; k < terms; ++k)
      values[matrix * side.per_batch * terms +
             (side.terms_are_last ? within * terms + k : k * side.per_batch + within)] = from[k];
  }
  return tensor;
}

core::Trial ProductLines::trial(std::span<const std::vector<float>> lines, std::span<const float> others) const {
  const std::vector<std::vector<float>> alike = {{others.begin(), others.end()}};
  core::Trial trial{.graph = ir::graph_of(place_.op, place_.operands, "y", place_.are_params), .feeds = {}};
  const auto feed = [&](std::size_t i, ir::Tensor tensor) {
    trial.feeds.emplace(trial.graph.name(trial.graph.nodes().front().inputs.at(i)), std::move(tensor));
  };
  feed(0, operand(0, a_, by_rows_ ? lines : std::span(alike)));
  feed(1, operand(1, b_, by_rows_ ? std::span(alike) : lines));
  for (std::size_t i = 2; i < place_.operands.size(); ++i) feed(i, ir::Tensor(place_.operands[i]));
  return trial;
}

std::optional<std::vector<float>> ProductLines::sums_in(const core::TrialEnd& end, std::size_t count) const {
  const ir::Tensor& y = end.values.begin()->second;
  if (y.dtype() != ir::DType::f32) return std::nullopt;
  const std::span<const float> values = y.as<float>();
  std::vector<float> sums;
  for (std::size_t line = 0; line < count; ++line) {
    const std::size_t per_batch = by_rows_ ? rows_ : columns_, others = by_rows_ ? columns_ : rows_;
    const std::size_t matrix = line / per_batch * rows_ * columns_, within = line % per_batch;
    const std::size_t first = matrix + (by_rows_ ? within * columns_ : within), step = by_rows_ ? 1 : columns_;
    const float sum = values[first];
    for (std::size_t i = 0; i < others; ++i)
      if (std::bit_cast<std::uint32_t>(values[first + i * step]) != std::bit_cast<std::uint32_t>(sum))
        return std::nullopt;
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace plumb::parity::profile::probe
