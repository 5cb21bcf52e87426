// Declares matrices of packed codes, whose rows are read as numbers.
#pragma once

#include "ir/kernels/packed/operands.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::packed {

/// Rows of codes x as numbers of C, which the scales are, too: products, which f64 has exactly of scales of f32.
template <class C>
ScratchRoom<C> scaled_codes(const ir::TensorView& codes, const ir::TensorView& scales);

extern template ScratchRoom<float> scaled_codes(const ir::TensorView&, const ir::TensorView&);
extern template ScratchRoom<double> scaled_codes(const ir::TensorView&, const ir::TensorView&);

/// Packed operands of a node (ops.md A.0). Rows run along the last axis of the codes, all other axes count rows.
class Rows {
 public:
  /// `first` is where the codes are among the operands; scales and zero points follow them. The call must outlive it.
  Rows(const ir::kernels::packed::Packing& packing, const Call& call, std::size_t first);

  std::int64_t count() const { return count_; }
  /// The elements of a row.
  std::int64_t length() const { return length_; }

  /// Reads one row as f32 or f64: values are those of ops.md A, computed in f32 or, where scales are f64, in f64, and
  /// are converted to T.
  template <class T>
  void read(std::int64_t row, T* values) const;

  /// Reads one row as the weights of a product: f32 throughout, scales and zero points rounded to it.
  void read_weights(std::int64_t row, float* values) const;

 private:
  /// Rows of formats with scales beside the codes; C is what real scales are computed in, void: their own type.
  template <class C, class T>
  void read_beside(std::int64_t row, T* values) const;
  ir::kernels::packed::Packing packing_;
  const ir::TensorView& codes_;
  const ir::TensorView *scales_ = nullptr, *zero_points_ = nullptr;
  std::int64_t length_, count_, row_bytes_;
};

extern template void Rows::read(std::int64_t, float*) const;
extern template void Rows::read(std::int64_t, double*) const;

}  // namespace plumb::ref_cpu::packed
