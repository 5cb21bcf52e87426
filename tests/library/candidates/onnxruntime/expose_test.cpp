#include "library/candidates/onnxruntime/expose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.hpp"

namespace plumb::library::candidates::onnxruntime::expose_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

/// A field of a text or a message shorter than 128 bytes.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string node(const std::string& input, const std::string& output) {
  return field(1, field(1, input) + field(2, output) + field(4, "Abs"));
}

std::string stored(const std::string& name) { return std::string("\x10\x01", 2) + field(8, name); }

/// x to h to y, and w, which is stored and listed as an input, too. Its fields have every kind that there is.
std::string small_graph() {
  return node("x", "h") + node("h", "y") + field(5, stored("w")) + field(11, field(1, "x")) + field(11, field(1, "w")) +
         field(12, field(1, "y") + field(2, "type"));
}

std::string small_model() {
  return std::string("\x08\x0a", 2) + field(7, small_graph()) + std::string("\x79", 1) + "12345678" +
         std::string("\x7d", 1) + "1234";
}

auto refuses(const std::string& message) { return ThrowsMessage<ir::Error>(HasSubstr(message)); }

TEST(Expose, FindsNamesOfTheMainGraph) {
  const std::string model = small_model();
  const ModelNames names = names_of(model);
  EXPECT_THAT(names.computed, ElementsAre("h", "y"));
  EXPECT_THAT(names.inputs, ElementsAre("x", "w"));
  EXPECT_THAT(names.results, ElementsAre("y"));
  ASSERT_THAT(names.stored, SizeIs(1));
  EXPECT_EQ(names.stored.at("w"), stored("w"));
}

TEST(Expose, WritesOutputsBehindTheModel) {
  const std::string model = small_model();
  const std::string more = exposed(model, {"h"}, {"\x42\x01v"});
  ASSERT_TRUE(more.starts_with(model));
  EXPECT_EQ(more.substr(model.size()), field(7, field(12, field(1, "h")) + field(5, "\x42\x01v")));
  EXPECT_THAT(names_of(more).results, ElementsAre("y", "h"));
  EXPECT_EQ(names_of(more).stored.count("v"), 1U);
}

TEST(Expose, ExposesNothingTwice) {
  const std::string once = exposed(small_model(), {"h", "y", "h"});
  EXPECT_THAT(names_of(once).results, ElementsAre("y", "h"));
  const std::string twice = exposed(once, {"y", "h"});
  EXPECT_EQ(twice, once + field(7, ""));
  EXPECT_THAT(names_of(twice).computed, ElementsAre("h", "y"));
}

TEST(Expose, TakesLongNames) {
  const std::string name(300, 'n');
  const std::string more = exposed(small_model(), {name});
  EXPECT_THAT(names_of(more).results, ElementsAre("y", name));
  EXPECT_EQ(more.size(), small_model().size() + 3 + (3 + (3 + name.size())));
}

TEST(Expose, PassesOverWhatHasNoName) {
  const std::string model = field(7, field(1, field(2, "") + field(2, "a")) + field(5, "") + field(12, ""));
  const ModelNames names = names_of(model);
  EXPECT_THAT(names.computed, ElementsAre("a"));
  EXPECT_THAT(names.results, ElementsAre(""));
  EXPECT_THAT(names.inputs, IsEmpty());
}

TEST(Expose, RefusesWhatIsNoModel) {
  EXPECT_THAT([] { names_of(""); }, refuses("it has no graph"));
  EXPECT_THAT([] { names_of(field(1, "x")); }, refuses("it has no graph"));
  EXPECT_THAT([] { names_of(std::string("\x38\x01", 2)); }, refuses("it has no graph"));  // a number in its place
  EXPECT_THAT([] { names_of(std::string("\x00\x01", 2)); }, refuses("it has a field 0"));
  EXPECT_THAT([] { names_of("\x3b"); }, refuses("a field of kind 3"));
  EXPECT_THAT([] { names_of("\x3f"); }, refuses("a field of kind 7"));
  EXPECT_THAT([] { names_of(std::string(20, '\xff')); }, refuses("does not end"));
  EXPECT_THAT([] { exposed("\x3a\x05", {"h"}); }, refuses("5 bytes, where 0 are left"));
  // A size of 2^63 and more, in the model and in its graph.
  const std::string huge = "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_THAT([&] { names_of(huge); }, refuses("18446744073709551615 bytes, where 0 are left"));
  EXPECT_THAT([&] { names_of(field(7, "\x0a" + huge.substr(1))); }, refuses("where 0 are left"));
}

TEST(Expose, ReadsWhateverIsCutOffOrSpoiled) {
  const std::string model = small_model();
  std::size_t refused = 0;
  const auto read = [&](const std::string& bytes) {
    try {
      for (const std::string_view name : names_of(bytes).computed) EXPECT_LE(name.size(), bytes.size());
    } catch (const ir::Error&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < model.size(); ++size) read(model.substr(0, size));
  for (std::size_t at = 0; at < model.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string spoiled = model;
      spoiled[at] = static_cast<char>(spoiled[at] ^ (1 << bit));
      read(spoiled);
    }
  EXPECT_GT(refused, model.size() / 2);
}

}  // namespace
}  // namespace plumb::library::candidates::onnxruntime::expose_test
