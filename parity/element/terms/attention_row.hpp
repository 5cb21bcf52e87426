#pragma once

#include <span>
#include <vector>

#include "ir/ops/attention.hpp"
#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// One query of one head of an attention, by the definition of the op: which keys it may see, and where its numbers
/// are. Masks and lengths come as numbers, as all operands do.
class AttentionRow {
 public:
  /// `row` counts batches, heads and queries, in this order.
  AttentionRow(const ir::ops::Attention& op, std::span<const Operand> operands, std::int64_t row);

  /// The row of a flat index of y, and the column of y that the index is in.
  static std::int64_t row_of(const ir::ops::Attention& op, const ir::Shape& y, std::int64_t index);
  static std::int64_t column_of(const ir::Shape& y, std::int64_t index) { return index % y[3]; }

  /// The keys that the query may see.
  std::vector<std::int64_t> keys() const;
  std::span<const double> query() const;
  std::span<const double> key(std::int64_t j) const { return line_of(operands_[1], kv_head_, j); }
  double value(std::int64_t j, std::int64_t column) const {
    return line_of(operands_[2], kv_head_, j)[static_cast<std::size_t>(column)];
  }
  /// The bias of the score of a key; 0 without one.
  double bias(std::int64_t j) const;
  /// The sink of the head, which is a score; -inf without one.
  double sink() const;
  double scale() const;

 private:
  std::span<const double> line_of(const Operand& x, std::int64_t head, std::int64_t row) const;
  double at_score(const Operand& x, std::int64_t j) const;

  const ir::ops::Attention& op_;
  std::span<const Operand> operands_;
  std::size_t heads_axis_;
  std::int64_t queries_, key_count_, heads_;
  std::int64_t batch_, head_, kv_head_, query_;
};

}  // namespace plumb::parity::element::terms
