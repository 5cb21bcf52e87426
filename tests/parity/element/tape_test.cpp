#include "parity/element/tape.hpp"

#include <gtest/gtest.h>

namespace plumb::parity::element::tape_test {
namespace {

TEST(Tape, AdjointsAreDerivatives) {
  const auto made = [](const Real& a, const Real& b) {
    Sum sum;
    sum.add(a, b);
    sum.add(exp(a));
    sum.add_behind(b / (a + b));
    return sqrt(sum.total()) - maximum(a, b) * abs(-b);
  };
  Tape tape;
  const Recording recording(tape);
  const Real a = tape.operand(0, 0, 1.25L), b = tape.operand(1, 0, 0.75L), y = made(a, b);
  const std::vector<double> by = tape.adjoints(y.step);
  constexpr long double h = 0x1p-20L;
  const auto value = [&](long double at_a, long double at_b) { return made(Real(at_a), Real(at_b)).value; };
  EXPECT_NEAR(by[a.step], static_cast<double>((value(1.25L + h, 0.75L) - value(1.25L - h, 0.75L)) / (2 * h)), 1e-10);
  EXPECT_NEAR(by[b.step], static_cast<double>((value(1.25L, 0.75L + h) - value(1.25L, 0.75L - h)) / (2 * h)), 1e-10);
  EXPECT_NEAR(static_cast<double>(y.value), static_cast<double>(value(1.25L, 0.75L)), 1e-15);
}

TEST(Tape, OnlyNumbersMadeOfOperandsAreOnIt) {
  Tape tape;
  const Recording recording(tape);
  const std::size_t before = tape.size();
  EXPECT_EQ((Real(2) * Real(3) + exp(Real(1))).step, 0u);
  EXPECT_EQ(tape.size(), before);
  EXPECT_NE((Real(2) * tape.operand(0, 5, 3)).step, 0u);
}

TEST(Tape, ASumKeepsWhatWasAddedBeforeItsFirstOperand) {
  Tape tape;
  const Recording recording(tape);
  Sum sum;
  sum.add(Real(3));
  sum.skip();
  sum.add(tape.operand(0, 0, 4));
  const Real total = sum.total();
  EXPECT_EQ(total.value, 7);
  const Step& last = tape[tape[total.step].a];
  EXPECT_EQ(last.place, 2u);
  EXPECT_EQ(tape[tape[last.a].b].value, 3);
  EXPECT_EQ(tape[total.step].place, 3u);
}

TEST(Tape, AProgramOfTooManyStepsHasNoAnswer) {
  Tape tape(10);
  const Recording recording(tape);
  Real x = tape.operand(0, 0, 1);
  EXPECT_THROW(for (int i = 0; i < 20; ++i) x = x + x, NoAnswer);
}

}  // namespace
}  // namespace plumb::parity::element::tape_test
