// Declares products whose rows have weights of their own, expert by expert.
#pragma once

#include <algorithm>

#include "ir/tensor.hpp"
#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::gemm {

/// Rows by expert, in their own order where they have one; those of none (−1) come last.
class GroupedRows {
 public:
  /// Throws Error at the first index that is neither −1 nor in [0, experts).
  GroupedRows(const ir::TensorView& expert, std::int64_t experts);

  std::int64_t rows() const { return std::ssize(places_); }
  std::int64_t experts() const { return std::ssize(begins_) - 2; }
  /// The expert of a row; `experts()` for none.
  std::int64_t expert_of(std::int64_t row) const { return experts_[static_cast<std::size_t>(row)]; }
  /// Where a row comes among the sorted ones, and where those of an expert begin and end.
  std::int64_t place_of(std::int64_t row) const { return places_[static_cast<std::size_t>(row)]; }
  std::int64_t begin_of(std::int64_t expert) const { return begins_[static_cast<std::size_t>(expert)]; }
  std::int64_t end_of(std::int64_t expert) const { return begin_of(expert + 1); }

 private:
  ScratchVector<std::int64_t> experts_, places_, begins_;
};

/// y[i] = x[i] W of row i's expert + its bias, 0 of rows without one. T is the operands' dtype. All memory is taken by
/// shapes alone, whatever the experts are.
template <class T>
class GroupedProduct {
 public:
  using C = ir::compute_t<T>;

  /// x has `terms` elements for each row.
  template <class X>
  GroupedProduct(const X* x, std::int64_t terms, const ir::TensorView& expert, std::int64_t experts,
                 std::int64_t columns)
      : rows_(expert, experts),
        terms_(terms),
        columns_(columns),
        x_(static_cast<std::size_t>(rows_.rows() * terms_)),
        sums_(static_cast<std::size_t>(rows_.rows() * columns_)) {
    for_rows(terms_, [&](std::int64_t row) {
      const X* const line = x + row * terms_;
      C* const to = x_.data() + rows_.place_of(row) * terms_;
      for (std::int64_t k = 0; k < terms_; ++k) to[k] = static_cast<C>(line[k]);
    });
  }

  /// Calls multiply(expert, x, sums) for every expert that has rows: x are its rows, and sums what is to be written.
  template <class Multiply>
  void for_each_expert(const Multiply& multiply) {
    for (std::int64_t expert = 0; expert < rows_.experts(); ++expert) {
      const std::int64_t begin = rows_.begin_of(expert), count = rows_.end_of(expert) - begin;
      if (count == 0) continue;
      multiply(expert, row_major<const C>(x_.data() + begin * terms_, count, terms_),
               row_major(sums_.data() + begin * columns_, count, columns_));
    }
  }

  /// Writes y; `bias` is [experts, columns], or null.
  template <class Out>
  void finish(const T* bias, Out* y) const {
    for_rows(columns_, [&](std::int64_t row) {
      const std::int64_t expert = rows_.expert_of(row);
      Out* const to = y + row * columns_;
      if (expert == rows_.experts()) return static_cast<void>(std::fill_n(to, columns_, Out{}));
      const C* const sums = sums_.data() + rows_.place_of(row) * columns_;
      const T* const added = bias == nullptr ? nullptr : bias + expert * columns_;
      for (std::int64_t n = 0; n < columns_; ++n)
        to[n] = static_cast<Out>(added == nullptr ? sums[n] : sums[n] + static_cast<C>(added[n]));
    });
  }

 private:
  /// Calls use(row) for every row of so many elements, in parallel.
  template <class Use>
  void for_rows(std::int64_t elements, const Use& use) const {
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / (elements + 1));
    parallel_for(rows_.rows(), grain, [&](std::int64_t row, std::int64_t end) {
      for (; row < end; ++row) use(row);
    });
  }

  GroupedRows rows_;
  std::int64_t terms_, columns_;
  ScratchRoom<C> x_, sums_;
};

}  // namespace plumb::ref_cpu::gemm
