#include "ir/formats/gguf/gguf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <utility>

#include "ir/formats/gguf/architectures/rotary.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/formats/tensor_files.hpp"
#include "tests/support/gguf_bytes.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::gguf_test {
namespace {

using formats::gguf::Gguf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Bytes = tests::GgufBytes;
constexpr auto header = tests::gguf_header;

/// Metadata of every type, and two tensors behind a gap.
Bytes whole() {
  Bytes bytes = header(3, 2, 5);
  bytes.string("general.architecture").u32(8).string("none");
  bytes.string("a.count").u32(4).u32(7);
  bytes.string("a.reals").u32(9).u32(6).u64(2).number(1.5F).number(-2.0F);
  bytes.string("a.words").u32(9).u32(8).u64(2).string("x").string("");
  bytes.string("a.is").u32(7).number('\1');
  bytes.tensor("plain", {3, 2}, 0, 96).tensor("blocks", {64, 1}, 8, 0);
  return bytes.data(96 + 24);
}

std::shared_ptr<std::string> kept(const std::string& text) { return std::make_shared<std::string>(text); }

Gguf parsed(const std::string& text) {
  const auto owner = kept(text);
  return Gguf(std::as_bytes(std::span<const char>(*owner)), owner);
}

std::string refusal(const Bytes& bytes) {
  return tests::message_of([&] { parsed(bytes.text); });
}

TEST(Gguf, MetadataAndTensorsAreReadByName) {
  const Bytes bytes = whole();
  const Gguf file = parsed(bytes.text);
  EXPECT_EQ(file.find("general.architecture")->text(), "none");
  EXPECT_EQ(file.find("a.count")->whole(), 7);
  EXPECT_EQ(file.find("a.reals")->real(1), -2.0);
  EXPECT_EQ(file.find("a.is")->truth(), true);
  EXPECT_EQ(file.find("a.words")->shown(), "[string x 2] x, ");
  EXPECT_EQ(file.find("b"), nullptr);
  EXPECT_EQ(file.tensor("plain")->type, (TensorType{DType::f32, {2, 3}}));
  EXPECT_EQ(file.tensor("blocks")->type, (TensorType{DType::u8, {1, 68}}));
  EXPECT_EQ(file.tensor("blocks")->shape, (Shape{1, 64}));
  EXPECT_EQ(file.read(*file.tensor("blocks")).bytes()[67], std::byte{7});
}

TEST(Gguf, TensorsKeepTheFileThatTheyLieIn) {
  Bytes bytes = header(3, 1, 0);
  bytes.tensor("x", {32}, 8, 0).data(34);
  Tensor view, copy;
  {
    const Gguf file = parsed(bytes.text);
    view = file.read(*file.tensor("x"));
  }
  copy = view;
  std::ranges::fill(copy.bytes(), std::byte{1});
  EXPECT_EQ(std::as_const(view).bytes()[0], std::byte{7});
  EXPECT_EQ(std::as_const(copy).bytes()[33], std::byte{1});
}

TEST(Gguf, FilesOfNothingAreLegal) {
  for (const std::uint32_t version : {2U, 3U}) EXPECT_EQ(refusal(header(version, 0, 0)), "");
  EXPECT_THAT(refusal(header(1, 0, 0)), StartsWith("byte 4: has version 1"));
  EXPECT_THAT(refusal(header(4, 0, 0)), StartsWith("byte 4: has version 4"));
  EXPECT_THAT(refusal(header(0x03000000, 0, 0)), HasSubstr("big-endian"));
}

TEST(Gguf, CountsThatTheFileCannotHoldAreRefused) {
  EXPECT_THAT(refusal(header(3, std::uint64_t{1} << 63, 0)), StartsWith("byte 8: says that there are"));
  EXPECT_THAT(refusal(header(3, 0, std::uint64_t{1} << 40)), StartsWith("byte 16: says that there are"));
  Bytes key = header(3, 0, 1);
  EXPECT_THAT(refusal(key.u64(~std::uint64_t{0}).data(64)), HasSubstr("has 18446744073709551615 bytes"));
  Bytes array = header(3, 0, 1);
  EXPECT_THAT(refusal(array.string("a").u32(9).u32(10).u64(std::uint64_t{1} << 61).data(64)),
              HasSubstr("is an array of 2305843009213693952 elements"));
  Bytes arrays = header(3, 0, 1);
  EXPECT_THAT(refusal(arrays.string("a").u32(9).u32(9).u64(1).data(64)), HasSubstr("is an array of arrays"));
}

/// The refusal of a file with these tensors, and so many bytes of data.
std::string refusal_of(const std::vector<std::vector<std::uint64_t>>& shapes, std::uint32_t type,
                       const std::vector<std::uint64_t>& offsets, std::size_t bytes, std::uint32_t alignment = 0) {
  Bytes file = header(3, shapes.size(), alignment == 0 ? 0 : 1);
  if (alignment != 0) file.string("general.alignment").u32(4).u32(alignment);
  for (std::size_t k = 0; k < shapes.size(); ++k) file.tensor("x" + std::to_string(k), shapes[k], type, offsets[k]);
  return refusal(file.data(bytes, alignment == 0 ? 32 : alignment));
}

TEST(Gguf, TensorsLieWithinTheFileAndApart) {
  constexpr std::uint64_t large = std::uint64_t{1} << 32;
  EXPECT_THAT(refusal_of({{large, large}}, 0, {0}, 64), HasSubstr("tensor 'x0'"));
  EXPECT_THAT(refusal_of({{33}}, 2, {0}, 64), HasSubstr("wants a multiple of 32"));
  EXPECT_THAT(refusal_of({{}}, 2, {0}, 64), HasSubstr("wants a multiple of 32"));
  EXPECT_THAT(refusal_of({{1}}, 0, {8}, 64), HasSubstr("no multiple of the alignment, 32"));
  EXPECT_THAT(refusal_of({{1}, {1}}, 0, {32, 32}, 64), HasSubstr("overlap"));
  EXPECT_THAT(refusal_of({{16}}, 0, {0}, 63), HasSubstr("has 64 bytes at 0 of the 63 bytes of data"));
  EXPECT_THAT(refusal_of({{1}}, 4, {0}, 64), HasSubstr("was withdrawn"));
  EXPECT_THAT(refusal_of({{1}}, 99, {0}, 64), HasSubstr("type 99 is unknown"));
  EXPECT_EQ(refusal_of({{0}, {}}, 0, {0, 0}, 4), "");
  EXPECT_EQ(refusal_of({{2}, {1}}, 0, {64, 8}, 72, 8), "");
  EXPECT_THAT(refusal_of({{2}}, 0, {0}, 72, 24), HasSubstr("wanted a power of two"));
}

TEST(Gguf, NamesAreThereOnceAndAreText) {
  Bytes twice = header(3, 0, 2);
  for (int k = 0; k < 2; ++k) twice.string("a").u32(0).number('\0');
  EXPECT_THAT(refusal(twice), HasSubstr("metadata 'a' is there twice"));
  Bytes empty = header(3, 0, 1);
  EXPECT_THAT(refusal(empty.string("").u32(0).number('\0').data(32)), HasSubstr("wanted 1 to 65535"));
  Bytes broken = header(3, 0, 1);
  EXPECT_THAT(refusal(broken.string("\xff").u32(0).number('\0')), HasSubstr("is no UTF-8"));
  Bytes single = header(3, 0, 1);
  EXPECT_THAT(refusal(single.string("a").u32(8).string("\xff")), HasSubstr("is no UTF-8"));
  Bytes words = header(3, 0, 1);
  words.string("a").u32(9).u32(8).u64(2).string("\xff").string("x");
  EXPECT_EQ(parsed(words.text).metadata()[0].shown(), "[string x 2] ?, x");
  Bytes bell = header(3, 0, 1);
  EXPECT_THAT(refusal(bell.string("\a").u32(0).number('\0')), HasSubstr("control character"));
  Bytes neither = header(3, 0, 1);
  EXPECT_THAT(refusal(neither.string("a").u32(7).number('\2')), HasSubstr("neither 0 nor 1"));
}

TEST(Gguf, EveryTruncationIsAnErrorWithItsByte) {
  const std::string text = whole().text;
  for (std::size_t length = 0; length < text.size(); ++length) {
    Bytes cut;
    cut.text = text.substr(0, length);
    const std::string why = refusal(cut);
    ASSERT_THAT(why, StartsWith(length < 24 ? "has " : "byte ")) << length;
    ASSERT_EQ(why.find('\n'), why.npos) << why;
  }
}

TEST(Gguf, ChangedBytesGiveALegalFileOrAnError) {
  const std::string text = whole().text;
  std::mt19937 random(7);
  std::size_t legal = 0;
  for (int k = 0; k < 4000; ++k) {
    std::string changed = text;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      changed[4 + random() % (changed.size() - 4)] = static_cast<char>(random() % 4 == 0 ? 255 : random() % 10);
    try {
      const Gguf file = parsed(changed);
      for (const auto& value : file.metadata()) EXPECT_EQ(value.shown().find('\n'), std::string::npos);
      for (const auto& tensor : file.tensors()) EXPECT_EQ(file.read(tensor).type(), tensor.type);
      ++legal;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("byte "));
    }
  }
  EXPECT_GT(legal, 0U);
  EXPECT_LT(legal, 4000U);
}

TEST(Gguf, GraphsMayNameItsTensors) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  std::ofstream(folder / "plumb_gguf_test.gguf", std::ios::binary) << whole().text;
  const auto tensors = formats::open_tensors(folder / "plumb_gguf_test.gguf");
  EXPECT_THAT(tensors->names(), ElementsAre("plain", "blocks"));
  const auto file = formats::parse_graph(R"({"format": "plumb.graph/1",
    "params": {"w": {"type": "u8[1, 68]", "file": "plumb_gguf_test.gguf", "key": "blocks"}},
    "nodes": [{"label": "y", "op": "dequantize", "inputs": ["w"], "format": "q8_0"}], "results": ["y"]})",
                                         folder);
  const Feeds feeds = formats::materialise(file, 1);
  EXPECT_EQ(feeds.at("w").type(), (TensorType{DType::u8, {1, 68}}));
  std::filesystem::remove(folder / "plumb_gguf_test.gguf");
}

TEST(Gguf, RotaryAnglesAreThoseOfTheScaling) {
  using formats::gguf::architectures::RopeScaling, formats::gguf::architectures::Rotary;
  using formats::gguf::architectures::rotary_angles;
  const auto near = [](std::vector<double> wanted) {
    return ::testing::Pointwise(::testing::DoubleNear(1e-12), std::move(wanted));
  };
  EXPECT_THAT(rotary_angles({.columns = 4}, {}), near({1, 0.01}));
  EXPECT_THAT(rotary_angles({.columns = 4, .factor = 2}, {}), near({0.5, 0.005}));
  EXPECT_THAT(rotary_angles({.columns = 4}, std::vector<double>{2, 4}), near({0.5, 0.0025}));
  const Rotary yarn{
      .columns = 8, .scaling = RopeScaling::yarn, .factor = 4, .original_context = 64, .extrapolation = 1};
  EXPECT_THAT(rotary_angles(yarn, {}), near({1, 0.0625, 0.0025, 0.00025}));
  EXPECT_NEAR(rotary_magnitude(yarn), 1.1386294361, 1e-9);
  // Pairs up to 20 keep their angles, and those from 46 on have a sixteenth.
  const auto angles = rotary_angles(
      {.columns = 128, .scaling = RopeScaling::yarn, .factor = 16, .original_context = 4096, .extrapolation = 1}, {});
  const auto share = [&](double i) { return angles[static_cast<std::size_t>(i)] / std::pow(10000, -i / 64); };
  EXPECT_DOUBLE_EQ(share(20), 1);
  EXPECT_LT(share(21), 1);
  EXPECT_GT(share(45), 1.0 / 16 + 1e-6);
  EXPECT_DOUBLE_EQ(share(46), 1.0 / 16);
}

}  // namespace
}  // namespace plumb::ir::gguf_test
