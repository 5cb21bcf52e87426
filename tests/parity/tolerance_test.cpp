#include "parity/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/cast.hpp"

namespace plumb::parity {
namespace {

using ir::DType;
using ir::ErrorClass;
using ir::Tensor;
using Rule = Allowed::Rule;

Tensor ramp(DType dtype, std::int64_t n) {
  Tensor wide({DType::f64, {n}});
  for (std::int64_t i = 0; i < n; ++i)
    wide.as<double>()[static_cast<std::size_t>(i)] = std::cos(static_cast<double>(i));
  return ir::convert(wide, dtype);
}

Tensor constant(DType dtype, std::int64_t n, double value) {
  return ir::convert(Tensor::of<double>({n}, std::vector<double>(static_cast<std::size_t>(n), value)), dtype);
}

Comparison with_error(double error, std::uint64_t n = 1000, double absmax = 1) {
  Comparison native;
  native.n = n;
  native.max_abs.value = error;
  native.expected_absmax = absmax;
  return native;
}

Judged of_class(ErrorClass error_class, std::vector<ir::TensorView> inputs = {}, std::int64_t contraction = 0) {
  return {.error_class = error_class, .contraction = contraction, .inputs = std::move(inputs)};
}

TEST(Tolerance, IsExactForWhatIsExact) {
  const Comparison native = with_error(1);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::bits), DType::f32, native).rule, Rule::bits);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::exact), DType::f32, native).rule, Rule::exact);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::rounded), DType::f16, native).rule, Rule::rounded);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::dot), DType::i64, native).rule, Rule::exact);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::comp), DType::boolean, native).rule, Rule::exact);
}

TEST(Tolerance, ACastOfI64RoundsTwiceInTheTruth) {
  const Tensor x({DType::i64, {1}});
  const auto what = judged(ir::ops::Cast{DType::f32}, {x}, std::vector<ir::TensorType>{{DType::f32, {1}}});
  EXPECT_EQ(allowed_for(what, DType::f32, {}).rule, Rule::rounded);
}

TEST(Tolerance, IsTheGenericModelOfD6) {
  const auto allowed = allowed_for(of_class(ErrorClass::dot, {}, 768), DType::f32, with_error(1e-5));
  EXPECT_EQ(allowed.rule, Rule::within);
  EXPECT_EQ(allowed.relative, 8 * 0x1p-24);
  EXPECT_EQ(allowed.absolute, 4e-5);
  EXPECT_EQ(allowed.at(1000, DType::f32), 8 * 0x1p-24 * 1000);
}

TEST(Tolerance, HasALeastWhereTheHonestEvaluationSaysLittle) {
  const auto sum = of_class(ErrorClass::dot, {}, 100);
  EXPECT_EQ(allowed_for(of_class(ErrorClass::comp), DType::f32, with_error(0)).absolute, 4 * 0x1p-24);
  EXPECT_EQ(allowed_for(sum, DType::f64, with_error(0)).absolute, 40 * 0x1p-53);
  EXPECT_EQ(allowed_for(sum, DType::f32, with_error(1e-9, 3)).absolute, 40 * 0x1p-24);
  EXPECT_EQ(allowed_for(sum, DType::f32, with_error(1e-9)).absolute, 4e-9);
  EXPECT_EQ(allowed_for(sum, DType::f32, {}).absolute, 0);  // nothing finite was seen
}

TEST(Tolerance, OfAnElementwiseFunctionDoesNotGrowWithTheTensor) {
  const auto allowed = allowed_for(of_class(ErrorClass::ulp), DType::f32, with_error(1e30, 1000, 1e38));
  EXPECT_EQ(allowed.at(1, DType::f32), 8 * 0x1p-23);
}

TEST(Tolerance, AddsTheRoundingOfNarrowStorage) {
  const auto function = of_class(ErrorClass::ulp);
  EXPECT_EQ(allowed_for(function, DType::f16, {}).at(1, DType::f16), 8 * 0x1p-23 + 0x1p-11);
  EXPECT_EQ(allowed_for(function, DType::c64, {}).storage, 0);
}

TEST(Tolerance, LetsSubnormalsBeFlushedOnlyWhereTheDeviceDoes) {
  const Tensor y = Tensor::of<double>({1}, {1e-40}), zero({DType::f32, {1}});
  Judged what = of_class(ErrorClass::rounded);
  EXPECT_FALSE(compare(y, zero, allowed_for(what, DType::f32, {})).agrees());
  what.flushes_subnormals = true;
  EXPECT_TRUE(compare(y, zero, allowed_for(what, DType::f32, {})).agrees());
  const Tensor half_subnormal = Tensor::of<double>({1}, {0x1p-20}), half_zero({DType::f16, {1}});
  EXPECT_FALSE(compare(half_subnormal, half_zero, allowed_for(what, DType::f16, {})).agrees());  // never f16's
}

TEST(Tolerance, IsNotScaledByTheSuspect) {
  const Tensor y = ramp(DType::f64, 1000), native = ramp(DType::f32, 1000);
  const auto allowed = allowed_for(of_class(ErrorClass::dot), DType::f32, measure(y, native));
  for (const float wrong : {1e3f, 1e6f, 1e30f}) {
    Tensor got = native;
    got.as<float>()[17] = wrong;
    EXPECT_EQ(compare(y, got, allowed).n_bad, 1u);
    for (float& x : got.as<float>()) x *= wrong;
    EXPECT_GT(compare(y, got, allowed).n_bad, 990u);
  }
}

TEST(Tolerance, OfAChainIsExactOnlyWhereAllIs) {
  using E = ErrorClass;
  EXPECT_EQ(chained(std::vector{E::dot}), E::dot);
  EXPECT_EQ(chained(std::vector{E::bits, E::bits}), E::bits);
  EXPECT_EQ(chained(std::vector{E::bits, E::exact}), E::exact);
  EXPECT_EQ(chained(std::vector{E::rounded, E::bits}), E::comp);
}

std::string mistrusted(const Judged& what, const Tensor& y, double native_error = 1e-9) {
  const auto allowed = allowed_for(what, DType::f32, with_error(native_error));
  return mistrust(what, allowed, compare(y, ir::convert(y, DType::f32), allowed), DType::f32);
}

TEST(Mistrust, AllZeroProvesNothing) {
  const Tensor x = ramp(DType::f32, 100), y({DType::f64, {100}});
  for (const auto error_class : {ErrorClass::bits, ErrorClass::exact, ErrorClass::dot, ErrorClass::ulp})
    EXPECT_EQ(mistrusted(of_class(error_class, {x}), y), "the truth is all zero");
}

TEST(Mistrust, ZerosThatCameInAreNotTheOpsWork) {
  Tensor y = ramp(DType::f64, 100), x = ramp(DType::f32, 100);
  for (std::size_t i = 0; i < 31; ++i) y.as<double>()[i] = 0;
  EXPECT_EQ(mistrusted(of_class(ErrorClass::ulp, {x}), y), "");  // the op makes them
  for (std::size_t i = 0; i < 31; ++i) x.as<float>()[i] = 0;
  EXPECT_EQ(mistrusted(of_class(ErrorClass::ulp, {x}), y), "31 % of the truth is zero, as is an input");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::bits, {x}), y), "");  // moved, they are numbers like any other
  Judged fused = of_class(ErrorClass::comp, {x});
  fused.ends_exactly = true;
  EXPECT_EQ(mistrusted(fused, y), "");  // a relu behind a product makes them
}

TEST(Mistrust, AConstantOutOfConstantsProvesNothing) {
  const Tensor y = constant(DType::f64, 4, 2), x = constant(DType::f32, 4, 1), varied = ramp(DType::f32, 4);
  const Tensor one = constant(DType::f32, 1, 2);
  EXPECT_EQ(mistrusted(of_class(ErrorClass::ulp, {x}), y), "the truth is constant, as is every input");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::ulp, {x, varied}), y), "");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::bits, {one}), y), "");  // one number, stretched
}

TEST(Mistrust, ALimitLikeTheTensorItselfProvesNothing) {
  const Tensor x = ramp(DType::f32, 1000), y = ramp(DType::f64, 1000);
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), y, 1e-3), "");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), y, 1e-2),
            "the error allowed, 0.04, is more than 1e-02 of the truth's rms, 0.71");
}

TEST(Mistrust, DoesNotHoldTheStorageTypeAgainstAGraph) {
  const Tensor x = ramp(DType::bf16, 1000), y = ramp(DType::f64, 1000), native = ramp(DType::bf16, 1000);
  const Judged what = of_class(ErrorClass::dot, {x});
  const auto allowed = allowed_for(what, DType::bf16, measure(y, native));
  EXPECT_GT(allowed.absolute, 1e-2 * 0.7);
  EXPECT_EQ(mistrust(what, allowed, compare(y, native, allowed), DType::bf16), "");
}

TEST(Mistrust, NothingFiniteIsNothingMeasured) {
  const Tensor x = ramp(DType::f32, 4), y = constant(DType::f64, 4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(mistrusted(of_class(ErrorClass::ulp, {x}), y), "no element is finite");
}

TEST(Mistrust, NothingIsHeldAgainstOneElementOrNone) {
  const Tensor x = ramp(DType::f32, 100), nothing({DType::f32, {3, 0}});
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), Tensor({DType::f64, {}})), "");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), Tensor({DType::f64, {0}})), "");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {nothing}), Tensor({DType::f64, {3}})), "");
}

}  // namespace
}  // namespace plumb::parity
