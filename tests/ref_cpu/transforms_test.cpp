// Transforms of lines, by FFTW and by our own code, against sums written out in long double.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/kernels/fourier.hpp"
#include "ref_cpu/transforms/plan.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::transforms_test {
namespace {

using ir::kernels::LongComplex;
using transforms::Kind;
using transforms::LineTransform;

constexpr Kind every_kind[] = {Kind::forward, Kind::inverse, Kind::real_forward, Kind::real_inverse};
constexpr std::int64_t every_length[] = {1,   2,   3,   4,   5,   6,   7,   8,    9,    10,   11,   12,  14,  15,
                                         16,  18,  21,  25,  30,  32,  49,  64,   97,   100,  101,  128, 210, 231,
                                         243, 256, 343, 512, 625, 720, 960, 1000, 1013, 1024, 1155, 2048};

/// Numbers of T, a line of a kind.
template <class T>
std::vector<T> line(const LineTransform<T>& transform, std::uint64_t seed) {
  std::vector<T> x;
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < transform.inputs(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x.push_back(static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1));
  }
  return x;
}

/// The transform by the sum of its definition.
template <class T>
std::vector<LongComplex> definition(Kind kind, std::int64_t n, const std::vector<T>& x) {
  std::vector<LongComplex> in;
  for (std::int64_t j = 0; j < n; ++j) {
    const auto i = static_cast<std::size_t>(j), mirrored = static_cast<std::size_t>(n - j);
    if (kind == Kind::real_forward) {
      in.emplace_back(x[i]);
    } else if (kind != Kind::real_inverse) {
      in.emplace_back(x[2 * i], x[2 * i + 1]);
    } else if (2 * j <= n) {
      in.emplace_back(x[2 * i], j == 0 || 2 * j == n ? T{0} : x[2 * i + 1]);
    } else {
      in.emplace_back(x[2 * mirrored], -x[2 * mirrored + 1]);
    }
  }
  const bool inverse = kind == Kind::inverse || kind == Kind::real_inverse;
  std::vector<LongComplex> y, roots;
  for (std::int64_t k = 0; k < n; ++k) roots.push_back(ir::kernels::root_of_unity(inverse ? -k : k, n));
  for (std::int64_t k = 0; k < (kind == Kind::real_forward ? n / 2 + 1 : n); ++k) {
    LongComplex sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
      sum += in[static_cast<std::size_t>(j)] * roots[static_cast<std::size_t>(j * k % n)];
    y.push_back(sum);
  }
  return y;
}

/// The 2-norm of the errors of a line over that of the line, in units of u times the root of log2 n.
template <class T>
double error(Kind kind, std::int64_t n, const std::vector<LongComplex>& truth, const std::vector<T>& got) {
  long double off = 0, size = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const LongComplex y = kind == Kind::real_inverse ? LongComplex(got[k]) : LongComplex(got[2 * k], got[2 * k + 1]);
    off += std::norm(y - truth[k]);
    size += std::norm(truth[k]);
  }
  const double depth = std::log2(static_cast<double>(std::max<std::int64_t>(n, 2)));
  return std::sqrt(static_cast<double>(off / size) / depth) /
         static_cast<double>(std::numeric_limits<T>::epsilon() / 2);
}

/// ops.md D.4.
double limit(std::int64_t n) { return ir::kernels::is_smooth(n, 7) ? 1.5 : 6; }

template <class T>
std::vector<T> by_plan(const transforms::Plan<T>& plan, const std::vector<T>& x, std::int64_t outputs) {
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); };
  ir::AlignedBytes in(bytes(std::ssize(x))), out(bytes(outputs)), scratch(bytes(plan.scratch()));
  const auto data = [](ir::AlignedBytes& buffer) { return reinterpret_cast<T*>(buffer.span().data()); };
  std::ranges::copy(x, data(in));
  plan.run(data(in), data(out), data(scratch));
  return {data(out), data(out) + outputs};
}

template <class T>
void meet_the_definition() {
  for (const Kind kind : every_kind)
    for (const std::int64_t n : every_length) {
      LineTransform<T> transform(kind, n);
      const std::vector<T> x = line(transform, static_cast<std::uint64_t>(n));
      const auto truth = definition(kind, n, x);
      std::vector<T> y(static_cast<std::size_t>(transform.outputs()));
      transform.run(x.data(), y.data());
      EXPECT_LE(error(kind, n, truth, y), limit(n)) << "kind " << int(kind) << ", " << n << " points";
      std::vector<T> ignored = x;
      if (kind == Kind::real_inverse) {  // as LineTransform leaves out what is ignored
        ignored[1] = 0;
        if (n % 2 == 0) ignored[static_cast<std::size_t>(n + 1)] = 0;
      }
      const auto own = by_plan(*transforms::own_plan<T>(kind, n), ignored, transform.outputs());
      EXPECT_LE(error(kind, n, truth, own), limit(n)) << "own, kind " << int(kind) << ", " << n << " points";
      if (kind != Kind::real_forward) continue;
      EXPECT_EQ(y[1], 0);
      EXPECT_EQ(own[1], 0);
      if (n % 2 == 0) {
        EXPECT_EQ(y.back(), 0);
        EXPECT_EQ(own.back(), 0);
      }
    }
}

TEST(Transforms, MeetTheDefinition) {
  meet_the_definition<float>();
  meet_the_definition<double>();
}

template <class T>
void of_long_lines_are_as_good() {
  for (const std::int64_t n : {std::int64_t{1} << 17, std::int64_t{65537}}) {
    LineTransform<T> transform(Kind::forward, n);
    const std::vector<T> x = line(transform, static_cast<std::uint64_t>(n));
    std::vector<LongComplex> truth;
    for (std::int64_t i = 0; i < n; ++i)
      truth.emplace_back(x[static_cast<std::size_t>(2 * i)], x[static_cast<std::size_t>(2 * i + 1)]);
    if (ir::kernels::is_smooth(n, 7)) {
      truth = ir::kernels::fourier_transform(truth);
    } else {  // by an algorithm of its own, in f64
      const std::vector<double> wide(x.begin(), x.end());
      const auto y = by_plan(*transforms::own_plan<double>(Kind::forward, n), wide, transform.outputs());
      for (std::size_t i = 0; i < truth.size(); ++i) truth[i] = {y[2 * i], y[2 * i + 1]};
    }
    std::vector<T> y(static_cast<std::size_t>(transform.outputs()));
    transform.run(x.data(), y.data());
    EXPECT_LE(error(Kind::forward, n, truth, y), limit(n)) << n;
    EXPECT_LE(error(Kind::forward, n, truth, by_plan(*transforms::own_plan<T>(Kind::forward, n), x, 2 * n)), limit(n));
  }
}

TEST(Transforms, OfLongLinesMeetFftwsOrOurOwn) {
  of_long_lines_are_as_good<float>();
  of_long_lines_are_as_good<double>();
}

template <class T>
void have_the_same_bits_wherever_data_lie() {
  for (const Kind kind : every_kind)
    for (const std::int64_t n : {5, 16, 97, 1000, 1024}) {
      LineTransform<T> transform(kind, n);
      const std::vector<T> x = line(transform, 7);
      const auto inputs = static_cast<std::size_t>(transform.inputs()),
                 outputs = static_cast<std::size_t>(transform.outputs());
      ir::AlignedBytes from((inputs + 8) * sizeof(T)), to((outputs + 8) * sizeof(T));
      std::vector<T> first;
      for (const std::size_t offset : {0u, 1u, 2u, 3u, 4u, 7u}) {
        T* const in = reinterpret_cast<T*>(from.span().data()) + offset;
        T* const out = reinterpret_cast<T*>(to.span().data()) + 7 - offset;
        std::ranges::copy(x, in);
        LineTransform<T>(kind, n).run(in, out);
        EXPECT_TRUE(std::equal(x.begin(), x.end(), in)) << "the operand was written to";
        const std::vector<T> y(out, out + outputs);
        if (first.empty()) first = y;
        EXPECT_EQ(std::memcmp(y.data(), first.data(), outputs * sizeof(T)), 0) << n << " points, offset " << offset;
      }
    }
}

TEST(Transforms, HaveTheSameBitsWhereverDataLie) {
  have_the_same_bits_wherever_data_lie<float>();
  have_the_same_bits_wherever_data_lie<double>();
}

template <class T>
void ignore_what_a_real_spectrum_cannot_have() {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x = {10, nan, -2, 2, -2, nan}, single = {7, nan};
  std::vector<T> y(4);
  LineTransform<T>(Kind::real_inverse, 4).run(x.data(), y.data());
  EXPECT_EQ(y, (std::vector<T>{4, 8, 12, 16}));
  LineTransform<T>(Kind::real_inverse, 1).run(single.data(), y.data());
  EXPECT_EQ(y[0], 7);
}

TEST(Transforms, IgnoreWhatARealSpectrumCannotHave) {
  ignore_what_a_real_spectrum_cannot_have<float>();
  ignore_what_a_real_spectrum_cannot_have<double>();
}

/// Plans are let go when others are asked for; what is planned again is planned the same.
TEST(Transforms, HaveTheSameBitsWhateverWasPlannedBefore) {
  for (const Kind kind : every_kind) {
    LineTransform<float> first(kind, 1000);
    const std::vector<float> x = line(first, 5);
    std::vector<float> y(static_cast<std::size_t>(first.outputs())), again(y.size());
    first.run(x.data(), y.data());
    for (std::int64_t n = 960; n < 1040; ++n)
      if (n != 1000) LineTransform<float>(kind, n);
    LineTransform<float>(kind, 1000).run(x.data(), again.data());
    EXPECT_EQ(y, again);
  }
}

/// ops.md K.3: what is 0 but at the start has a spectrum of ones, bit for bit.
TEST(Transforms, OfAnImpulseAtTheStartAreExact) {
  for (const std::int64_t n : every_length) {
    std::vector<float> x(static_cast<std::size_t>(2 * n)), y(x.size()), ones(x.size());
    x[0] = 1;
    for (std::size_t k = 0; k < ones.size(); k += 2) ones[k] = 1;
    LineTransform<float>(Kind::forward, n).run(x.data(), y.data());
    if (n <= 128 || ir::kernels::is_smooth(n, 7)) {  // FFTW treats larger primes as Bluestein does
      EXPECT_EQ(y, ones) << n;
    }
    EXPECT_EQ(by_plan(*transforms::own_plan<float>(Kind::forward, n), x, 2 * n), ones) << "own, " << n;
  }
}

TEST(Fourier, RootsAreRightInEveryOctant) {
  for (const std::int64_t n : {1, 2, 3, 8, 12, 97, 1024})
    for (std::int64_t k = -n; k < 2 * n; ++k) {
      const LongComplex w = ir::kernels::root_of_unity(k, n);
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
      EXPECT_NEAR(static_cast<double>(w.real() - std::cos(angle)), 0, 1e-17) << k << " of " << n;
      EXPECT_NEAR(static_cast<double>(w.imag() - std::sin(angle)), 0, 1e-17) << k << " of " << n;
      if (4 * k % n == 0) {
        EXPECT_EQ(std::abs(w.real()) + std::abs(w.imag()), 1);
      } else if (8 * k % n == 0) {
        EXPECT_EQ(std::abs(w.real()), std::abs(w.imag()));
      }
    }
}

TEST(Fourier, ScalesAsNumpyDoes) {
  using ir::kernels::FourierNorm;
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::backward, false, 16), 1);
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::backward, true, 16), 1.0 / 16);
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::forward, false, 16), 1.0 / 16);
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::forward, true, 16), 1);
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::ortho, true, 16), 0.25);
  EXPECT_EQ(ir::kernels::fourier_scale(FourierNorm::ortho, false, 16), 0.25);
}

}  // namespace
}  // namespace plumb::ref_cpu::transforms_test
