// Products of whole matrices as a profile says that a device adds them.
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/profile/convolution.hpp"
#include "parity/profile/many_products.hpp"

namespace plumb::parity::profile {
namespace {

ir::Tensor matmul(const ir::ops::Matmul& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                  const ProductEmulator& emulator) {
  const ir::Tensor a = ir::convert(inputs[0], ir::DType::f32), b = ir::convert(inputs[1], ir::DType::f32);
  ir::Tensor result({ir::DType::f32, y});
  const ir::Shape batch = y.leading(y.size() - 2);
  const std::int64_t m = y[y.size() - 2], n = y[y.size() - 1];
  const std::int64_t k = a.shape()[a.shape().size() - (op.transpose_a ? 2 : 1)];
  const auto strides = [&](const ir::Shape& shape) {
    return ir::broadcast_strides(shape.leading(shape.size() - 2), batch);
  };
  const auto a_strides = strides(a.shape()), b_strides = strides(b.shape()), y_strides = batch.strides();
  for (std::int64_t i = 0; i < batch.elements(); ++i) {
    std::int64_t at_a = 0, at_b = 0;
    for (std::size_t axis = 0; axis < batch.size(); ++axis) {
      const std::int64_t j = i / y_strides[axis] % batch[axis];
      at_a += j * a_strides[axis];
      at_b += j * b_strides[axis];
    }
    const auto matrix = [](auto numbers, std::int64_t at, std::int64_t size) {
      return numbers.subspan(static_cast<std::size_t>(at * size), static_cast<std::size_t>(size));
    };
    multiply(emulator, lines_of(matrix(a.as<float>(), at_a, m * k), m, k, !op.transpose_a),
             lines_of(matrix(b.as<float>(), at_b, k * n), n, k, op.transpose_b), matrix(result.as<float>(), i, m * n));
  }
  return result;
}

ir::Tensor gemm(const ir::ops::Gemm& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                const ProductEmulator& emulator) {
  const ir::ops::Matmul product{.transpose_a = op.transpose_a, .transpose_b = op.transpose_b, .output_dtype = {}};
  ir::Tensor result = matmul(product, inputs, y, emulator);
  const std::span<float> sums = result.as<float>();
  if (op.alpha != 1)
    for (float& sum : sums) sum = emulator.kept(sum * static_cast<float>(op.alpha));
  if (!op.has_c) return result;
  const ir::Tensor c = ir::convert(inputs[2], ir::DType::f32);
  const auto strides = ir::broadcast_strides(c.shape(), y);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    const auto from = static_cast<std::size_t>(i / y[1] * strides[0] + i % y[1] * strides[1]);
    float& sum = sums[static_cast<std::size_t>(i)];
    sum = emulator.kept(sum + emulator.kept(static_cast<float>(op.beta) * c.as<float>()[from]));
  }
  return result;
}

}  // namespace

bool is_product(const ir::Op& op) {
  return op.is<ir::ops::Matmul>() || op.is<ir::ops::Gemm>() || op.is<ir::ops::Conv>();
}

std::optional<ir::Tensor> emulate(const ir::Op& op, std::span<const ir::TensorView> inputs, const ir::TensorType& out,
                                  const Products& products, const ir::Sum& sum) {
  if (!is_product(op) || !ir::is_float(inputs[0].dtype()) || inputs[0].dtype() == ir::DType::f64) return std::nullopt;
  const ProductEmulator emulator(products, sum.levels);
  const auto sums = [&] {
    if (op.is<ir::ops::Conv>()) return convolution(op.as<ir::ops::Conv>(), inputs, out.shape, emulator, sum.order);
    return op.is<ir::ops::Matmul>() ? matmul(op.as<ir::ops::Matmul>(), inputs, out.shape, emulator)
                                    : gemm(op.as<ir::ops::Gemm>(), inputs, out.shape, emulator);
  };
  return ir::convert(sums(), out.dtype);
}

}  // namespace plumb::parity::profile
