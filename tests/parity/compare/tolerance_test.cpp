#include "parity/compare/tolerance.hpp"

#include <gtest/gtest.h>

namespace plumb::parity::tolerance_test {
namespace {

using ir::DType;
using ir::ErrorClass;
using ir::Tensor;
using Rule = compare::Allowed::Rule;

core::JudgedOutput of_class(ErrorClass error_class, std::vector<ir::TensorView> inputs = {}) {
  return {.error_class = error_class, .inputs = std::move(inputs)};
}

TEST(Tolerance, IsExactForWhatIsExact) {
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::bits), DType::f32)->rule, Rule::bits);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::exact), DType::f32)->rule, Rule::exact);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::rounded), DType::f16)->rule, Rule::rounded);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::dot), DType::i64)->rule, Rule::exact);
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::comp), DType::boolean)->rule, Rule::exact);
  EXPECT_FALSE(compare::allowed_by_class(of_class(ErrorClass::dot), DType::f32));
}

TEST(Tolerance, IsBitsOfWhatIsMovedByIndices) {
  const Tensor x({DType::i64, {1}});
  EXPECT_EQ(compare::allowed_by_class(of_class(ErrorClass::bits, {x}), DType::f32)->rule, Rule::bits);
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
