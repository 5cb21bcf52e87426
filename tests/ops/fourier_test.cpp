// Fourier transforms: values by hand, lengths of every kind, lines that are not contiguous or not finite, and what must
// hold of a spectrum whatever it is of (ops.md 10, ops.md K.3).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/ops/fft.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/rfft.hpp"
#include "parity/checks/exact/prove.hpp"
#include "parity/compare/compare.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::fourier_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::kernels::FourierNorm;
using ir::ops::Fft;
using ir::ops::Irfft;
using ir::ops::Rfft;
using testing::check_jointly;
using testing::judged;
using testing::random_tensor;
using testing::Where;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

Tensor numbers(const std::vector<c64>& z) { return Tensor::of<c64>({std::ssize(z)}, z); }
Tensor reals(const std::vector<float>& x) { return Tensor::of<float>({std::ssize(x)}, x); }

/// The CPU and, where there is one, the GPU.
std::vector<ir::Executor*> executors() {
  static ref_cpu::CpuExecutor cpu;
  std::vector<ir::Executor*> all = {&cpu};
  if (testing::gpu().executor != nullptr) all.push_back(testing::gpu().executor);
  return all;
}

template <class T>
std::vector<T> run(ir::Executor& executor, const ir::Op& op, const Tensor& x) {
  const Tensor y = ir::run_op(executor, op, {x}).front();
  return {y.as<T>().begin(), y.as<T>().end()};
}

bool is_finite(c64 z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

TEST(Fft, OfFourIsExact) {
  const Tensor x = numbers({1, 2, 3, 4}), spectrum = numbers({10, {-2, 2}, -2, {-2, -2}});
  for (ir::Executor* const executor : executors()) {
    EXPECT_EQ(run<c64>(*executor, Fft{}, x), (std::vector<c64>{10, {-2, 2}, -2, {-2, -2}})) << executor->name();
    for (const auto& [norm, factor] :
         {std::pair{FourierNorm::backward, 1.0f}, {FourierNorm::ortho, 2.0f}, {FourierNorm::forward, 4.0f}})
      EXPECT_EQ(run<c64>(*executor, Fft{-1, true, norm}, spectrum),
                (std::vector<c64>{factor, 2 * factor, 3 * factor, 4 * factor}));
    EXPECT_EQ(run<c64>(*executor, Rfft{}, reals({1, 2, 3, 4})), (std::vector<c64>{10, {-2, 2}, -2}));
    EXPECT_EQ(run<float>(*executor, Irfft{}, numbers({{10, 5}, {-2, 2}, {-2, nan}})), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(run<float>(*executor, Irfft{1}, numbers({{7, 9}})), (std::vector<float>{7}));
    EXPECT_EQ(run<c64>(*executor, Fft{}, numbers({{-0.0f, 3}})), (std::vector<c64>{{-0.0f, 3}}));
    EXPECT_TRUE(run<c64>(*executor, Fft{-1, true}, Tensor({DType::c64, {0, 8}})).empty());
    EXPECT_TRUE(run<c64>(*executor, Rfft{}, Tensor({DType::f32, {3, 0, 7}})).empty());
  }
}

/// Every kind of length on the CPU; how a device goes about it differs for few of them, of which each costs a pipeline.
TEST(Fft, OfEveryLengthOnTheHost) {
  for (const std::int64_t n : {1,  2,  3,  4,  5,   6,   7,   8,   9,   11,   12,   15,   16,   30,
                               31, 49, 64, 97, 101, 231, 256, 360, 512, 1000, 1009, 1013, 1024, 4096}) {
    const ir::Shape shape = {3, n}, half = {3, n / 2 + 1};
    for (const FourierNorm norm : {FourierNorm::backward, FourierNorm::ortho}) {
      check_jointly(Fft{-1, norm == FourierNorm::ortho, norm}, {random_tensor({DType::c64, shape}, 1)},
                    Where::cpu_only);
      check_jointly(Rfft{-1, norm}, {random_tensor({DType::f32, shape}, 2)}, Where::cpu_only);
      check_jointly(Irfft{n, -1, norm}, {random_tensor({DType::c64, half}, 3)}, Where::cpu_only);
    }
    check_jointly(Fft{}, {random_tensor({DType::c128, shape}, 4)}, Where::cpu_only);
    check_jointly(Rfft{}, {random_tensor({DType::f64, shape}, 5)}, Where::cpu_only);
    check_jointly(Irfft{n}, {random_tensor({DType::c128, half}, 6)}, Where::cpu_only);
  }
  for (const std::int64_t n : {1 << 17, 65537})
    check_jointly(Fft{}, {random_tensor({DType::c64, {n}}, 7)}, Where::cpu_only);
}

/// ops.md K.3.
TEST(Fft, OfAnImpulseAtTheStartIsExact) {
  for (ir::Executor* const executor : executors())
    for (const std::int64_t n : {11, 30}) {
      Tensor x({DType::c64, {3, n}}), real({DType::f32, {3, n}});
      x.as<c64>()[static_cast<std::size_t>(n)] = 1;
      real.as<float>()[static_cast<std::size_t>(n)] = 1;
      for (const auto& y : {run<c64>(*executor, Fft{}, x), run<c64>(*executor, Rfft{}, real)})
        for (std::size_t k = 0; k < y.size(); ++k)
          EXPECT_EQ(y[k], c64(k / (y.size() / 3) == 1 ? 1.0f : 0.0f))
              << executor->name() << ", bin " << k << " of " << n;
    }
}

TEST(Fft, OnADevice) {
  for (const std::int64_t n : {2, 11, 30}) {
    check_jointly(Fft{}, {random_tensor({DType::c64, {3, n}}, 1)});
    check_jointly(Rfft{-1, FourierNorm::ortho}, {random_tensor({DType::f32, {3, n}}, 2)});
    check_jointly(Irfft{n}, {random_tensor({DType::c64, {3, n / 2 + 1}}, 3)});
  }
  check_jointly(Fft{1, true, FourierNorm::forward}, {random_tensor({DType::c128, {2, 9, 3}}, 4)});
}

/// Each radix of a pass by itself, and numbers of threads that do not divide the butterflies of a pass.
TEST(Fft, OfEveryRadixOnADevice) {
  for (const std::int64_t n : {3, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16})
    check_jointly(Fft{}, {random_tensor({DType::c64, {2, n}}, 1)});
  check_jointly(Fft{}, {random_tensor({DType::c64, {2, 35}}, 2)});
  check_jointly(Fft{}, {random_tensor({DType::c128, {2, 63}}, 3)});
}

/// Every way to go about a length, for which a software device would compile kernels for minutes.
TEST(Fft, OfManyLengthsOnAGpu) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto* const gpu = dynamic_cast<const gpu_vulkan::VulkanExecutor*>(testing::gpu().executor);
  ASSERT_NE(gpu, nullptr);
  if (gpu->facts().kind == gpu_vulkan::device::DeviceKind::software) GTEST_SKIP() << "a software device";
  for (const std::int64_t n : {17,   20,   24,   32,    48,    64,    97,    128,   256,   400,   509,    512,    625,
                               729,  1000, 1013, 1024,  2000,  2048,  2187,  2401,  3000,  4093,  4096,   4097,   5000,
                               6561, 7203, 8192, 10007, 12005, 16384, 16807, 20000, 32768, 65537, 100003, 1 << 18}) {
    const std::int64_t lines = n < 5000 ? 9 : 2;
    check_jointly(Fft{}, {random_tensor({DType::c64, {lines, n}}, 1)});
    check_jointly(Fft{0, true}, {random_tensor({DType::c64, {n, lines}}, 2)});
    check_jointly(Rfft{}, {random_tensor({DType::f32, {lines, n}}, 3)});
    check_jointly(Irfft{n}, {random_tensor({DType::c64, {lines, n / 2 + 1}}, 4)});
    if (n < 5000) check_jointly(Fft{}, {random_tensor({DType::c128, {lines, n}}, 5)});
    if (n < 5000) check_jointly(Rfft{1}, {random_tensor({DType::f64, {2, n, 3}}, 6)});
  }
  for (const std::int64_t n : {1 << 20, 1 << 23}) check_jointly(Fft{}, {random_tensor({DType::c64, {n}}, 7)});
}

/// Fixtures have lengths that drivers compile kernels for in a moment; here are the others.
TEST(Fft, OfLongLinesOnADevice) {
  check_jointly(Fft{}, {random_tensor({DType::c64, {3, 1000}}, 1)});
  check_jointly(Fft{}, {random_tensor({DType::c64, {1, 8192}}, 2)});
  check_jointly(Fft{0, true}, {random_tensor({DType::c64, {1013, 2}}, 3)});
  check_jointly(Fft{}, {random_tensor({DType::c64, {4099}}, 4)});
  check_jointly(Rfft{}, {random_tensor({DType::f64, {2, 16384}}, 5)});
  check_jointly(Irfft{}, {random_tensor({DType::c64, {2, 16385}}, 6)});
  check_jointly(Rfft{}, {random_tensor({DType::f32, {19683}}, 7)});
}

/// Lines of more than 2^26 points are transformed in three steps: here short ones, too. Fixtures have two.
TEST(Fft, InThreeStepsOnADevice) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  gpu_vulkan::device::VulkanOptions options = gpu_vulkan::device::options_from_environment();
  options.alternative = 2;
  gpu_vulkan::VulkanExecutor executor(std::move(options));
  const auto expect_right = [&](const ir::Op& op, const ir::TensorType& type) {
    const Tensor x = random_tensor(type, 9);
    const auto [y, report] = ir::run_op_with_report(executor, op, {x});
    for (const auto& result : judged(op, {x}, y))
      EXPECT_TRUE(result.local.agrees()) << op.name() << " of " << type << ": " << result.summary();
    EXPECT_EQ(report.kernel, "fourier_in_three_steps");
  };
  expect_right(Fft{1, true}, {DType::c64, {2, 60, 3}});
  expect_right(Rfft{}, {DType::f32, {3, 120}});
  expect_right(Irfft{45}, {DType::c64, {2, 23}});
  expect_right(Rfft{0}, {DType::f32, {46, 3}});
}

/// Data of which the errors of a transform are large beside most of its elements.
TEST(Fft, OfTonesOffsetsAndImpulses) {
  for (const std::int64_t n : {11, 30}) {
    Tensor x({DType::c64, {4, n}});
    const auto noise = random_tensor({DType::c64, {n}}, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = [&](std::int64_t line) -> c64& { return x.as<c64>()[static_cast<std::size_t>(line * n + j)]; };
      const double angle = 2 * std::numbers::pi * 3 * static_cast<double>(j) / static_cast<double>(n);
      at(0) = j == 2;
      at(1) = 1;
      at(2) = c64(std::polar(1.0, angle));
      at(3) = noise.as<c64>()[static_cast<std::size_t>(j)] + 1000.0f;
    }
    check_jointly(Fft{}, {x});
    for (ir::Executor* const executor : executors()) {
      const auto y = run<c64>(*executor, Fft{}, x);
      const double limit = 5 * 0x1p-24 * std::log2(static_cast<double>(n)) * static_cast<double>(n) * (n == 11 ? 3 : 1);
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = [&](std::int64_t line) { return c128(y[static_cast<std::size_t>(line * n + k)]); };
        EXPECT_NEAR(std::abs(at(1) - (k == 0 ? static_cast<double>(n) : 0)), 0, limit)
            << executor->name() << " bin " << k;
        EXPECT_NEAR(std::abs(at(2) - (k == 3 ? static_cast<double>(n) : 0)), 0, limit)
            << executor->name() << " bin " << k;
      }
    }
  }
}

/// Bit for bit: what is in one line changes no other.
TEST(Fft, ALineThatIsNotFiniteSpoilsItself) {
  for (const float bad : {nan, inf, -inf})
    for (ir::Executor* const executor : executors())
      for (const std::int64_t n : {11, 30}) {
        const Tensor clean = random_tensor({DType::c64, {3, n}}, 1), real = random_tensor({DType::f32, {3, n}}, 2);
        Tensor wild = clean, wild_real = real;
        wild.as<c64>()[static_cast<std::size_t>(n + 5)].real(bad);
        wild_real.as<float>()[static_cast<std::size_t>(n + 5)] = bad;
        const auto expect_spoilt = [&](const ir::Op& op, const Tensor& before, const Tensor& after) {
          const auto y = run<c64>(*executor, op, before), z = run<c64>(*executor, op, after);
          const std::size_t length = y.size() / 3;
          for (std::size_t i = 0; i < y.size(); ++i) {
            if (i / length == 1)
              EXPECT_FALSE(is_finite(z[i])) << executor->name() << ", " << op.name() << " of " << n << ", " << i;
            else
              EXPECT_EQ(y[i], z[i]) << executor->name() << ", " << op.name() << " of " << n << ", " << i;
          }
          for (const auto& result : judged(op, {after}, ir::run_op(*executor, op, {after})))
            EXPECT_TRUE(result.local.agrees()) << result.summary();
        };
        expect_spoilt(Fft{}, clean, wild);
        expect_spoilt(Rfft{}, real, wild_real);
      }
}

/// Sums that may leave the range of f32 say nothing of their line, whatever comes of them.
TEST(Fft, LinesNearTheEndOfTheRangeAreNotJudged) {
  Tensor x = random_tensor({DType::c64, {3, 16}}, 1);
  for (std::size_t j = 16; j < 32; ++j) x.as<c64>()[j] = 3e38f;
  check_jointly(Fft{}, {x});
}

/// Squares of f64 numbers leave the range of f64 long before the numbers do.
TEST(Fft, IsJudgedOverTheWholeRange) {
  for (const double scale : {1e-300, 1e-170, 1e170, 1e300}) {
    Tensor x = random_tensor({DType::c128, {2, 12}}, 1);
    for (c128& z : x.as<c128>()) z *= scale;
    check_jointly(Fft{}, {x}, Where::cpu_only);
    ref_cpu::CpuExecutor cpu;
    Tensor y = ir::run_op(cpu, Fft{}, {x}).front();
    y.as<c128>()[15] *= 1 + 1e-12;
    EXPECT_FALSE(judged(Fft{}, {x}, {y}).front().local.agrees()) << scale;
  }
}

TEST(Fft, HasTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = random_tensor({DType::c64, {37, 60, 5}}, 1), r = random_tensor({DType::f32, {37, 61, 5}}, 2);
  for (const std::int64_t axis : {0, 1, 2}) {
    std::vector<c64> y, z;
    std::vector<float> back;
    for (const int threads : {1, 2, 7, 16}) {
      ref_cpu::CpuExecutor cpu({.threads = threads});
      const auto y_now = run<c64>(cpu, Fft{axis}, x), z_now = run<c64>(cpu, Rfft{axis}, r);
      const auto back_now = run<float>(cpu, Irfft{std::nullopt, axis}, x);
      if (threads == 1) {
        y = y_now;
        z = z_now;
        back = back_now;
      }
      EXPECT_TRUE(y == y_now && z == z_now && back == back_now) << threads << " threads, axis " << axis;
    }
  }
}

/// The 2-norm of the difference of two lines over that of the first.
template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += std::norm(c128(a[i]) - c128(b[i]));
    size += std::norm(c128(a[i]));
  }
  return std::sqrt(off / size);
}

/// Relations that hold whatever the right results are, to a few times the error limit of each result.
TEST(Fft, KeepsToWhatHoldsOfEverySpectrum) {
  for (ir::Executor* const executor : executors())
    for (const std::int64_t n : {11, 30}) {
      const auto points = static_cast<std::size_t>(n);
      const double limit = 20 * 0x1p-24 * std::sqrt(std::log2(static_cast<double>(n)));
      const Tensor x = random_tensor({DType::c64, {n}}, 1), w = random_tensor({DType::c64, {n}}, 2);
      const auto y = run<c64>(*executor, Fft{}, x), v = run<c64>(*executor, Fft{}, w);
      Tensor sum = x, moved = x, real({DType::f32, {n}});
      for (std::size_t j = 0; j < points; ++j) {
        sum.as<c64>()[j] = x.as<c64>()[j] + 2.0f * w.as<c64>()[j];
        moved.as<c64>()[(j + 1) % points] = x.as<c64>()[j];
        real.as<float>()[j] = x.as<c64>()[j].real();
      }
      std::vector<c64> of_sum, of_moved;
      double before = 0, after = 0;
      for (std::size_t k = 0; k < points; ++k) {
        of_sum.push_back(y[k] + 2.0f * v[k]);
        of_moved.push_back(
            c64(c128(y[k]) * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n))));
        before += std::norm(c128(x.as<c64>()[k]));
        after += std::norm(c128(y[k]));
      }
      EXPECT_LE(apart(of_sum, run<c64>(*executor, Fft{}, sum)), limit) << "linearity";
      EXPECT_LE(apart(of_moved, run<c64>(*executor, Fft{}, moved)), limit) << "shift";
      EXPECT_NEAR(after / (static_cast<double>(n) * before), 1, 2 * limit) << "Parseval";
      const std::vector<c64> given(x.as<c64>().begin(), x.as<c64>().end());
      EXPECT_LE(apart(given, run<c64>(*executor, Fft{-1, true}, numbers(y))), limit) << "inverse after forward";
      Tensor as_complex({DType::c64, {n}});
      for (std::size_t j = 0; j < points; ++j) as_complex.as<c64>()[j] = real.as<float>()[j];
      const auto full = run<c64>(*executor, Fft{}, as_complex), half = run<c64>(*executor, Rfft{}, real);
      std::vector<c64> extended = half;
      for (std::size_t k = points / 2 + 1; k < points; ++k) extended.push_back(std::conj(half[points - k]));
      EXPECT_LE(apart(full, extended), limit) << "conjugate symmetry";
      const std::vector<float> samples(real.as<float>().begin(), real.as<float>().end());
      EXPECT_LE(apart(samples, run<float>(*executor, Irfft{n}, numbers(half))), limit) << "irfft of rfft";
    }
}

/// Roots of unity of 1, 2 and 4 points are ±1 and ±i: whole numbers stay whole, in any order of evaluation.
TEST(Fft, OfFewPointsIsProvedToBeExact) {
  ref_cpu::CpuExecutor cpu;
  const ir::Fill whole{.distribution = ir::Distribution::uniform_int, .low = -3, .high = 4};
  const auto proof = [&](const ir::Op& op, const ir::TensorType& type) {
    const Tensor x = random_tensor(type, 1, whole);
    const auto outcome = parity::checks::exact::prove(op, {x}, cpu);
    for (ir::Executor* const executor : executors())
      if (outcome.proof.exact == parity::core::Exactness::proved) {
        const Tensor y = ir::run_op(*executor, op, {x}).front();
        EXPECT_TRUE(parity::compare::compare(outcome.outputs.at(0), y, {}).agrees())
            << executor->name() << ", " << op.name();
      }
    return outcome.proof.exact;
  };
  using enum parity::core::Exactness;
  EXPECT_EQ(proof(Fft{}, {DType::c64, {3, 4}}), proved);
  EXPECT_EQ(proof(Fft{-1, true}, {DType::c64, {3, 2}}), proved);
  EXPECT_EQ(proof(Rfft{-1, FourierNorm::ortho}, {DType::f32, {3, 4}}), proved);
  EXPECT_EQ(proof(Irfft{}, {DType::c64, {5, 3}}), proved);
  EXPECT_EQ(proof(Rfft{-1, FourierNorm::ortho}, {DType::f32, {3, 2}}), impossible) << "a scale that is rounded";
  EXPECT_EQ(proof(Fft{}, {DType::c64, {3, 8}}), impossible) << "roots that are rounded";
}

TEST(Fft, TheJudgeSeesWhatIsWrong) {
  ref_cpu::CpuExecutor cpu;
  const auto agrees = [](const ir::Op& op, const Tensor& x, const Tensor& y) {
    return judged(op, {x}, {y}).front().local.agrees();
  };
  const Tensor x = random_tensor({DType::c64, {2, 16}}, 1), r = random_tensor({DType::f32, {2, 15}}, 2);
  Tensor y = ir::run_op(cpu, Fft{}, {x}).front(), half = ir::run_op(cpu, Rfft{}, {r}).front();
  EXPECT_TRUE(agrees(Fft{}, x, y) && agrees(Rfft{}, r, half));
  y.as<c64>()[20] *= 1.00001f;
  EXPECT_FALSE(agrees(Fft{}, x, y)) << "an element that is off by a hundred thousandth";
  half.as<c64>()[8].imag(1e-30f);
  EXPECT_FALSE(agrees(Rfft{}, r, half)) << "a mean with an imaginary part";
  Tensor wild = x;
  wild.as<c64>()[3] = nan;
  y = ir::run_op(cpu, Fft{}, {wild}).front();
  EXPECT_TRUE(agrees(Fft{}, wild, y));
  y.as<c64>()[9] = 1;
  EXPECT_FALSE(agrees(Fft{}, wild, y)) << "a number where a NaN came in";
}

}  // namespace
}  // namespace plumb::fourier_test
