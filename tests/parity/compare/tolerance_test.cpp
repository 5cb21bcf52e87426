#include "parity/compare/tolerance.hpp"

#include <gtest/gtest.h>

namespace plumb::parity::tolerance_test {
namespace {

using ir::DType;
using ir::ErrorClass;
using ir::Tensor;
using Rule = compare::Allowed::Rule;

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

}  // namespace
}  // namespace plumb::parity::tolerance_test
