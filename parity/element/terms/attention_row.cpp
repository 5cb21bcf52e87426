// One query of attention as a row: the keys that it sees, and its lines of q, k, v, mask and bias.
#include "parity/element/terms/attention_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb::parity::element::terms {
namespace {

std::size_t heads_axis_of(const ir::ops::Attention& op) { return op.layout == ir::ops::AttentionLayout::bhsd ? 1 : 2; }

}  // namespace

AttentionRow::AttentionRow(const ir::ops::Attention& op, std::span<const Operand> operands, std::int64_t row)
    : op_(op), operands_(operands), heads_axis_(heads_axis_of(op)) {
  const ir::Shape &q = operands[0].shape, &k = operands[1].shape;
  queries_ = q[3 - heads_axis_];
  key_count_ = k[3 - heads_axis_];
  heads_ = q[heads_axis_];
  query_ = row % queries_;
  head_ = row / queries_ % heads_;
  batch_ = row / queries_ / heads_;
  kv_head_ = head_ / (heads_ / k[heads_axis_]);
}

std::int64_t AttentionRow::row_of(const ir::ops::Attention& op, const ir::Shape& y, std::int64_t index) {
  const std::vector<std::int64_t> at = position_of(index, y);
  const std::size_t heads = heads_axis_of(op), queries = 3 - heads;
  return (at[0] * y[heads] + at[heads]) * y[queries] + at[queries];
}

std::vector<std::int64_t> AttentionRow::keys() const {
  std::int64_t length = key_count_;
  if (op_.has_kv_lengths)
    length = static_cast<std::int64_t>(std::clamp(operands_[op_.lengths_at()].values[static_cast<std::size_t>(batch_)],
                                                  0.0, static_cast<double>(key_count_)));
  // Offsets and windows may be as large as the type: differences are taken in floating point.
  const double position = static_cast<double>(query_) + (op_.query_offset ? static_cast<double>(*op_.query_offset)
                                                                          : static_cast<double>(length - queries_));
  std::vector<std::int64_t> seen;
  for (std::int64_t j = 0; j < length; ++j) {
    const double ahead = static_cast<double>(j) - position;
    const bool is_hidden = (op_.causal && ahead > 0) ||
                           (op_.left_window_size >= 0 && -ahead > static_cast<double>(op_.left_window_size)) ||
                           (op_.right_window_size >= 0 && ahead > static_cast<double>(op_.right_window_size)) ||
                           (op_.has_mask && at_score(operands_[3], j) == 0) ||
                           bias(j) == -std::numeric_limits<double>::infinity();
    if (!is_hidden) seen.push_back(j);
  }
  return seen;
}

std::span<const double> AttentionRow::query() const { return line_of(operands_[0], head_, query_); }

double AttentionRow::bias(std::int64_t j) const { return op_.has_bias ? at_score(operands_[op_.bias_at()], j) : 0; }

double AttentionRow::sink() const {
  if (!op_.has_sinks) return -std::numeric_limits<double>::infinity();
  return operands_[op_.sinks_at()].values[static_cast<std::size_t>(head_)];
}

double AttentionRow::scale() const {
  return op_.scale.value_or(1 / std::sqrt(static_cast<double>(operands_[0].shape[3])));
}

std::span<const double> AttentionRow::line_of(const Operand& x, std::int64_t head, std::int64_t row) const {
  const std::int64_t heads = x.shape[heads_axis_], rows = x.shape[3 - heads_axis_], columns = x.shape[3];
  const std::int64_t line =
      heads_axis_ == 1 ? (batch_ * heads + head) * rows + row : (batch_ * rows + row) * heads + head;
  return x.values.subspan(static_cast<std::size_t>(line * columns), static_cast<std::size_t>(columns));
}

double AttentionRow::at_score(const Operand& x, std::int64_t j) const {
  const std::int64_t position[] = {batch_, head_, query_, j};
  const std::size_t skipped = 4 - x.shape.size();
  std::int64_t found = 0;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
    found = found * x.shape[axis] + (x.shape[axis] == 1 ? 0 : position[skipped + axis]);
  return x.values[static_cast<std::size_t>(found)];
}

}  // namespace plumb::parity::element::terms
