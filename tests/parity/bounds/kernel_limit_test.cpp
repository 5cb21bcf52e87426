// Limits know a kernel by how it says that it adds, never by its name (verdict.md V27).
#include <gtest/gtest.h>

#include "parity/bounds/error_model.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::bounds::kernel_limit_test {
namespace {

constexpr auto long_sums = R"({"format": "plumb.graph/1", "why": "long sums of one sign",
  "inputs": {"a": {"type": "f16[4, 2048]", "fill": {"distribution": "uniform", "low": 0.5, "high": 1}},
             "b": {"type": "f16[2048, 8]", "fill": {"distribution": "uniform", "low": 0.5, "high": 1}}},
  "params": {},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["a", "b"], "output_dtype": "f32"}], "results": ["y"]})";

/// A product by a unit that cuts sums off every 4 terms, under this name, which says that it is of this kind.
cases::NodeResult judged(const std::string& kernel, ir::SumUnit unit) {
  profile::Products cut = testing::matrix_unit(ir::DType::f16, 11);
  cut.unit = unit;
  cut.block = 4;
  testing::EmulatedDevice device({.products = {cut}});
  device.kernel = kernel;
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  return verify::verify(testing::make_case(long_sums), {.reference = reference, .candidate = &device}, {}, observer)
      .nodes.at(0);
}

TEST(KernelLimit, ARenamedKernelIsJudgedAlike) {
  for (const ir::SumUnit unit : {ir::SumUnit::matrix, ir::SumUnit::fma}) {
    const cases::NodeResult named = judged("coopmat_f16", unit);
    EXPECT_EQ(named.verdict, unit == ir::SumUnit::matrix ? core::Verdict::passed : core::Verdict::failed);
    for (const char* name : {"coopmat_f16acc16", "coopmat_f16_split4", "tiled", "abacus", ""}) {
      const cases::NodeResult renamed = judged(name, unit);
      EXPECT_EQ(renamed.kernel, name);
      EXPECT_EQ(renamed.verdict, named.verdict) << name;
      EXPECT_EQ(renamed.local.ratio(), named.local.ratio()) << name;
    }
  }
}

TEST(KernelLimit, OfMatrixUnitsIsTheSafeScale) {
  const auto of = [](std::vector<ir::Sum> sums) { return safe_arithmetic(sums); };
  const Arithmetic plain = of({}), matrix = of({{.unit = ir::SumUnit::matrix}});
  EXPECT_FALSE(plain.truncates || plain.by_exponent);
  EXPECT_EQ(plain.accumulator, 0);
  EXPECT_TRUE(matrix.truncates && matrix.by_exponent);
  EXPECT_EQ(matrix.cut(), 3);        // verdict.md V26
  EXPECT_EQ(matrix.accumulator, 0);  // that of the type that is computed in
  const Arithmetic narrow = of({{.unit = ir::SumUnit::matrix, .accumulator = ir::DType::f16}});
  EXPECT_TRUE(narrow.truncates && narrow.by_exponent);
  EXPECT_EQ(narrow.cut(), 2);
  EXPECT_EQ(narrow.accumulator, 0x1p-10);
  for (const ir::SumUnit unit : {ir::SumUnit::fma, ir::SumUnit::separate, ir::SumUnit::either})
    EXPECT_FALSE(of({{.unit = unit, .levels = {{16}, {}, {4}}}}).truncates) << ir::enum_name(unit);
}

TEST(KernelLimit, OfSeveralSumsIsThatOfTheOneThatLosesMost) {
  const ir::Sum scores{.of = ir::SumName::scores, .unit = ir::SumUnit::matrix}, row_sum{.of = ir::SumName::row_sum};
  const ir::Sum values{.of = ir::SumName::values, .unit = ir::SumUnit::matrix, .accumulator = ir::DType::f16};
  EXPECT_EQ(safe_arithmetic(std::vector{row_sum, scores}).cut(), 3);
  EXPECT_EQ(safe_arithmetic(std::vector{scores, row_sum, values}).accumulator, 0x1p-10);
}

}  // namespace
}  // namespace plumb::parity::bounds::kernel_limit_test
