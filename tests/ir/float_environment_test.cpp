#include "ir/raw/float_environment.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "ir/graph.hpp"
#include "ir/ops/histogram.hpp"
#include "tests/support/odd_floats.hpp"

namespace plumb::ir::float_environment_test {
namespace {

using raw::CallersFloatEnvironment;
using raw::FloatEnvironment;
using tests::has_odd_floats;
using tests::has_usual_floats;
using tests::OddFloats;

TEST(FloatEnvironment, IsUsualWithinAndTheCallersBehind) {
  const OddFloats odd;
  {
    const FloatEnvironment own;
    EXPECT_TRUE(has_usual_floats());
    volatile float one = 1, tiny = 0x1p-140F;
    volatile long double wide = 1;
    EXPECT_EQ(one + 0x1p-30F, 1);
    EXPECT_GT(tiny / 2, 0);
    EXPECT_EQ(wide + 0x1p-70L, 1);
    {
      const FloatEnvironment inner;
      EXPECT_TRUE(has_usual_floats());
    }
    EXPECT_TRUE(has_usual_floats());
  }
  EXPECT_TRUE(has_odd_floats());
}

TEST(FloatEnvironment, IsTheCallersBehindAnException) {
  const OddFloats odd;
  EXPECT_THROW(
      {
        const FloatEnvironment own;
        throw std::runtime_error("anything");
      },
      std::runtime_error);
  EXPECT_TRUE(has_odd_floats());
}

TEST(FloatEnvironment, IsRestoredWhereCodeWithinChangesIt) {
  {
    const FloatEnvironment own;
    std::fesetround(FE_DOWNWARD);
    tests::flush();
  }
  EXPECT_TRUE(has_usual_floats());
}

#if defined(__GLIBC__)
TEST(FloatEnvironment, TrapsNothingAndForgetsWhatWasRaised) {
  std::fenv_t before{};
  std::fegetenv(&before);
  feenableexcept(FE_DIVBYZERO | FE_INEXACT);
  {
    const FloatEnvironment own;
    volatile double zero = 0, three = 3;
    volatile long double wide = 3;
    three = 1 / three + 1 / zero;
    wide = 1 / wide + 1 / static_cast<long double>(zero);
  }
  EXPECT_EQ(fegetexcept(), FE_DIVBYZERO | FE_INEXACT);
  std::fesetenv(&before);
}
#endif

TEST(FloatEnvironment, OfTheCallerIsThereForItsCodeAndKeepsItsChanges) {
  const OddFloats odd;
  {
    const FloatEnvironment own;
    const FloatEnvironment inner;
    {
      const CallersFloatEnvironment callers;
      EXPECT_TRUE(has_odd_floats());
      {
        const FloatEnvironment again;  // the caller's code calls the library
        EXPECT_TRUE(has_usual_floats());
        const CallersFloatEnvironment once_more;
        EXPECT_TRUE(has_odd_floats());
      }
      EXPECT_TRUE(has_odd_floats());
      std::fesetround(FE_DOWNWARD);
    }
    EXPECT_TRUE(has_usual_floats());
    const CallersFloatEnvironment callers;
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  }
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
}

TEST(FloatEnvironment, OfACallerWhoseCodeMakesItUsualStaysSo) {
  const OddFloats odd;
  {
    const FloatEnvironment own;
    const CallersFloatEnvironment callers;
    std::fesetenv(FE_DFL_ENV);
  }
  EXPECT_TRUE(has_usual_floats());
}

TEST(FloatEnvironment, OfNoCallerIsLeftAlone) {
  const OddFloats odd;
  const CallersFloatEnvironment callers;
  EXPECT_TRUE(has_odd_floats());
}

TEST(FloatEnvironment, IsThatOfThreadsThatStartWithin) {
  const OddFloats odd;
  const FloatEnvironment own;
  bool is_usual = false;
  std::thread([&] { is_usual = has_usual_floats(); }).join();
  EXPECT_TRUE(is_usual);
}

TEST(FloatEnvironment, DecidesNothingAboutAGraph) {
  const OddFloats odd;
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {4}});
  EXPECT_NO_THROW(graph.add("y", ops::Histogram{.bins = 2, .min = 0, .max = 0x1p-140}, {x}));
}

}  // namespace
}  // namespace plumb::ir::float_environment_test
