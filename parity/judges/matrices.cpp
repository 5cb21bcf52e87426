// Products of small matrices in f64, written plainly: residuals must not share what made the truth.
#include "parity/judges/matrices.hpp"

#include <cmath>

namespace plumb::parity::judges {

Matrices::Matrices(const ir::TensorView& x) : count_(1), rows_(0), columns_(0) {
  const ir::Shape& shape = x.shape();
  ir::require(shape.rank() >= 2, "matrices of ", x.type());
  rows_ = static_cast<std::size_t>(shape[shape.size() - 2]), columns_ = static_cast<std::size_t>(shape.back());
  count_ = static_cast<std::size_t>(shape.leading(shape.size() - 2).elements());
  const ir::Tensor wide = ir::convert(x, ir::DType::f64);
  values_.assign(wide.as<double>().begin(), wide.as<double>().end());
}

Matrices Matrices::transposed() const {
  Matrices turned(count_, columns_, rows_);
  for (std::size_t b = 0; b < count_; ++b)
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) turned.at(b, j, i) = at(b, i, j);
  return turned;
}

Matrices Matrices::each(const std::function<double(double)>& of) const {
  Matrices made = *this;
  for (double& x : made.values_) x = of(x);
  return made;
}

Matrices Matrices::magnitudes() const {
  return each([](double x) { return std::abs(x); });
}

std::vector<double> Matrices::norms() const {
  std::vector<double> found;
  const std::size_t size = rows_ * columns_;
  for (std::size_t b = 0; b < count_; ++b) {
    double largest = 0, squares = 0;
    for (std::size_t i = b * size; i < (b + 1) * size; ++i) largest = std::max(largest, std::abs(values_[i]));
    if (largest == 0 || !std::isfinite(largest)) {
      bool is_nan = false;
      for (std::size_t i = b * size; i < (b + 1) * size; ++i) is_nan |= std::isnan(values_[i]);
      found.push_back(is_nan ? std::nan("") : largest);
      continue;
    }
    for (std::size_t i = b * size; i < (b + 1) * size; ++i) squares += (values_[i] / largest) * (values_[i] / largest);
    found.push_back(largest * std::sqrt(squares));
  }
  return found;
}

ir::Tensor Matrices::tensor(const ir::Shape& shape) const { return ir::Tensor::of<double>(shape, values_); }

Matrices operator*(const Matrices& a, const Matrices& b) {
  ir::require(a.columns() == b.rows() && a.count() == b.count(), "a product of matrices that do not fit");
  Matrices made(a.count(), a.rows(), b.columns());
  for (std::size_t n = 0; n < a.count(); ++n)
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t k = 0; k < a.columns(); ++k) {
        const double factor = a.at(n, i, k);
        for (std::size_t j = 0; j < b.columns(); ++j) made.at(n, i, j) += factor * b.at(n, k, j);
      }
  return made;
}

Matrices operator-(const Matrices& a, const Matrices& b) {
  Matrices made = a;
  for (std::size_t n = 0; n < a.count(); ++n)
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t j = 0; j < a.columns(); ++j) made.at(n, i, j) -= b.at(n, i, j);
  return made;
}

std::vector<double> distance_from_orthogonal(const Matrices& q) {
  Matrices gram = q.transposed() * q;
  for (std::size_t n = 0; n < gram.count(); ++n)
    for (std::size_t i = 0; i < gram.rows(); ++i) gram.at(n, i, i) -= 1;
  return gram.norms();
}

}  // namespace plumb::parity::judges
