// Lines are held to the 2-norm of their errors (verdict.md V67): a discrete Fourier transform stands in for fft.
#include "parity/judges/lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ir/schema.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// y[k] = Σ_j x[j]·e^(−2πi jk/n) along the last axis.
struct StandInDft : StandIn {
  static constexpr auto name = "stand_in_dft";
  static constexpr std::array inputs = {ir::Input{"x", ir::dtypes::Z, "[.., n]"}};
  static constexpr std::array outputs = {ir::Output{"y", "as x"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::norm; }
  bool operator==(const StandInDft&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInDft>();

namespace plumb::parity::judges::lines_test {
namespace {

using namespace plumb::testing;

template <class R>
std::complex<R> twiddle(std::size_t jk, std::size_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(jk % n) / static_cast<double>(n);
  return {static_cast<R>(std::cos(angle)), static_cast<R>(std::sin(angle))};
}

template <class R>
std::vector<std::complex<R>> transform(const std::vector<std::complex<R>>& x, bool smallest_first);

/// By Bluestein's algorithm: a circular convolution with chirps, whose own transform is made in f64.
template <class R>
std::vector<std::complex<R>> by_chirps(const std::vector<std::complex<R>>& x, bool smallest_first) {
  const std::size_t n = x.size();
  std::size_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  const auto chirp = [n](std::size_t j) { return twiddle<double>(j * j % (2 * n), 2 * n); };
  std::vector<std::complex<double>> wave(m);
  for (std::size_t j = 0; j < n; ++j) wave[j] = wave[(m - j) % m] = std::conj(chirp(j));
  const auto spectrum = transform(wave, true);
  std::vector<std::complex<R>> a(m);
  for (std::size_t j = 0; j < n; ++j) a[j] = x[j] * std::complex<R>(chirp(j));
  a = transform(a, smallest_first);
  for (std::size_t k = 0; k < m; ++k) a[k] = std::conj(a[k] * std::complex<R>(spectrum[k] / static_cast<double>(m)));
  a = transform(a, smallest_first);
  std::vector<std::complex<R>> y(n);
  for (std::size_t k = 0; k < n; ++k) y[k] = std::conj(a[k]) * std::complex<R>(chirp(k));
  return y;
}

/// Splits off a prime factor at a time, the smallest or the largest first; what is left is done naively, up to 7.
template <class R>
std::vector<std::complex<R>> transform(const std::vector<std::complex<R>>& x, bool smallest_first) {
  const std::size_t n = x.size();
  std::size_t p = n;
  for (std::size_t f = 2; f < n; ++f)
    if (n % f == 0 && (smallest_first ? p == n : true)) {
      bool is_prime = true;
      for (std::size_t g = 2; g < f; ++g) is_prime &= f % g != 0;
      if (is_prime) p = f;
    }
  std::vector<std::complex<R>> y(n);
  if (p == n && n > 7) return by_chirps(x, smallest_first);
  if (p == n) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) y[k] += x[j] * twiddle<R>(j * k, n);
    return y;
  }
  const std::size_t m = n / p;
  std::vector<std::vector<std::complex<R>>> parts;
  for (std::size_t r = 0; r < p; ++r) {
    std::vector<std::complex<R>> part(m);
    for (std::size_t j = 0; j < m; ++j) part[j] = x[j * p + r];
    parts.push_back(transform(part, smallest_first));
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = 0; r < p; ++r) y[k] += parts[r][k % m] * twiddle<R>(r * k, n);
  return y;
}

void run_dft(const ir::Op&, ref_cpu::Call& call) {
  const auto each = [&]<class R>(R) {
    const auto x = call.in(0).as<std::complex<R>>();
    const auto y = call.out(0).as<std::complex<R>>();
    const auto n = static_cast<std::size_t>(call.in(0).shape().back());
    for (std::size_t first = 0; first < x.size(); first += n)
      for (std::size_t k = 0; k < n; ++k) {
        std::complex<R> sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += x[first + j] * twiddle<R>(j * k, n);
        y[first + k] = sum;
      }
  };
  if (call.in(0).dtype() == ir::DType::c64)
    each(float{});
  else
    each(double{});
}

Judgement judge_dft(const Question& question) {
  const ir::Shape& shape = question.out_type(0).shape;
  const compare::Line line = compare::Line::along(shape, -1);
  return {{judge_transform(question, 0, question.in[0], {.length = shape.back(), .line_x = line, .line_y = line})}};
}

const Taught& dft() {
  static const Taught taught{StandInDft{}, run_dft, judge_dft};
  return taught;
}

using Line = std::vector<std::complex<float>>;

ir::Tensor spectrum(const std::vector<Line>& lines) {
  Line all;
  for (const Line& line : lines) all.insert(all.end(), line.begin(), line.end());
  return ir::Tensor::of<std::complex<float>>(
      {static_cast<std::int64_t>(lines.size()), static_cast<std::int64_t>(lines[0].size())}, all);
}

/// A line of each kind.
std::vector<Line> operand(std::size_t n) {
  std::vector<Line> lines;
  for (const std::string_view kind : number_kinds) {
    const auto re = hard_numbers(kind, n, 1), im = hard_numbers(kind, n, 2);
    Line& line = lines.emplace_back();
    for (std::size_t j = 0; j < n; ++j) line.emplace_back(static_cast<float>(re[j]), static_cast<float>(im[j]));
  }
  return lines;
}

std::vector<Line> transformed(const std::vector<Line>& lines, bool smallest_first) {
  std::vector<Line> made;
  for (const Line& line : lines) made.push_back(transform(line, smallest_first));
  return made;
}

TEST(Judge, DftHoldsForHonestKernels) {
  for (const std::size_t n : {1u, 8u, 30u, 97u, 256u})
    for (const bool smallest_first : {true, false}) {
      const auto lines = operand(n);
      const auto results = judged(dft(), {spectrum(lines)}, {spectrum(transformed(lines, smallest_first))});
      EXPECT_EQ(finding(results), "") << n;
      EXPECT_LT(largest_ratio(results), 0.95) << n;
      EXPECT_EQ(results[0].units.kind, cases::UnitKind::line);
      EXPECT_EQ(results[0].units.count, lines.size());
      EXPECT_EQ(results[0].telling.mistrust(), "");
      if (n > 1) {
        EXPECT_GT(results[0].sensitivity.share, 0.8);  // that with an outlier notices nothing beside it
      }
    }
}

TEST(Judge, DftSeesItsFaults) {
  const std::size_t n = 64;
  const auto lines = operand(n);
  const auto clean = transformed(lines, true);
  const auto is_seen = [&](const std::function<void(std::vector<Line>&)>& spoil) {
    auto faulty = clean;
    spoil(faulty);
    return !finding(judged(dft(), {spectrum(lines)}, {spectrum(faulty)})).empty();
  };
  const auto rms = [](const Line& line) {
    float squares = 0;
    for (const auto z : line) squares += std::norm(z);
    return std::sqrt(squares / static_cast<float>(line.size()));
  };
  EXPECT_TRUE(is_seen([](auto& y) { std::swap(y[0][3], y[0][4]); }));
  EXPECT_TRUE(is_seen([](auto& y) { y[0][5] = std::conj(y[0][5]); }));
  EXPECT_TRUE(is_seen([&](auto& y) { y[0][7] += 1e-5f * rms(y[0]); })) << "one element";
  EXPECT_TRUE(is_seen([](auto& y) {
    for (auto& z : y[1]) z *= 1 + 1e-6f;
  })) << "a whole line, scaled";
  EXPECT_TRUE(is_seen([&](auto& y) { y[2] = y[1]; })) << "another line's";
  EXPECT_TRUE(is_seen([&](auto& y) { y[4][0] = {NAN, 0}; }));
  EXPECT_TRUE(is_seen([&](auto& y) {  // twiddles of 16 bits
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<float> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const auto w = twiddle<double>(j * k, n);
        sum += lines[0][j] * std::complex<float>(static_cast<float>(std::nearbyint(w.real() * 0x1p16) * 0x1p-16),
                                                 static_cast<float>(std::nearbyint(w.imag() * 0x1p16) * 0x1p-16));
      }
      y[0][k] = sum;
    }
  }));
}

TEST(Judge, ALineOfWhichNothingIsKnownIsApart) {
  auto lines = operand(16);
  lines[2][5] = {INFINITY, 0};
  auto made = transformed(lines, true);
  const auto results = judged(dft(), {spectrum(lines)}, {spectrum(made)});
  EXPECT_EQ(finding(results), "");
  EXPECT_EQ(results[0].local.n_apart, 16u);
  EXPECT_EQ(results[0].units.count, lines.size() - 1);
  made[1][0] += 1.0f;  // the lines beside it are judged as ever
  EXPECT_NE(finding(judged(dft(), {spectrum(lines)}, {spectrum(made)})), "");
}

TEST(Judge, ALineBelowTheSpacingOfSubnormalsIsNotOff) {
  auto lines = operand(8);
  for (Line& line : lines)
    for (auto& z : line) z *= 0x1p-140f;
  EXPECT_EQ(finding(judged(dft(), {spectrum(lines)}, {spectrum(transformed(lines, true))})), "");
}

}  // namespace
}  // namespace plumb::parity::judges::lines_test
