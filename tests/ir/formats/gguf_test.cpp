#include "ir/formats/gguf/gguf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <utility>

#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "ir/formats/gguf/architectures/rotary.hpp"
#include "ir/formats/tensor_files.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::gguf_test {
namespace {

using formats::gguf::Gguf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Bytes of a file, piece by piece.
struct Bytes {
  std::string text;

  template <class T>
  Bytes& number(T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Bytes& u32(std::uint32_t value) { return number(value); }
  Bytes& u64(std::uint64_t value) { return number(value); }
  Bytes& string(std::string_view value) {
    u64(value.size());
    text += value;
    return *this;
  }
  Bytes& tensor(std::string_view name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                std::uint64_t offset) {
    string(name).u32(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) u64(extent);
    return u32(type).u64(offset);
  }
  Bytes& data(std::size_t bytes, std::size_t alignment = 32) {
    text.append((alignment - text.size() % alignment) % alignment + bytes, '\7');
    return *this;
  }
};

Bytes header(std::uint32_t version, std::uint64_t tensors, std::uint64_t values) {
  Bytes bytes;
  bytes.text = "GGUF";
  return bytes.u32(version).u64(tensors).u64(values);
}

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

/// The error that a template gives for a file.
std::string refusal_of_model(const Bytes& bytes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_gguf_model.gguf";
  std::ofstream(path, std::ios::binary) << bytes.text;
  std::string why = tests::message_of([&] { formats::gguf::architectures::read_gguf(path); });
  std::filesystem::remove(path);
  return why;
}

TEST(Gguf, OneErrorListsAllThatATemplateMisses) {
  Bytes bytes = header(3, 2, 4);
  bytes.string("general.architecture").u32(8).string("llama");
  bytes.string("llama.block_count").u32(4).u32(0);
  bytes.string("llama.embedding_length").u32(4).u32(8);
  bytes.string("llama.context_length").u32(6).number(4.0F);
  bytes.tensor("token_embd.weight", {4, 2}, 0, 0).tensor("other", {1}, 0, 32).data(64);
  const std::string why = refusal_of_model(bytes);
  EXPECT_THAT(why, HasSubstr("metadata 'llama.block_count' is u32 0, wanted a whole number from 1 to 1024"));
  EXPECT_THAT(why, HasSubstr("metadata 'llama.context_length' is f32 4, wanted a whole number"));
  EXPECT_THAT(why, HasSubstr("metadata 'llama.attention.head_count' is missing"));
  EXPECT_THAT(why, HasSubstr("tensor 'token_embd.weight' is [2, 4], the metadata imply [2, 8]"));
  EXPECT_THAT(why, HasSubstr("tensor 'output_norm.weight' [8] is missing"));
  EXPECT_THAT(why, HasSubstr("tensor 'other' [1] is none of this architecture"));
}

/// Metadata of a model of two blocks and one tensor, and one value more or `added`, which `add` appends.
std::string refusal_of(const std::string& architecture, const std::function<void(Bytes&)>& add,
                       std::uint64_t added = 1) {
  Bytes bytes = header(3, 1, 6 + added);
  bytes.string("general.architecture").u32(8).string(architecture);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::uint32_t>>{{"block_count", 2},
                                                                                     {"embedding_length", 8},
                                                                                     {"context_length", 16},
                                                                                     {"feed_forward_length", 8},
                                                                                     {"attention.head_count", 2}})
    bytes.string(architecture + '.' + key).u32(4).u32(value);
  add(bytes);
  bytes.tensor("output.weight", {8, 4}, 0, 0).data(128);
  return refusal_of_model(bytes);
}

TEST(Gguf, WhatATemplateHasNotIsNamed) {
  const auto bools = [](const std::string& key, std::uint64_t count) {
    return [key, count](Bytes& bytes) {
      bytes.string(key).u32(9).u32(7).u64(count);
      for (std::uint64_t k = 0; k < count; ++k) bytes.number('\1');
    };
  };
  const auto whole = [](const std::string& key, std::uint32_t value) {
    return [key, value](Bytes& bytes) { bytes.string(key).u32(4).u32(value); };
  };
  const std::string pattern = "gemma2.attention.sliding_window_pattern";
  const std::string gemma = refusal_of("gemma2", bools(pattern, 3));
  EXPECT_THAT(gemma, HasSubstr("metadata '" + pattern +
                               "' is [bool x 3] true, true, true, wanted a whole number, or "
                               "an array of 2 bools, one a block"));
  EXPECT_THAT(gemma, HasSubstr("tensor 'blk.1.post_ffw_norm.weight' [8] is missing"));
  EXPECT_THAT(gemma, HasSubstr("tensor 'output.weight' [4, 8] is none of this architecture"));
  const std::string phi = refusal_of("phi3", whole("phi3.expert_count", 8));
  EXPECT_THAT(phi, HasSubstr("phi3.expert_count is 8, wanted 0"));
  EXPECT_THAT(phi, HasSubstr("tensor 'blk.0.attn_qkv.weight' [24, 8] is missing"));
  const std::string bert =
      refusal_of("bert", [](Bytes& bytes) { bytes.string("bert.attention.causal").u32(7).number('\1'); });
  EXPECT_THAT(bert, HasSubstr("bert.attention.causal is true, wanted false"));
  EXPECT_THAT(bert, HasSubstr("tensor 'position_embd.weight' [16, 8] is missing"));
  const std::string gpt = refusal_of("gpt-oss", whole("gpt-oss.expert_count", 4));
  EXPECT_THAT(gpt, HasSubstr("metadata 'gpt-oss.attention.sliding_window' is missing"));
  EXPECT_THAT(gpt, HasSubstr("metadata 'gpt-oss.expert_feed_forward_length' is missing"));
  EXPECT_THAT(gpt, HasSubstr("tensor 'blk.0.attn_sinks.weight' [2] is missing"));
  EXPECT_THAT(gpt, HasSubstr("tensor 'blk.0.ffn_gate_exps.bias' [4, 1] is missing"));
}

TEST(Gguf, LatentAttentionAndGroupsOfExpertsAreChecked) {
  const auto with = [](const std::vector<std::pair<std::string, std::uint32_t>>& values) {
    const auto add = [&](Bytes& bytes) {
      for (const auto& [key, value] : values) bytes.string("deepseek2." + key).u32(4).u32(value);
    };
    return refusal_of("deepseek2", add, values.size());
  };
  const std::string none = with({{"expert_count", 0}});
  EXPECT_THAT(none, HasSubstr("metadata 'deepseek2.attention.kv_lora_rank' is missing"));
  EXPECT_THAT(none, HasSubstr("metadata 'deepseek2.leading_dense_block_count' is missing"));
  EXPECT_THAT(none, HasSubstr("deepseek2.rope.dimension_count is missing"));
  EXPECT_THAT(none, HasSubstr("deepseek2.expert_count is missing or 0, and block 0 has experts"));
  const std::string some = with({{"attention.kv_lora_rank", 6},
                                 {"attention.key_length", 7},
                                 {"attention.value_length", 6},
                                 {"attention.key_length_mla", 4},
                                 {"attention.value_length_mla", 3},
                                 {"rope.dimension_count", 2},
                                 {"expert_count", 6},
                                 {"expert_used_count", 2},
                                 {"expert_feed_forward_length", 5},
                                 {"expert_shared_count", 2},
                                 {"expert_group_count", 4},
                                 {"expert_gating_func", 3},
                                 {"leading_dense_block_count", 1}});
  EXPECT_THAT(some, HasSubstr("deepseek2.attention.key_length is 7, wanted 8, as the ranks have it"));
  EXPECT_THAT(some, HasSubstr("'deepseek2.expert_gating_func' is u32 3, wanted a whole number from 0 to 2"));
  EXPECT_THAT(some, HasSubstr("deepseek2.expert_group_count is 4, wanted a divisor of the 6 experts"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.attn_q.weight' [8, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.attn_kv_a_mqa.weight' [8, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.attn_k_b.weight' [2, 6, 2] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.attn_v_b.weight' [2, 3, 6] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.ffn_gate.weight' [8, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.ffn_up_exps.weight' [6, 5, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.ffn_down_shexp.weight' [8, 10] is missing"));
  const std::string others = with({{"attention.kv_lora_rank", 6},
                                   {"rope.dimension_count", 4},
                                   {"attention.temperature_scale", 0},
                                   {"expert_count", 4},
                                   {"expert_used_count", 3},
                                   {"expert_group_count", 2},
                                   {"expert_group_used_count", 1},
                                   {"leading_dense_block_count", 3}});
  EXPECT_THAT(others, HasSubstr("deepseek2.rope.dimension_count is 4, and heads have 4 columns, not all of them"));
  EXPECT_THAT(others, HasSubstr("deepseek2.attention.temperature_scale' is u32 0, wanted a finite float"));
  EXPECT_THAT(others, HasSubstr("deepseek2.expert_used_count is 3, and 1 groups of 2 experts have fewer"));
  EXPECT_THAT(others, HasSubstr("deepseek2.leading_dense_block_count' is u32 3, wanted a whole number from 0 to 2"));
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
