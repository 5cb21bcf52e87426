// Files that are not as their architectures are: the errors of templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <utility>

#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "tests/support/gguf_bytes.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::gguf_templates_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Bytes = tests::GgufBytes;
constexpr auto header = tests::gguf_header;

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

TEST(Gguf, LinearAttentionIsChecked) {
  const auto with = [](const std::vector<std::pair<std::string, std::uint32_t>>& values) {
    const auto add = [&](Bytes& bytes) {
      for (const auto& [key, value] : values) bytes.string("qwen35." + key).u32(4).u32(value);
    };
    return refusal_of("qwen35", add, values.size());
  };
  const std::string none = with({{"nextn_predict_layers", 2}, {"expert_count", 2}});
  for (const char* const key : {"state_size", "group_count", "time_step_rank", "conv_kernel"})
    EXPECT_THAT(none, HasSubstr(cat("metadata 'qwen35.ssm.", key, "' is missing")));
  EXPECT_THAT(none, HasSubstr("'qwen35.nextn_predict_layers' is u32 2, wanted a whole number from 0 to 1"));
  EXPECT_THAT(none, HasSubstr("qwen35.expert_count is 2, wanted 0"));
  const std::string some = with({{"full_attention_interval", 2},
                                 {"ssm.state_size", 4},
                                 {"ssm.group_count", 2},
                                 {"ssm.time_step_rank", 3},
                                 {"ssm.inner_size", 16},
                                 {"ssm.conv_kernel", 1},
                                 {"attention.key_length", 6},
                                 {"attention.value_length", 6}});
  EXPECT_THAT(some, HasSubstr("qwen35.ssm.group_count is 2, which does not divide the 3 heads of values"));
  EXPECT_THAT(some, HasSubstr("qwen35.ssm.inner_size is 16, wanted 12, as ssm.time_step_rank"));
  EXPECT_THAT(some, HasSubstr("'qwen35.ssm.conv_kernel' is u32 1, wanted a whole number from 2 to 64"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.attn_qkv.weight' [28, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.ssm_conv1d.weight' [28, 2] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.ssm_a' [3] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.ssm_dt.bias' [3] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.0.ssm_out.weight' [8, 12] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.attn_q.weight' [24, 8] is missing"));
  EXPECT_THAT(some, HasSubstr("tensor 'blk.1.attn_q_norm.weight' [6] is missing"));
  EXPECT_THAT(some, Not(HasSubstr("blk.1.ssm")));
}

TEST(Gguf, CachesThatBlocksShareAndVectorsPerLayerAreChecked) {
  const auto with = [](bool first, bool second, std::uint32_t shared) {
    const auto add = [&](Bytes& bytes) {
      bytes.string("gemma4.attention.sliding_window_pattern").u32(9).u32(7).u64(2).number(static_cast<char>(first));
      bytes.number(static_cast<char>(second));
      for (const auto& [key, value] :
           std::vector<std::pair<std::string, std::uint32_t>>{{"attention.sliding_window", 3},
                                                              {"attention.key_length", 4},
                                                              {"attention.value_length", 3},
                                                              {"attention.key_length_swa", 2},
                                                              {"embedding_length_per_layer_input", 5},
                                                              {"expert_count", 4},
                                                              {"attention.shared_kv_layers", shared}})
        bytes.string("gemma4." + key).u32(4).u32(value);
    };
    return refusal_of("gemma4", add, 8);
  };
  const std::string unlike = with(true, false, 1);
  EXPECT_THAT(unlike,
              HasSubstr("gemma4.attention.shared_kv_layers is 1, and no block before these has none, as block"));
  EXPECT_THAT(unlike, HasSubstr("gemma4.attention.value_length is 3, wanted 4, as that of keys"));
  EXPECT_THAT(unlike, HasSubstr("metadata 'gemma4.expert_used_count' is missing"));
  const std::string alike = with(true, true, 1);
  EXPECT_THAT(alike, HasSubstr("tensor 'blk.0.attn_k.weight' [4, 8] is missing"));
  EXPECT_THAT(alike, Not(HasSubstr("blk.1.attn_k")));
  EXPECT_THAT(alike, Not(HasSubstr("rope_freqs")));
  EXPECT_THAT(with(true, false, 0), HasSubstr("tensor 'rope_freqs.weight' [2] is missing"));
  EXPECT_THAT(alike, HasSubstr("tensor 'per_layer_token_embd.weight' [1, 10] is missing"));
  EXPECT_THAT(alike, HasSubstr("tensor 'per_layer_model_proj.weight' [10, 8] is missing"));
  EXPECT_THAT(alike, HasSubstr("tensor 'blk.0.inp_gate.weight' [5, 8] is missing"));
  EXPECT_THAT(alike, HasSubstr("tensor 'blk.0.post_ffw_norm_2.weight' [8] is missing"));
  EXPECT_THAT(alike, HasSubstr("tensor 'blk.0.ffn_gate_inp.scale' [8] is missing"));
}

}  // namespace
}  // namespace plumb::ir::gguf_templates_test
