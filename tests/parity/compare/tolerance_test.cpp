#include "parity/compare/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "parity/compare/measure.hpp"

namespace plumb::parity::tolerance_test {
namespace {

using ir::DType;
using ir::ErrorClass;
using ir::Tensor;
using Rule = compare::Allowed::Rule;

Tensor ramp(DType dtype, std::int64_t n) {
  Tensor wide({DType::f64, {n}});
  for (std::int64_t i = 0; i < n; ++i)
    wide.as<double>()[static_cast<std::size_t>(i)] = std::cos(static_cast<double>(i));
  return ir::convert(wide, dtype);
}

Tensor constant(DType dtype, std::int64_t n, double value) {
  return ir::convert(Tensor::of<double>({n}, std::vector<double>(static_cast<std::size_t>(n), value)), dtype);
}

core::JudgedOutput of_class(ErrorClass error_class, std::vector<ir::TensorView> inputs = {}) {
  return {.error_class = error_class, .inputs = std::move(inputs)};
}

compare::Allowed limited(std::int64_t n, double limit) {
  const Tensor limits = constant(DType::f64, n, limit);
  return {.rule = Rule::within, .limits = std::make_shared<const compare::Limits>(compare::Limits{limits, limits})};
}

TEST(Tolerance, IsExactForWhatIsExact) {
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::bits), DType::f32)->rule, Rule::bits);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::exact), DType::f32)->rule, Rule::exact);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::rounded), DType::f16)->rule, Rule::rounded);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::dot), DType::i64)->rule, Rule::exact);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::comp), DType::boolean)->rule, Rule::exact);
  EXPECT_FALSE(compare::allowed_by_class(of_class(ErrorClass::dot), DType::f32));
}

TEST(Tolerance, ACastOfI64RoundsTwiceInTheTruth) {
  const Tensor x({DType::i64, {1}});
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::bits, {x}), DType::f32)->rule, Rule::rounded);
}

TEST(Tolerance, OfDecimalsIsWiderByTheirRounding) {
  EXPECT_EQ(compare::with_rounded_decimals({.rule = Rule::rounded}, DType::f32).at(1, DType::f32), 8 * 0x1p-24);
  EXPECT_EQ(compare::with_rounded_decimals(limited(3, 0.25), DType::f32).at(1, DType::f32, 2), 0.25 + 8 * 0x1p-24);
  EXPECT_EQ(compare::with_rounded_decimals({.rule = Rule::bits}, DType::f32).rule, Rule::bits);
}

TEST(Tolerance, OfAChainIsExactOnlyWhereAllIs) {
  using E = ErrorClass;
  EXPECT_EQ(core::chained(std::vector{E::dot}), E::dot);
  EXPECT_EQ(core::chained(std::vector{E::bits, E::bits}), E::bits);
  EXPECT_EQ(core::chained(std::vector{E::bits, E::exact}), E::exact);
  EXPECT_EQ(core::chained(std::vector{E::rounded, E::bits}), E::comp);
}

std::string mistrusted(const core::JudgedOutput& what, const Tensor& y, double limit = 1e-9) {
  const auto allowed = limited(y.elements(), limit);
  return compare::mistrust(what, allowed, compare::measure(y, ir::convert(y, DType::f32)));
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
  core::JudgedOutput fused = of_class(ErrorClass::comp, {x});
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
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), y, 7e-3), "");
  EXPECT_EQ(mistrusted(of_class(ErrorClass::dot, {x}), y, 8e-3),
            "the error allowed is more than 1e-02 of the truth's rms, 0.71");
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
}  // namespace plumb::parity::tolerance_test
