#include "ir/ops/unary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "ir/passes/widen.hpp"
#include "parity/bounds/function_limits.hpp"
#include "parity/element/functions.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::unary_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Unary;
using parity::compare::Allowed;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::UnaryFunction;

constexpr std::size_t function_count = ir::ops::enum_names(F{}).size();

/// The functions that take a dtype.
std::vector<F> functions_of(DType dtype) {
  std::vector<F> found;
  for (std::size_t k = 0; k < function_count; ++k)
    if (ir::ops::dtypes_of(static_cast<F>(k)).contains(dtype)) found.push_back(static_cast<F>(k));
  return found;
}

enum class Side { any_executor, shaders };

/// The limit of a function of x for |x| >= `from`, by the table that docs/accuracy.md is printed from.
Allowed allowed(F function, DType dtype, double from, Side side = Side::any_executor) {
  const auto error_class = Unary{function}.error_class();
  if (error_class == ir::ErrorClass::bits) return {.rule = Allowed::Rule::bits};
  if (error_class == ir::ErrorClass::exact) return {.rule = Allowed::Rule::exact};
  if (error_class == ir::ErrorClass::rounded) return {.rule = Allowed::Rule::rounded};
  if (dtype == DType::f16 || dtype == DType::bf16)
    return {.rule = Allowed::Rule::within, .storage = parity::bounds::ulps_of_16_bits};
  const parity::bounds::UnaryLimit& limit = *parity::bounds::limit_of(function);
  const bool is_shader = side == Side::shaders && dtype == DType::f32;
  Allowed allowed = {.rule = Allowed::Rule::within, .ulps = is_shader ? limit.ulps_in_shaders : limit.ulps};
  if (limit.slope > 0) {
    const double t = std::sqrt(2 / std::numbers::pi) * (from + 0.044715 * from * from * from);
    allowed.relative =
        ir::unit_roundoff(dtype) * (limit.relative + limit.slope * (function == F::gelu ? from * from : t));
    allowed.absolute = dtype == DType::f64 ? 0x1p-1074 : 0x1p-149;  // u |y| is less than the spacing of subnormals
  }
  return allowed;
}

/// The largest error of a function on each executor, in ulps of the dtype.
struct Errors {
  double cpu = 0, gpu = 0;
};

double element(const Tensor& x, const parity::compare::Comparison& worst_of) {
  const auto at = worst_of.worst.empty() ? 0 : worst_of.worst[0].index;
  return ir::convert(x, DType::f64).as<double>()[at];
}

void measure(ir::Executor& executor, F function, const Tensor& x, const Tensor& truth, const Allowed& limit,
             double& worst) {
  const Tensor y = run_op(executor, Unary{function}, {x}).front();
  const auto comparison = parity::compare::compare(truth, y, limit);
  EXPECT_TRUE(comparison.agrees()) << executor.name() << ", " << ir::enum_name(function) << " of " << x.type() << ": "
                                   << parity::compare::summary(comparison) << "; x is " << element(x, comparison);
  if (comparison.max_ulp.value > worst) worst = comparison.max_ulp.value;
}

/// The truth of f64 is the definition's in long double, rounded; that of other types is the CPU's in f64.
Tensor truth_of(F function, const Tensor& x) {
  ref_cpu::CpuExecutor cpu;
  if (x.dtype() != DType::f64 || parity::bounds::limit_of(function) == nullptr)
    return run_op(cpu, Unary{function}, {ir::passes::widen(x)}).front();
  Tensor y(x.type());
  for (std::size_t i = 0; i < y.as<double>().size(); ++i)
    y.as<double>()[i] = static_cast<double>(parity::element::function_of(function, {x.as<double>()[i]}).value);
  return y;
}

Errors check(F function, const Tensor& x, double from) {
  Errors errors;
  ref_cpu::CpuExecutor cpu;
  const Tensor truth = truth_of(function, x);
  measure(cpu, function, x, truth, allowed(function, x.dtype(), from), errors.cpu);
  if (testing::gpu().executor == nullptr) return errors;
  Allowed limit = allowed(function, x.dtype(), from, Side::shaders);
  // A device may flush subnormals of f32 and f64, among operands or results, if no bit is promised.
  if (limit.rule != Allowed::Rule::bits && x.dtype() != DType::f16)
    limit.subnormal = x.dtype() == DType::f64 ? 0x1p-1022 : 0x1p-126;
  measure(*testing::gpu().executor, function, x, truth, limit, errors.gpu);
  return errors;
}

/// Where the limit grows with |x|, so that it is short intervals of that which have one.
bool grows(F function) { return function == F::gelu || function == F::gelu_tanh; }

/// `each` numbers of either sign in every interval of |x| below `last`.
template <class T>
Errors check_intervals(F function, T last, std::size_t each) {
  Errors worst;
  const T step = T(0x1p-4);
  for (T from = 0; from < last; from += step) {
    std::vector<T> x;
    for (std::size_t k = 0; k <= each; ++k) {
      const T at = from + step * static_cast<T>(k) / static_cast<T>(each);
      x.insert(x.end(), {at, -at});
    }
    const Errors here = check(function, Tensor::of<T>({std::ssize(x)}, x), static_cast<double>(from));
    worst = {std::max(worst.cpu, here.cpu), std::max(worst.gpu, here.gpu)};
  }
  return worst;
}

/// Many samples; by short intervals of |x| where the bound grows with it.
Errors check_samples(F function, std::size_t count) {
  const float last = grows(function) ? 15 : 0;
  const Errors near = check_intervals(function, last, count / 256);
  const Errors far =
      check(function, testing::f32_samples(count, [&](float x) { return !(std::fabs(x) < last); }), last);
  return {std::max(near.cpu, far.cpu), std::max(near.gpu, far.gpu)};
}

void note_gpu() {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << "only the CPU was checked: " << testing::gpu().why_not;
}

TEST(Unary, EveryF16CodeIsWithinItsBound) {
  for (const F function : functions_of(DType::f16)) check(function, testing::all_codes(DType::f16), 0);
  note_gpu();
}

TEST(Unary, EveryBf16CodeIsWithinItsBound) {
  for (const F function : functions_of(DType::bf16)) check(function, testing::all_codes(DType::bf16), 0);
  note_gpu();
}

/// PLUMB_ACCURACY=FILE adds a table of the errors that were found to a file; docs/accuracy.md has the limits.
TEST(Unary, F32SamplesAreWithinTheirBounds) {
  const char* const table = std::getenv("PLUMB_ACCURACY");
  const std::size_t count = table == nullptr ? 40000 : 4000000;
  std::ofstream out;
  if (table != nullptr) out.open(table, std::ios::app);
  for (const F function : functions_of(DType::f32)) {
    const Errors worst = check_samples(function, count);
    if (out) out << ir::cat("| ", ir::enum_name(function), " | ", worst.cpu, " | ", worst.gpu, " |\n");
  }
  note_gpu();
}

/// From the smallest subnormal to the largest number, densely where functions change, and what is near 1, multiples of
/// pi/4 and the ends of exponentials.
std::vector<double> f64_samples() {
  std::vector<double> numbers = {1e22, 0x1p-1074, -0x1p-1074, 0.0, -0.0, 1, -1};
  for (int n = -1074; n < 1024; n += 3)
    for (const double m : {1.0, 1.3777, -1.91}) numbers.push_back(std::ldexp(m, n));
  for (int n = 1; n < 60; ++n) numbers.push_back(n * (std::numbers::pi / 4));
  for (double x = -800; x < 800; x += 0.777) numbers.push_back(x);
  for (double x = -7; x < 7; x += 0.00173) {
    numbers.push_back(x);
    numbers.push_back(1 + x / 1024);
  }
  for (int n = 1; n < 53; ++n)
    for (const double one : {1.0, -1.0}) {
      numbers.push_back(one + std::ldexp(1.1, -n));
      numbers.push_back(one - std::ldexp(1.3, -n));
    }
  for (const float x : testing::float_samples(4000)) numbers.push_back(x);
  return numbers;
}

/// PLUMB_ACCURACY=FILE adds what was found to the table, as above.
TEST(Unary, F64SamplesAreWithinTheirBounds) {
  const char* const table = std::getenv("PLUMB_ACCURACY");
  std::ofstream out;
  if (table != nullptr) out.open(table, std::ios::app);
  for (const F function : functions_of(DType::f64)) {
    const double last = grows(function) ? 40 : 0;
    std::vector<double> far = f64_samples();
    std::erase_if(far, [&](double x) { return std::fabs(x) < last; });
    const Errors near = check_intervals(function, last, 40);
    const Errors worst = check(function, Tensor::of<double>({std::ssize(far)}, far), last);
    if (out)
      out << ir::cat("| ", ir::enum_name(function), " of f64 | ", std::max(near.cpu, worst.cpu), " | ",
                     std::max(near.gpu, worst.gpu), " |\n");
  }
  note_gpu();
}

/// No other f64 is as near to an odd multiple of pi/2: 61 bits cancel. glibc 2.36 is off by 8 ulp there.
TEST(Unary, F64CosineOfTheNumberNearestToItsZeros) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const Tensor x = Tensor::of<double>({1}, {6381956970095103 * 0x1p797});
  const Tensor y = run_op(*testing::gpu().executor, Unary{F::cos}, {x}).front();
  EXPECT_NEAR(y.as<double>()[0], -4.68716592425462761112e-19, 4 * 0x1p-113);  // ops.md 3: 4 ulp
}

TEST(Unary, IntegersAgreeOnBothExecutors) {
  for (const DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32, DType::i64})
    for (const F function : functions_of(dtype)) check_op(Unary{function}, {testing::integer_samples(dtype)});
}

TEST(Unary, TheLeastIntegerWrapsToItself) {
  constexpr std::int8_t least = -128;
  const auto x = Tensor::of<std::int8_t>({4}, {least, -5, 0, 127});
  testing::check_cpu(Unary{F::abs}, {x}, {Tensor::of<std::int8_t>({4}, {least, 5, 0, 127})});
  testing::check_cpu(Unary{F::negate}, {x}, {Tensor::of<std::int8_t>({4}, {least, 5, 0, -127})});
  testing::check_cpu(Unary{F::square}, {x}, {Tensor::of<std::int8_t>({4}, {0, 25, 0, 1})});
  testing::check_cpu(Unary{F::relu}, {x}, {Tensor::of<std::int8_t>({4}, {0, 0, 0, 127})});
  testing::check_cpu(Unary{F::bitwise_not}, {x}, {Tensor::of<std::int8_t>({4}, {127, 4, -1, least})});
}

TEST(Unary, BoolsAndComplexNumbersAgreeOnBothExecutors) {
  check_op(Unary{F::logical_not}, {random_tensor({DType::boolean, {1021}}, 1)});
  for (const DType dtype : {DType::c64, DType::c128})
    for (const F function : {F::negate, F::conjugate}) check_op(Unary{function}, {random_tensor({dtype, {1021}}, 2)});
}

/// Each part against the modulus: z^2 of numbers below 8 in modulus.
TEST(Unary, ComplexFunctionsAreCloseToTheirModulus) {
  const Tensor z = random_tensor({DType::c64, {1021}}, 2);
  ref_cpu::CpuExecutor cpu;
  const Allowed limit = {.rule = Allowed::Rule::within,
                         .absolute = parity::bounds::units_of_complex_unary * 0x1p-24 * 64};
  double worst = 0;
  for (const F function : {F::square, F::sqrt, F::log}) {
    const Tensor truth = run_op(cpu, Unary{function}, {ir::passes::widen(z)}).front();
    measure(cpu, function, z, truth, limit, worst);
    if (function == F::square && testing::gpu().executor != nullptr)
      measure(*testing::gpu().executor, function, z, truth, limit, worst);
  }
  note_gpu();
}

TEST(Unary, HalvesAreRoundedToEven) {
  const auto x = Tensor::of<float>({8}, {0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 8388607.5f, -0.0f, 0.49999997f});
  const auto y = Tensor::of<float>({8}, {0, -0.0f, 2, -2, 2, 8388608, -0.0f, 0});
  testing::check_cpu(Unary{F::round}, {x}, {y});
  testing::check_gpu(Unary{F::round}, {x}, {y});
}

/// ops.md 3: no guards at infinity.
TEST(Unary, ProductsOfInfinityAndZeroAreNan) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = Tensor::of<float>({3}, {-inf, inf, nan});
  for (const F function : {F::silu, F::gelu, F::gelu_tanh, F::mish, F::hard_swish}) {
    testing::check_cpu(Unary{function}, {x}, {Tensor::of<float>({3}, {nan, inf, nan})});
    testing::check_gpu(Unary{function}, {x}, {Tensor::of<float>({3}, {nan, inf, nan})});
  }
  testing::check_cpu(Unary{F::softsign}, {x}, {Tensor::of<float>({3}, {nan, nan, nan})});
  testing::check_gpu(Unary{F::softsign}, {x}, {Tensor::of<float>({3}, {nan, nan, nan})});
}

/// The samples above are held to the CPU's own evaluation in f64; this holds that to the definitions (verdict.md V57).
TEST(Unary, TruthsAreWhatTheDefinitionsGive) {
  for (const DType dtype : {DType::f64, DType::f32, DType::c128})
    for (const F function : functions_of(dtype)) {
      const double scale = dtype == DType::c128 ? 1 : 4;
      const Tensor x = random_tensor({dtype, {1009}}, 5, {.scale = scale});
      check_op(Unary{function}, {x}, testing::Where::cpu_only, testing::Data::ill_conditioned);
    }
}

TEST(Unary, KeepsShapesOfAnyRank) {
  for (const ir::Shape& shape : {ir::Shape{}, {1}, {0, 3}, {2, 1, 3, 1, 2, 1, 3, 1}, {257, 7}})
    for (const DType dtype : {DType::f32, DType::f16, DType::f64})
      check_op(Unary{F::square}, {random_tensor({dtype, shape}, 1)});
}

}  // namespace
}  // namespace plumb::unary_test
