// Probes what elementwise kernels do with subnormals, and whether fused multiply-add rounds once.
#include "parity/profile/probe/elementwise.hpp"

#include <cmath>

#include "ir/ops/binary.hpp"
#include "ir/ops/fma.hpp"
#include "parity/core/float_format.hpp"
#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {
namespace {

ir::Tensor numbers(ir::DType dtype, const std::vector<double>& values) {
  return ir::convert(ir::Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values), dtype);
}

Subnormals seen(double got, double kept) {
  return got == kept ? Subnormals::kept : got == 0 ? Subnormals::flushed : Subnormals::unknown;
}

}  // namespace

std::optional<SubnormalHandling> probe_subnormals(ir::Executor& executor, bool is_host, ir::DType dtype) {
  const core::FloatFormat format = core::float_format(dtype);
  // A quarter of the smallest normal: times what makes it normal, and made of two normals.
  const int below = format.min_exponent - 2, half = below / 2;
  const auto power = [](int exponent) { return std::ldexp(1.0, exponent); };
  const ir::ops::Binary product{ir::ops::BinaryFunction::multiply};
  const auto got =
      run_on_device(executor, is_host, product,
                    {numbers(dtype, {power(below), power(half)}), numbers(dtype, {power(8), power(below - half)})});
  if (!got) return std::nullopt;
  const ir::Tensor wide = ir::convert(*got, ir::DType::f64);
  const auto y = wide.as<double>();
  return SubnormalHandling{dtype, seen(y[0], power(below + 8)), seen(y[1], power(below))};
}

std::optional<FmaHandling> probe_fma(ir::Executor& executor, bool is_host, ir::DType dtype) {
  // (1 + e)^2 - (1 + 2 e) is e^2, which the rounded product has lost.
  const int bits = core::float_format(dtype).fraction_bits + 1, down = bits / 2 + 1;
  const double e = std::ldexp(1.0, -down);
  const ir::Tensor a = numbers(dtype, {1 + e}), c = numbers(dtype, {-(1 + 2 * e)});
  const auto got = run_on_device(executor, is_host, ir::ops::Fma{}, {a, a, c});
  if (!got) return std::nullopt;
  const double y = ir::convert(*got, ir::DType::f64).as<double>()[0];
  return FmaHandling{dtype, y == e * e ? FmaKind::fused : y == 0 ? FmaKind::separate : FmaKind::unknown};
}

}  // namespace plumb::parity::profile::probe
