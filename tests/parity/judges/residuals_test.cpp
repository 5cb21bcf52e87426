// Factors and solutions are held to what they leave when they are put together again (verdict.md V68): a Cholesky
// factor, a triangular solve and a QR factorisation stand in for the ops.
#include "parity/judges/residuals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/schema.hpp"
#include "parity/judges/conditioning.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::testing {

/// Lower L with a positive diagonal, A = L·Lᵀ, of the lower triangle of a; NaN in it where A is not definite.
struct StandInCholesky : StandIn {
  static constexpr auto name = "stand_in_cholesky";
  static constexpr std::array inputs = {ir::Input{"a", ir::dtypes::R, "[n, n]"}};
  static constexpr std::array outputs = {ir::Output{"l", "as a"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::resid; }
  bool operator==(const StandInCholesky&) const = default;
};

/// T·x = b with the lower triangle of t.
struct StandInSolve : StandIn {
  static constexpr auto name = "stand_in_solve";
  static constexpr std::array inputs = {ir::Input{"t", ir::dtypes::R, "[n, n]"},
                                        ir::Input{"b", ir::dtypes::R, "[n, r]", "t"}};
  static constexpr std::array outputs = {ir::Output{"x", "as b"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[1]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::resid; }
  bool operator==(const StandInSolve&) const = default;
};

/// Square A = Q·R with a diagonal of R that is not negative.
struct StandInQr : StandIn {
  static constexpr auto name = "stand_in_qr";
  static constexpr std::array inputs = {ir::Input{"a", ir::dtypes::R, "[n, n]"}};
  static constexpr std::array outputs = {ir::Output{"q", "as a"}, ir::Output{"r", "as a"}};
  ir::TensorTypes infer(ir::Types in) const { return {in[0], in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::resid; }
  bool operator==(const StandInQr&) const = default;
};

}  // namespace plumb::testing

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInCholesky>();
template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInSolve>();
template const plumb::ir::OpSchema& plumb::ir::schema<plumb::testing::StandInQr>();

namespace plumb::parity::judges::residuals_test {
namespace {

using namespace plumb::testing;

/// A square matrix of R.
template <class R>
struct Square {
  std::size_t n;
  std::vector<R> values;
  explicit Square(std::size_t size) : n(size), values(size * size) {}
  explicit Square(const ir::TensorView& x) : n(static_cast<std::size_t>(x.shape().back())), values(values_of<R>(x)) {}
  R& at(std::size_t i, std::size_t j) { return values[i * n + j]; }
  R at(std::size_t i, std::size_t j) const { return values[i * n + j]; }
};

template <class R>
Square<R> factor(const Square<R>& a, Order order) {
  Square<R> l(a.n);
  for (std::size_t j = 0; j < a.n; ++j)
    for (std::size_t i = j; i < a.n; ++i) {
      const R s = a.at(i, j) -
                  dot<R>(
                      j, order, [&](std::size_t k) { return l.at(i, k); }, [&](std::size_t k) { return l.at(j, k); });
      if (i == j && !(s > 0)) {
        for (std::size_t p = 0; p < a.n; ++p)
          for (std::size_t q = 0; q <= p; ++q) l.at(p, q) = std::numeric_limits<R>::quiet_NaN();
        return l;
      }
      l.at(i, j) = i == j ? std::sqrt(s) : s / l.at(j, j);
    }
  return l;
}

template <class R>
std::vector<R> solved(const Square<R>& t, const std::vector<R>& b, Order order) {
  const std::size_t r = b.size() / t.n;
  std::vector<R> x(b.size());
  for (std::size_t i = 0; i < t.n; ++i)
    for (std::size_t c = 0; c < r; ++c)
      x[i * r + c] = (b[i * r + c] - dot<R>(
                                         i, order, [&](std::size_t k) { return t.at(i, k); },
                                         [&](std::size_t k) { return x[k * r + c]; })) /
                     t.at(i, i);
  return x;
}

/// By Householder's reflections or, in the other order, by Givens' rotations; then signs are put right.
template <class R>
std::pair<Square<R>, Square<R>> factored(const Square<R>& a, Order order) {
  const std::size_t n = a.n;
  Square<R> q(n), r = a;
  for (std::size_t i = 0; i < n; ++i) q.at(i, i) = 1;
  const auto rotate = [&](std::size_t i, std::size_t j) {  // so that r(j, i) becomes 0
    const R x = r.at(i, i), y = r.at(j, i), h = std::hypot(x, y);
    if (h == 0) return;
    const R c = x / h, s = y / h;
    for (std::size_t k = 0; k < n; ++k) {
      const R up = r.at(i, k), down = r.at(j, k), left = q.at(k, i), right = q.at(k, j);
      r.at(i, k) = c * up + s * down, r.at(j, k) = c * down - s * up;
      q.at(k, i) = c * left + s * right, q.at(k, j) = c * right - s * left;
    }
  };
  const auto reflect = [&](std::size_t i) {
    R squares = 0;
    for (std::size_t k = i; k < n; ++k) squares += r.at(k, i) * r.at(k, i);
    std::vector<R> v(n, R{0});
    for (std::size_t k = i; k < n; ++k) v[k] = r.at(k, i);
    v[i] += r.at(i, i) < 0 ? -std::sqrt(squares) : std::sqrt(squares);
    R size = 0;
    for (const R x : v) size += x * x;
    if (size == 0) return;
    for (std::size_t k = 0; k < n; ++k) {
      R of_r = 0, of_q = 0;
      for (std::size_t m = i; m < n; ++m) of_r += v[m] * r.at(m, k), of_q += v[m] * q.at(k, m);
      for (std::size_t m = i; m < n; ++m) r.at(m, k) -= 2 * of_r / size * v[m], q.at(k, m) -= 2 * of_q / size * v[m];
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (order == Order::in_order) reflect(i);
    for (std::size_t j = i + 1; j < n; ++j) {
      if (order == Order::blocked) rotate(i, j);
      r.at(j, i) = 0;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (r.at(i, i) < 0)
      for (std::size_t k = 0; k < n; ++k) r.at(i, k) = -r.at(i, k), q.at(k, i) = -q.at(k, i);
  return {q, r};
}

template <class Run>
void in_its_type(const ir::TensorView& x, const Run& run) {
  if (x.dtype() == ir::DType::f64)
    run(double{});
  else
    run(float{});
}

void run_cholesky(const ir::Op&, ref_cpu::Call& call) {
  in_its_type(call.in(0),
              [&]<class R>(R) { write(factor(Square<R>(call.in(0)), Order::in_order).values, call.out(0)); });
}
void run_solve(const ir::Op&, ref_cpu::Call& call) {
  in_its_type(call.in(0), [&]<class R>(R) {
    write(solved(Square<R>(call.in(0)), values_of<R>(call.in(1)), Order::in_order), call.out(0));
  });
}
void run_qr(const ir::Op&, ref_cpu::Call& call) {
  in_its_type(call.in(0), [&]<class R>(R) {
    const auto [q, r] = factored(Square<R>(call.in(0)), Order::in_order);
    write(q.values, call.out(0)), write(r.values, call.out(1));
  });
}

/// |LLᵀ − A| against λu√((j + 2)/3)·|L||L|ᵀ; zeros above, a positive diagonal.
Judgement judge_cholesky(const Question& question) {
  const Matrices l(question.got[0]), a(question.in[0]);
  const Matrices size = l.magnitudes() * l.magnitudes().transposed();
  ElementResiduals by{l * l.transposed() - a, size, size, size};
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.rows(); ++j) {
      const ChainFactors factors = chain_factors(question, 0, static_cast<double>(std::min(i, j) + 2));
      if (j > i) by.residual.at(0, i, j) = 0;  // only the lower triangle is read
      by.probable.at(0, i, j) *= factors.probable, by.certain.at(0, i, j) *= factors.certain;
    }
  OutputJudgement output = judge_residuals(question, 0, by, [&](std::size_t, std::size_t i, std::size_t j) {
    return j > i ? l.at(0, i, j) == 0 : i != j || l.at(0, i, i) > 0;
  });
  // Whether it is definite is a rounded decision where its smallest pivot is n·u·‖A‖ or less.
  double smallest = INFINITY;
  const Matrices truth(question.truth.outputs[0]);
  for (std::size_t i = 0; i < a.rows(); ++i) smallest = std::min(smallest, truth.at(0, i, i) * truth.at(0, i, i));
  const bool is_open = !(smallest > static_cast<double>(a.rows()) * question.unit(0) * a.norms()[0]);
  judge_not_finite(question, 0, {is_open}, output);
  return {{output}};
}

Judgement judge_solve(const Question& question) {
  const Matrices t(question.in[0]), b(question.in[1]), x(question.got[0]);
  Matrices lower = t;
  for (std::size_t i = 0; i < t.rows(); ++i)
    for (std::size_t j = i + 1; j < t.rows(); ++j) lower.at(0, i, j) = 0;
  const Matrices size = lower.magnitudes() * x.magnitudes();
  ElementResiduals by{lower * x - b, size, size, size};
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j) {
      const ChainFactors factors = chain_factors(question, 0, static_cast<double>(i + 2));
      by.probable.at(0, i, j) *= factors.probable, by.certain.at(0, i, j) *= factors.certain;
    }
  return {{judge_residuals(question, 0, by)}};
}

/// ‖QR − A‖ and ‖QᵀQ − I‖; the sign of a diagonal element is a decision.
Judgement judge_qr(const Question& question) {
  const Matrices q(question.got[0]), r(question.got[1]), a(question.in[0]);
  const double n = static_cast<double>(a.rows()), factor = rotation_factor(question, 0, a.rows(), std::nullopt);
  const double norm = a.norms()[0];
  const NormTest gives_back{(q * r - a).norms(), {factor * norm}, {norm}};
  const NormTest orthogonal{distance_from_orthogonal(q), {factor * std::sqrt(n)}, {std::sqrt(n)}};
  OutputJudgement of_q = judge_matrices(question, 0, {gives_back, orthogonal});
  OutputJudgement of_r = judge_matrices(question, 1, {gives_back});
  DecisionReader reader;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const double diagonal = r.at(0, i, i);
    const Deciding by{diagonal < 0 ? -diagonal : 0, factor * norm, 2 * std::abs(diagonal)};
    const double ratio = reader.read("sign", i * a.rows() + i, diagonal < 0 ? -1 : 1, 1, by);
    of_r.ratio[0] = std::max(of_r.ratio[0], ratio);
    for (std::size_t j = 0; j < i; ++j)
      if (r.at(0, i, j) != 0) of_r.ratio[0] = INFINITY;
  }
  of_r.decisions = reader.take();
  of_r.residual = gives_back.norm[0] / norm, of_q.orthogonality = orthogonal.norm[0];
  return {{of_q, of_r}};
}

const Taught cholesky{StandInCholesky{}, run_cholesky, judge_cholesky};
const Taught solve{StandInSolve{}, run_solve, judge_solve};
const Taught qr{StandInQr{}, run_qr, judge_qr};

constexpr std::size_t sizes[] = {1, 4, 9, 24};

/// A definite matrix whose rows and columns are of these kinds.
Square<float> definite(std::string_view kind, std::size_t n, double shift = 0.1) {
  const auto numbers = hard_numbers(kind, n * n, 3);
  Square<float> a(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? shift * static_cast<double>(n) : 0;
      for (std::size_t k = 0; k < n; ++k) sum += numbers[i * n + k] * numbers[j * n + k];
      a.at(i, j) = static_cast<float>(sum);
    }
  return a;
}

ir::Tensor tensor(const Square<float>& a) {
  const auto n = static_cast<std::int64_t>(a.n);
  return ir::Tensor::of<float>({n, n}, a.values);
}

TEST(Judge, CholeskyHoldsForHonestKernels) {
  for (const std::string_view kind : number_kinds)
    for (const std::size_t n : sizes)
      for (const Order order : orders) {
        const auto a = definite(kind, n);
        const auto results = judged(cholesky, {tensor(a)}, {tensor(factor(a, order))});
        EXPECT_EQ(finding(results), "") << kind << ' ' << n;
        EXPECT_EQ(results[0].units.kind, cases::UnitKind::residual);
        EXPECT_LT(results[0].units.residual, 1e-5);
      }
}

TEST(Judge, CholeskySeesItsFaults) {
  const auto a = definite("normal", 9);
  const auto clean = factor(a, Order::in_order);
  const auto is_seen = [&](const std::function<void(Square<float>&)>& spoil) {
    auto faulty = clean;
    spoil(faulty);
    return !finding(judged(cholesky, {tensor(a)}, {tensor(faulty)})).empty();
  };
  EXPECT_TRUE(is_seen([](auto& l) { l.at(5, 2) *= 1 + 1e-4f; }));
  EXPECT_TRUE(is_seen([](auto& l) { l.at(1, 4) = 1e-30f; })) << "above the diagonal";
  EXPECT_TRUE(is_seen([](auto& l) {
    for (std::size_t i = 3; i < l.n; ++i) l.at(i, 3) = -l.at(i, 3);
  })) << "another sign leaves the same residual";
  EXPECT_TRUE(is_seen([](auto& l) { l.at(8, 8) = NAN; }));
  EXPECT_TRUE(is_seen([](auto& l) {
    for (float& x : l.values) x = std::nearbyint(x * 0x1p16f) * 0x1p-16f;
  }));
}

TEST(Judge, DeviationsOfResidualsAreThoseOfAnyLambda) {
  const auto a = definite("normal", 9);
  const auto l = factor(a, Order::in_order);
  expect_deviations_without_lambda(cholesky, {tensor(a)}, {tensor(l)});
  const auto [q, r] = factored(a, Order::in_order);
  expect_deviations_without_lambda(qr, {tensor(a)}, {tensor(q), tensor(r)});
  // What is refused for something else than its residual is so by any λ, and so is what no number is said to be.
  auto negative = l, nan = l;
  for (std::size_t i = 3; i < l.n; ++i) negative.at(i, 3) = -l.at(i, 3);
  nan.at(8, 8) = NAN;
  for (const auto* const refused : {&negative, &nan})
    EXPECT_EQ(judged(cholesky, {tensor(a)}, {tensor(*refused)})[0].local.sigma_max, INFINITY);
}

TEST(Judge, WhatIsNotDefiniteGivesNaNAndWhatMayBeEither) {
  auto a = definite("normal", 5);
  const auto fine = factor(a, Order::in_order);
  auto broken = a;
  broken.at(3, 3) = -broken.at(3, 3);
  const auto nan = factor(broken, Order::in_order);
  EXPECT_EQ(finding(judged(cholesky, {tensor(broken)}, {tensor(nan)})), "");
  EXPECT_NE(finding(judged(cholesky, {tensor(broken)}, {tensor(fine)})), "");
  EXPECT_NE(finding(judged(cholesky, {tensor(a)}, {tensor(nan)})), "");
  Square<float> border(2);  // its second pivot is 2⁻²⁴, which rounds away or does not
  border.values = {1, 1, 1, 1 + 0x1p-23f};
  const auto finite = factor(border, Order::in_order);
  auto neither = finite;
  for (float& x : {std::ref(neither.at(0, 0)), std::ref(neither.at(1, 0)), std::ref(neither.at(1, 1))}) x = NAN;
  EXPECT_EQ(finding(judged(cholesky, {tensor(border)}, {tensor(finite)})), "");
  EXPECT_EQ(finding(judged(cholesky, {tensor(border)}, {tensor(neither)})), "");
}

TEST(Judge, SolveHoldsForHonestKernelsAndSeesItsFaults) {
  for (const std::string_view kind : number_kinds)
    for (const std::size_t n : sizes)
      for (const Order order : orders) {
        auto t = factor(definite(kind, n), Order::in_order);
        const auto b = hard_numbers(kind, 3 * n, 4);
        const std::vector<float> right(b.begin(), b.end());
        const ir::Shape shape{static_cast<std::int64_t>(n), 3};
        const auto of = [&](std::vector<float> x) { return ir::Tensor::of<float>(shape, std::move(x)); };
        auto x = solved(t, right, order);
        EXPECT_EQ(finding(judged(solve, {tensor(t), of(right)}, {of(x)})), "") << kind << ' ' << n;
        if (kind != "normal") continue;
        x[x.size() / 2] *= 1 + 1e-4f;
        EXPECT_NE(finding(judged(solve, {tensor(t), of(right)}, {of(x)})), "") << kind << ' ' << n;
      }
}

TEST(Judge, QrHoldsForHonestKernels) {
  for (const std::string_view kind : number_kinds)
    for (const std::size_t n : sizes)
      for (const Order order : orders) {
        Square<float> a(n);
        const auto numbers = hard_numbers(kind, n * n, 5);
        std::copy(numbers.begin(), numbers.end(), a.values.begin());
        const auto [q, r] = factored(a, order);
        const auto results = judged(qr, {tensor(a)}, {tensor(q), tensor(r)});
        EXPECT_EQ(finding(results), "") << kind << ' ' << n;
        EXPECT_EQ(results[1].units.decisions.count, n);
        EXPECT_LT(results[0].units.orthogonality, 1e-4);
      }
}

TEST(Judge, QrSeesItsFaults) {
  Square<float> a(6);
  const auto numbers = hard_numbers("normal", 36, 5);
  std::copy(numbers.begin(), numbers.end(), a.values.begin());
  const auto clean = factored(a, Order::in_order);
  const auto is_seen = [&](const std::function<void(Square<float>&, Square<float>&)>& spoil) {
    auto faulty = clean;
    spoil(faulty.first, faulty.second);
    return !finding(judged(qr, {tensor(a)}, {tensor(faulty.first), tensor(faulty.second)})).empty();
  };
  EXPECT_TRUE(is_seen([](auto& q, auto&) { q.at(1, 2) += 1e-4f; }));
  EXPECT_TRUE(is_seen([](auto&, auto& r) { r.at(1, 2) += 1e-3f; }));
  EXPECT_TRUE(is_seen([](auto&, auto& r) { r.at(4, 1) = 1e-30f; })) << "below the diagonal";
  EXPECT_TRUE(is_seen([](auto& q, auto& r) {
    for (std::size_t k = 0; k < q.n; ++k) q.at(k, 2) = -q.at(k, 2), r.at(2, k) = -r.at(2, k);
  })) << "a sign, which leaves the same residual";
  EXPECT_TRUE(is_seen([](auto& q, auto& r) {
    for (float& x : q.values) x *= 1 + 1e-4f;
    for (float& x : r.values) x /= 1 + 1e-4f;
  })) << "scaled against each other";
}

TEST(Conditioning, ASignOfWhatIsNextToNothingIsFree) {
  Square<float> a(2);
  a.values = {3, 4, 0, 1e-8f};
  Square<float> q(2), r(2);
  q.values = {1, 0, 0, -1}, r.values = {3, 4, 0, -1e-8f};
  const auto results = judged(qr, {tensor(a)}, {tensor(q), tensor(r)});
  EXPECT_EQ(finding(results), "");
  EXPECT_EQ(results[1].units.decisions.free, 1u);
  ASSERT_EQ(results[1].units.decisions.differing.size(), 1u);
  EXPECT_TRUE(results[1].units.decisions.differing[0].is_admissible);
}

}  // namespace
}  // namespace plumb::parity::judges::residuals_test
