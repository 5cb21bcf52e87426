// Files that a reader must refuse, and files that were damaged at random: one error or a
// valid graph, nothing else, and no large allocation on the way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "ir/formats/graph_file.hpp"
#include "ir/formats/json.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/ir/counted_new.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/paths.hpp"

namespace plumb::ir::hostile_graph_test {
namespace {

constexpr std::uint64_t budget = 64 << 20;
constexpr std::size_t most_allocated = 128 << 20;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message that a file must be refused with: in FILE.expect, or in a field whose
/// text is taken as it stands, since the file may be broken on purpose.
std::string expected_message(const std::filesystem::path& path) {
  const auto beside = std::filesystem::path(path) += ".expect";
  if (std::filesystem::exists(beside)) {
    const auto text = contents(beside);
    return text.substr(0, text.find('\n'));
  }
  const std::string text = contents(path), key = "\"expect_error\": ";
  const auto start = text.find(key) + key.size();
  std::size_t end = text.find('"', start + 1);
  while (text[end - 1] == '\\') end = text.find('"', end + 1);
  return *formats::parse_json(text.substr(start, end + 1 - start)).text();
}

/// The error of reading a file, making its tensors and running it; empty when there is none.
std::string refusal(const std::filesystem::path& path) {
  return tests::message_of([&] {
    const formats::GraphFile file = formats::read_graph(path);
    ref_cpu::CpuExecutor().run(file.graph, formats::materialise(file, 1, budget), file.graph.results());
  });
}

TEST(InvalidFixtures, EachIsRefusedWithItsMessage) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/invalid")) {
    if (entry.path().extension() != ".json") continue;
    tests::largest_allocation = 0;
    EXPECT_THAT(refusal(entry.path()), ::testing::HasSubstr(expected_message(entry.path()))) << entry.path();
    EXPECT_LT(tests::largest_allocation, most_allocated) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 25u);
}

TEST(InvalidFixtures, EveryLineNamesTheFile) {
  const auto path = tests::source_dir() / "fixtures/invalid/two_errors.json";
  const auto name = path.string() + ": ";
  EXPECT_EQ(refusal(path), name + "node 'a' (softmaks): no such op\n" + name +
                               "node 'b' (matmul): inner extents must be equal: a is f32[2, 3], b is f32[2, 3] (C2)");
}

TEST(InvalidFixtures, WhatIsNoFileIsRefused) {
  EXPECT_EQ(refusal("/no/such/file.json"), "/no/such/file.json: cannot be opened: No such file or directory");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: is not a regular file");
  EXPECT_EQ(refusal("/"), "/: is a folder");
}

using Random = std::mt19937_64;

std::string damaged(std::string text, int kind, Random& random) {
  const auto place = [&] { return random() % text.size(); };
  const auto range = [&](std::size_t most) { return std::pair(place(), 1 + random() % most); };
  switch (kind) {
    case 0:
      for (auto flips = 1 + random() % 4; flips-- > 0;) text[place()] ^= static_cast<char>(1 << random() % 8);
      break;
    case 1:
      text.resize(place());
      break;
    case 2: {  // a piece of the file stands where another did
      const auto [from, length] = range(200);
      text.replace(place(), length, text.substr(from, length));
      break;
    }
    case 3: {
      const auto [from, length] = range(60);
      text.erase(from, length);
      break;
    }
    case 4: {
      const auto [from, length] = range(400);
      text.insert(place(), text.substr(from, length));
      break;
    }
    default: {  // a digit becomes many
      const auto digit = text.find_first_of("0123456789", place());
      if (digit != text.npos)
        text.replace(digit, 1, std::string(1 + random() % 24, static_cast<char>('0' + random() % 10)));
    }
  }
  return text;
}

TEST(DamagedFiles, GiveOneErrorOrAValidGraph) {
  const auto path = tests::source_dir() / "fixtures/graphs/bert_tiny.json";
  const std::string whole = contents(path);
  Random random(2024);
  int refused = 0, read = 0;
  tests::largest_allocation = 0;
  for (int i = 0; i < 240; ++i) {
    const std::string text = damaged(whole, i % 6, random);
    try {
      const formats::GraphFile file = formats::parse_graph(text, path.parent_path());
      EXPECT_TRUE(verify(file.graph).empty());
      const std::string again = formats::write_graph(file);
      EXPECT_EQ(formats::write_graph(formats::parse_graph(again, path.parent_path())), again);
      formats::materialise(file, 1, budget);
      ++read;
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    }
  }
  EXPECT_GT(refused, 120);
  EXPECT_GT(read, 5);
  EXPECT_LT(tests::largest_allocation, most_allocated);
}

}  // namespace
}  // namespace plumb::ir::hostile_graph_test
