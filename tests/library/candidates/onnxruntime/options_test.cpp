#include "library/candidates/onnxruntime/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.hpp"

namespace plumb::library::candidates::onnxruntime::options_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void expect_refusal(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { options_of(text); }, ThrowsMessage<ir::Error>(HasSubstr(message))) << text;
}

TEST(OnnxRuntimeOptions, HaveDefaults) {
  const Options usual = options_of("./lib.so.1");
  EXPECT_EQ(usual.library, "./lib.so.1");
  EXPECT_EQ(usual.level, 99);
  EXPECT_EQ(usual.threads, 2);
}

TEST(OnnxRuntimeOptions, AreTakenInAnyOrder) {
  const Options options = options_of("/a=b/lib.so,threads=7,provider=cpu,opt=basic");
  EXPECT_EQ(options.library, "/a=b/lib.so");
  EXPECT_EQ(options.level, 1);
  EXPECT_EQ(options.threads, 7);
  EXPECT_EQ(options_of("l,opt=off").level, 0);
  EXPECT_EQ(options_of("l,opt=extended").level, 2);
  EXPECT_EQ(options_of("l,opt=all").level, 99);
}

TEST(OnnxRuntimeOptions, AreRefusedByName) {
  expect_refusal("", "no library is named");
  expect_refusal(",opt=all", "no library is named");
  expect_refusal("l,thread=2", "no option 'thread'; the nearest is 'threads' of opt, threads, provider");
  expect_refusal("l,", "no option ''; the nearest is 'opt'");
  expect_refusal("l,opt=all,", "no option ''");
  expect_refusal("l," + std::string(100'000, 'x') + "=1", "the nearest is");
  expect_refusal("l,opt", "option 'opt' has no value");
  expect_refusal("l,opt=bassic", "no opt=bassic; the nearest is 'basic' of all, extended, basic, off");
  expect_refusal("l,opt=off,opt=off", "option 'opt' is there twice");
  expect_refusal("l,provider=cuda", "no provider=cuda; the nearest is 'cpu'");
  for (const char* threads : {"", "0", "-1", "2x", "1025", "99999999999999999999"})
    expect_refusal("l,threads=" + std::string(threads), "it is a whole number from 1 to 1024");
}

}  // namespace
}  // namespace plumb::library::candidates::onnxruntime::options_test
