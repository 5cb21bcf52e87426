#pragma once

#include <functional>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::parity::judges {

/// Matrices of f64 of one shape, those of a batch, for residuals: what factors leave when they are multiplied again.
class Matrices {
 public:
  Matrices(std::size_t count, std::size_t rows, std::size_t columns)
      : count_(count), rows_(rows), columns_(columns), values_(count * rows * columns, 0.0) {}
  /// The last two axes of a tensor of reals.
  explicit Matrices(const ir::TensorView& x);

  std::size_t count() const { return count_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& at(std::size_t b, std::size_t i, std::size_t j) { return values_[(b * rows_ + i) * columns_ + j]; }
  double at(std::size_t b, std::size_t i, std::size_t j) const { return values_[(b * rows_ + i) * columns_ + j]; }
  const std::vector<double>& values() const { return values_; }

  Matrices transposed() const;
  /// Each element by a function of it.
  Matrices each(const std::function<double(double)>& of) const;
  Matrices magnitudes() const;

  /// The Frobenius norm of each matrix.
  std::vector<double> norms() const;

  /// The tensor whose last two axes they are.
  ir::Tensor tensor(const ir::Shape& shape) const;

 private:
  std::size_t count_, rows_, columns_;
  std::vector<double> values_;
};

Matrices operator*(const Matrices& a, const Matrices& b);
Matrices operator-(const Matrices& a, const Matrices& b);

/// ‖QᵀQ − I‖_F of each.
std::vector<double> distance_from_orthogonal(const Matrices& q);

}  // namespace plumb::parity::judges
