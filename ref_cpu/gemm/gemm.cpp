// Matrix products by Eigen, cut into panels that run in parallel, large enough to be worth packing their operands.
#include "ref_cpu/gemm/gemm.hpp"

#define EIGEN_DONT_PARALLELIZE  // the panels are what runs in parallel
#include <Eigen/Core>
#include <algorithm>

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

template <class T, int order>
using Stored = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, order>;

/// Calls fn with an Eigen map of the matrix in the storage order it has.
template <class T, class Fn>
void mapped(const Matrix<const T>& m, const Fn& fn) {
  using Stride = Eigen::OuterStride<>;
  if (m.column_stride == 1)
    fn(Eigen::Map<const Stored<T, Eigen::RowMajor>, 0, Stride>(m.data, m.rows, m.columns, Stride(m.row_stride)));
  else
    fn(Eigen::Map<const Stored<T, Eigen::ColMajor>, 0, Stride>(m.data, m.rows, m.columns, Stride(m.column_stride)));
}

/// An Eigen map of a result.
template <class T>
auto target(const Matrix<T>& y) {
  using Map = Eigen::Map<Stored<T, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
  return Map(y.data, y.rows, y.columns, Eigen::OuterStride<>(y.row_stride));
}

/// How Eigen cuts a product with a row-major result, with the memory for packed parts of its operands in scratch, of
/// which it would else allocate what is too large for the stack.
template <class T>
class Blocks final : public Eigen::internal::gemm_blocking_space<Eigen::RowMajor, T, T, Eigen::Dynamic, Eigen::Dynamic,
                                                                 Eigen::Dynamic> {
 public:
  Blocks(std::int64_t rows, std::int64_t columns, std::int64_t depth)
      : Blocks::gemm_blocking_space(rows, columns, depth, 1, true),
        a_(static_cast<std::size_t>(this->mc() * this->kc())),
        b_(static_cast<std::size_t>(this->kc() * this->nc())) {
    this->m_blockA = a_.data();
    this->m_blockB = b_.data();
  }
  ~Blocks() { this->m_blockA = this->m_blockB = nullptr; }  // which Eigen would free
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

 private:
  ScratchRoom<T> a_, b_;
};

/// Whether Eigen packs the operands of a product.
template <class Left, class Result>
bool is_packed(const Left& left, const Result& result) {
  return result.rows() > 1 && result.cols() > 1 && left.cols() > 0 &&
         left.cols() + result.rows() + result.cols() >= EIGEN_GEMM_TO_COEFFBASED_THRESHOLD;
}

/// result += left * right, packed, as Eigen does it.
template <class Left, class Right, class Result>
void add_packed(const Left& left, const Right& right, Result& result) {
  using T = typename Result::Scalar;
  constexpr auto order = [](bool is_row_major) { return is_row_major ? Eigen::RowMajor : Eigen::ColMajor; };
  using Product = Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, order(Left::IsRowMajor), false, T,
                                                                 order(Right::IsRowMajor), false, Eigen::RowMajor, 1>;
  Blocks<T> blocks(result.rows(), result.cols(), left.cols());
  Product::run(result.rows(), result.cols(), left.cols(), left.data(), left.outerStride(), right.data(),
               right.outerStride(), result.data(), 1, result.outerStride(), T{1}, blocks, nullptr);
}

std::int64_t pieces(std::int64_t extent, std::int64_t each) { return (extent + each - 1) / each; }

}  // namespace

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& y) {
  if constexpr (std::is_same_v<T, float>) return multiply_floats(a, b, y);
  auto result = target(y);
  mapped(a, [&](const auto& left) {
    mapped(b, [&](const auto& right) {
      if (!is_packed(left, result)) {
        result.noalias() = left * right;
        return;
      }
      result.setZero();
      add_packed(left, right, result);
    });
  });
}

template <class T>
void multiply_onto(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& y) {
  auto result = target(y);
  mapped(a, [&](const auto& left) {
    mapped(b, [&](const auto& right) {
      if (is_packed(left, result))
        add_packed(left, right, result);
      else
        result.noalias() += left * right;
    });
  });
}

template void multiply_onto(const Matrix<const float>&, const Matrix<const float>&, const Matrix<float>&);
template void multiply_onto(const Matrix<const double>&, const Matrix<const double>&, const Matrix<double>&);
template void multiply(const Matrix<const float>&, const Matrix<const float>&, const Matrix<float>&);
template void multiply(const Matrix<const double>&, const Matrix<const double>&, const Matrix<double>&);
template void multiply(const Matrix<const std::uint32_t>&, const Matrix<const std::uint32_t>&,
                       const Matrix<std::uint32_t>&);
template void multiply(const Matrix<const std::uint64_t>&, const Matrix<const std::uint64_t>&,
                       const Matrix<std::uint64_t>&);

void for_each_panel(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                    FunctionRef<void(const Panel&)> body) {
  if (batch == 0 || m == 0 || n == 0) return;
  // Large panels pack their operands less often; 32 of them keep 16 threads busy. Lower ones than 128 rows, which
  // pack a whole b again, are worth it only where there would be very few (docs/performance.md).
  constexpr std::int64_t enough = 32, very_few = 8, narrowest = 64, lowest = 128;
  std::int64_t rows = 256, columns = 512;
  const auto count = [&] { return batch * pieces(m, rows) * pieces(n, columns); };
  while (count() < enough && (rows > lowest || columns > narrowest)) {
    const bool wide = std::min(columns, n) >= std::min(rows, m);
    (columns > narrowest && (wide || rows == lowest) ? columns : rows) /= 2;
  }
  if (count() < very_few) rows /= 2;
  // Tiny products are joined until a task is worth its overhead, about 20 us of arithmetic.
  const double operations = 2.0 * static_cast<double>(std::min(rows, m)) * static_cast<double>(std::min(columns, n)) *
                            static_cast<double>(k + 1);
  const auto grain = std::max<std::int64_t>(1, static_cast<std::int64_t>(1e6 / operations));
  const std::int64_t across = pieces(n, columns), per_product = pieces(m, rows) * across;
  parallel_for(count(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i % per_product / across * rows, column = i % across * columns;
      body({i / per_product, row, column, std::min(rows, m - row), std::min(columns, n - column)});
    }
  });
}

}  // namespace plumb::ref_cpu::gemm
