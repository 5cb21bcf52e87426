// Judges of scans pass honest kernels in f32, step after step and in chunks, on data in no particular order and on data
// that are the same at every step, and refuse the faults that these kernels have.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/selective_scan.hpp"
#include "tests/parity/judges/stand_ins.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::parity::judges::scans_test {
namespace {

using namespace plumb::testing;
using ir::Tensor;
using ir::ops::GatedDeltaNet;
using ir::ops::SelectiveScan;

std::vector<float> floats_of(std::string_view kind, std::int64_t count, unsigned seed, double scale = 1) {
  std::vector<float> made;
  for (const double x : hard_numbers(kind, static_cast<std::size_t>(count), seed))
    made.push_back(static_cast<float>(scale * x));
  return made;
}

/// One channel with four states.
struct Channel {
  static constexpr std::int64_t states = 4;
  std::int64_t steps;
  std::vector<float> x, delta, a = {-0.0005f, -0.03f, -1.0f, -9.0f}, b, c;

  Channel(std::string_view kind, std::string_view of_delta, std::int64_t length)
      : steps(length),
        x(floats_of(kind, length, 50)),
        delta(floats_of(of_delta, length, 51)),
        b(floats_of(kind, length * states, 52)),
        c(floats_of("normal", length * states, 53)) {
    for (float& one : delta) one = std::abs(one);
  }

  /// y and the state, by chunks whose products of factors are joined with the state before them.
  std::vector<Tensor> scanned(std::int64_t chunk) const {
    std::vector<float> y(x.size(), 0.0f), last(states);
    for (std::size_t s = 0; s < states; ++s) {
      float before = 0, product = 1, own = 0;
      for (std::size_t t = 0; t < x.size(); ++t) {
        if (t % static_cast<std::size_t>(chunk) == 0) {
          before = product * before + own;
          product = 1;
          own = 0;
        }
        const float factor = std::exp(delta[t] * a[s]);
        product *= factor;
        own = factor * own + delta[t] * x[t] * b[t * states + s];
        y[t] += c[t * states + s] * (product * before + own);
      }
      last[s] = product * before + own;
    }
    return {Tensor::of<float>({1, steps, 1}, y), Tensor::of<float>({1, 1, states}, last)};
  }
  std::vector<Tensor> inputs() const {
    return {Tensor::of<float>({1, steps, 1}, x), Tensor::of<float>({1, steps, 1}, delta),
            Tensor::of<float>({1, states}, a), Tensor::of<float>({1, steps, states}, b),
            Tensor::of<float>({1, steps, states}, c)};
  }
};

TEST(JudgeOfScans, HoldsForHonestKernels) {
  for (const std::string_view kind : number_kinds)
    for (const std::string_view of_delta : {"normal", "constant"})
      for (const std::int64_t steps : {1, 5, 64, 1000})
        for (const std::int64_t chunk : {1, 16, 1000}) {
          const Channel one(kind, of_delta, steps);
          EXPECT_EQ(finding(judged(SelectiveScan{}, one.inputs(), one.scanned(chunk))), "")
              << kind << ", steps " << of_delta << ", " << steps << " by " << chunk;
        }
}

TEST(JudgeOfScans, SeesItsFaults) {
  const Channel one("normal", "normal", 64);
  const auto says = [&](const Channel& faulty) {
    return finding(judged(SelectiveScan{}, one.inputs(), faulty.scanned(1)));
  };
  Channel late = one, blunt = one, swapped = one;
  std::rotate(late.delta.begin(), late.delta.begin() + 1, late.delta.end());
  for (float& a : blunt.a) a *= 1 + 0x1p-13f;
  std::swap(swapped.a[0], swapped.a[1]);
  EXPECT_NE(says(late), "") << "steps of the step behind";
  EXPECT_NE(says(blunt), "") << "logarithms of 13 bits";
  EXPECT_NE(says(swapped), "") << "states that are exchanged";
}

/// One head of the gated delta rule.
struct Head {
  static constexpr std::size_t rows = 8, columns = 3;
  std::size_t steps;
  std::vector<float> q, k, v, decay, beta;

  /// Keys are "random" and of length 1, "repeated", "long" or, with a strength of 2, "reflecting".
  Head(std::string_view kind, std::size_t length, float logarithm)
      : steps(length),
        q(floats_of("normal", static_cast<std::int64_t>(length * rows), 60)),
        k(floats_of("normal", static_cast<std::int64_t>(length * rows), 61)),
        v(floats_of(kind == "repeated" ? "constant" : "normal", static_cast<std::int64_t>(length * columns), 62)),
        decay(length, logarithm),
        beta(length, kind == "reflecting" ? 2.0f : 1.0f) {
    if (kind == "random")
      for (std::size_t t = 0; t < length; ++t) {
        decay[t] *= std::abs(v[t * columns]);
        beta[t] = 0.5f;
      }
    for (std::size_t t = 0; t < length; ++t) {
      float squares = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        if (kind == "repeated") k[t * rows + i] = k[i];
        squares += k[t * rows + i] * k[t * rows + i];
      }
      const float norm = std::sqrt(squares) / (kind == "long" ? 1.2f : 1.0f);
      for (std::size_t i = 0; i < rows && !(kind == "repeated" && t > 0); ++i) k[t * rows + i] /= norm;
      if (kind == "repeated" && t > 0) std::copy_n(k.begin(), rows, k.begin() + static_cast<std::ptrdiff_t>(t * rows));
    }
  }
  std::vector<Tensor> inputs() const {
    const auto n = static_cast<std::int64_t>(steps);
    return {Tensor::of<float>({1, n, 1, rows}, q), Tensor::of<float>({1, n, 1, rows}, k),
            Tensor::of<float>({1, n, 1, columns}, v), Tensor::of<float>({1, n, 1}, decay),
            Tensor::of<float>({1, n, 1}, beta)};
  }

  float product(const std::vector<float>& a, std::size_t t, const std::vector<float>& b, std::size_t u) const {
    float sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += a[t * rows + i] * b[u * rows + i];
    return sum;
  }
  float read(const std::vector<float>& s, std::size_t j, const std::vector<float>& x, std::size_t t) const {
    float sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += s[i * columns + j] * x[t * rows + i];
    return sum;
  }

  /// By chunks whose triangular systems are solved forwards, with decays as exponentials of differences (Yang et al.
  /// 2024, section 3.3); of one step it is the rule as it stands.
  std::vector<Tensor> chunked(std::size_t chunk) const {
    std::vector<float> s(rows * columns, 0.0f), o(steps * columns);
    const float scale = 1 / std::sqrt(static_cast<float>(rows));
    for (std::size_t from = 0; from < steps; from += chunk) {
      const std::size_t count = std::min(chunk, steps - from);
      std::vector<float> sums(count), change(count * columns);
      for (std::size_t t = 0; t < count; ++t) sums[t] = (t == 0 ? 0 : sums[t - 1]) + decay[from + t];
      for (std::size_t t = 0; t < count; ++t)
        for (std::size_t j = 0; j < columns; ++j) {
          float known = std::exp(sums[t]) * read(s, j, k, from + t), seen = std::exp(sums[t]) * read(s, j, q, from + t);
          for (std::size_t u = 0; u < t; ++u) {
            const float kept = std::exp(sums[t] - sums[u]) * change[u * columns + j];
            known += product(k, from + t, k, from + u) * kept;
            seen += product(q, from + t, k, from + u) * kept;
          }
          change[t * columns + j] = beta[from + t] * (v[(from + t) * columns + j] - known);
          seen += product(q, from + t, k, from + t) * change[t * columns + j];
          o[(from + t) * columns + j] = scale * seen;
        }
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          float next = std::exp(sums[count - 1]) * s[i * columns + j];
          for (std::size_t t = 0; t < count; ++t)
            next += k[(from + t) * rows + i] * (std::exp(sums[count - 1] - sums[t]) * change[t * columns + j]);
          s[i * columns + j] = next;
        }
    }
    const auto n = static_cast<std::int64_t>(steps);
    return {Tensor::of<float>({1, n, 1, columns}, o), Tensor::of<float>({1, 1, rows, columns}, s)};
  }
};

TEST(JudgeOfDeltaNets, HoldsForHonestKernels) {
  for (const std::string_view kind : {"random", "repeated", "long", "reflecting"})
    for (const float logarithm : {0.0f, -0.001f, -0.1f, -1.0f, -3.0f})
      for (const std::size_t steps : {1, 5, 64, 1000})
        for (const std::size_t chunk : {1, 16, 64}) {
          const Head one(kind, steps, logarithm);
          EXPECT_EQ(finding(judged(GatedDeltaNet{}, one.inputs(), one.chunked(chunk))), "")
              << kind << ", " << logarithm << ", " << steps << " by " << chunk;
        }
}

TEST(JudgeOfDeltaNets, SeesItsFaults) {
  const Head one("random", 64, -0.5f);
  const auto says = [&](const Head& faulty, std::size_t chunk) {
    return finding(judged(GatedDeltaNet{}, one.inputs(), faulty.chunked(chunk)));
  };
  EXPECT_EQ(says(one, 1), "");
  Head late = one, weak = one, blunt = one;
  std::rotate(late.decay.begin(), late.decay.begin() + 1, late.decay.end());
  weak.beta[40] = 0;
  for (float& k : blunt.k) k = static_cast<float>(ir::f16(k));
  EXPECT_NE(says(late, 1), "") << "decays of the step behind";
  EXPECT_NE(says(weak, 16), "") << "a step that stores nothing";
  EXPECT_NE(says(blunt, 16), "") << "keys of 11 bits";
}

/// A state without decay and rule is a running sum of v·k, of four rows and one column.
struct RunningSum {
  static constexpr std::size_t rows = 4;
  std::vector<float> q, k, v;

  RunningSum(std::string_view kind, std::size_t steps)
      : q(steps * rows, 0.5f), k(q), v(floats_of("normal", static_cast<std::int64_t>(steps), 70)) {
    for (std::size_t t = 0; t < steps; ++t) {
      const float share = std::abs(v[t]) / 8 - std::floor(std::abs(v[t]) / 8);
      if (kind == "constant") v[t] = 0.1f;
      if (kind == "few-valued") v[t] = share < 0.08f ? 0.1f : 0.7f;
      if (kind == "half way") v[t] = t == 0 ? 1 : 0x1p-24f;
      if (kind == "stagnating") v[t] = t == 0 ? 1 : 0x1p-24f * (0.25f + 0.75f * share);
      if (kind == "creeping") v[t] = t == 0 ? 1 : 0x1p-23f * (1.2f + 0.2f * share);
      if (kind == "normal") k[t * rows + t % rows] = share - 0.5f;
    }
  }
  std::vector<Tensor> inputs() const {
    const auto n = static_cast<std::int64_t>(v.size());
    return {Tensor::of<float>({1, n, 1, rows}, q), Tensor::of<float>({1, n, 1, rows}, k),
            Tensor::of<float>({1, n, 1, 1}, v)};
  }
  /// Chunks are added up by themselves, and then to the state before them.
  std::vector<Tensor> added(std::size_t chunk, bool is_fused) const {
    std::vector<float> s(rows, 0.0f), own(rows, 0.0f), o(v.size());
    for (std::size_t t = 0; t < v.size(); ++t) {
      if (t % chunk == 0)
        for (std::size_t i = 0; i < rows; ++i) s[i] += std::exchange(own[i], 0.0f);
      for (std::size_t i = 0; i < rows; ++i) {
        const float product = k[t * rows + i] * v[t];
        float& to = chunk == 1 ? s[i] : own[i];
        to = is_fused ? std::fma(k[t * rows + i], v[t], to) : to + product;
        o[t] += 0.5f * q[t * rows + i] * (s[i] + own[i]);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) s[i] += own[i];
    const auto n = static_cast<std::int64_t>(v.size());
    return {Tensor::of<float>({1, n, 1, 1}, o), Tensor::of<float>({1, 1, rows, 1}, s)};
  }
};

/// Equal terms, few different ones or very small ones lose in one direction on being added; a missing step is more
/// than that.
TEST(JudgeOfDeltaNets, HoldsForTermsThatCreep) {
  const GatedDeltaNet op{.has_decay = false, .has_beta = false};
  for (const std::string_view kind : {"constant", "few-valued", "half way", "stagnating", "creeping", "normal"})
    for (const std::size_t steps : {5, 400, 3000})
      for (const std::size_t chunk : {1, 16, 64})
        for (const bool is_fused : {false, true}) {
          const RunningSum one(kind, steps);
          EXPECT_EQ(finding(judged(op, one.inputs(), one.added(chunk, is_fused))), "")
              << kind << ", " << steps << " by " << chunk << (is_fused ? ", fused" : "");
          if (kind != "constant" && kind != "few-valued") continue;
          RunningSum faulty = one;
          faulty.v[steps - 2] = 0;
          EXPECT_NE(finding(judged(op, one.inputs(), faulty.added(chunk, is_fused))), "") << kind << ", " << steps;
        }
}

/// An error of one sign in all of a delta rule's last state is seen.
TEST(JudgeOfDeltaNets, SeesAStateThatWasOff) {
  const Head one("random", 64, -0.01f);
  auto made = one.chunked(1);
  for (float& x : made[1].as<float>()) x *= 1 + 0x1p-17f;
  EXPECT_NE(finding(judged(GatedDeltaNet{}, one.inputs(), made)), "");
}

/// A device that reads subnormal keys as 0 stores nothing, however large the values are.
TEST(JudgeOfDeltaNets, KnowsWhatVanishes) {
  Head one("random", 20, -0.1f);
  for (float& k : one.k) k *= 0x1p-130f;
  for (float& v : one.v) v *= 0x1p100f;
  const auto kept = one.chunked(1);
  Head flushed = one;
  std::ranges::fill(flushed.k, 0.0f);
  const auto lost = flushed.chunked(1);
  EXPECT_EQ(finding(judged(GatedDeltaNet{}, one.inputs(), kept)), "");
  EXPECT_NE(finding(judged(GatedDeltaNet{}, one.inputs(), lost)), "");
  EXPECT_EQ(finding(judged(GatedDeltaNet{}, one.inputs(), lost, true)), "");
}

/// Sums that leave the range on the way are nobody's fault, though they come back into it.
TEST(JudgeOfDeltaNets, SetsApartWhatOverflows) {
  Head one("random", 100, 0.0f);
  for (float& k : one.k) k *= 4;
  std::ranges::fill(one.beta, 3.0f);
  const auto made = one.chunked(1);
  EXPECT_TRUE(std::ranges::any_of(made[0].as<float>(), [](float o) { return std::isnan(o); }));
  const auto results = judged(GatedDeltaNet{}, one.inputs(), made);
  EXPECT_EQ(finding(results), "");
  EXPECT_GT(results[0].local.n_apart, 0u);
  EXPECT_LT(results[0].local.n_apart, results[0].local.n);
}

}  // namespace
}  // namespace plumb::parity::judges::scans_test
