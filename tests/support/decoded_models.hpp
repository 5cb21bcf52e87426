// Steps of language models whose caches stay in an executor's memory, held against those by way of the host.
#pragma once

#include <gmock/gmock.h>

#include "ir/decoding.hpp"
#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/paths.hpp"

namespace plumb::testing {

inline void expect_same_decoding(const ir::Decoded& one, const ir::Decoded& other) {
  EXPECT_TRUE(tests::same_bytes(one.prompt_logits, other.prompt_logits));
  ASSERT_EQ(one.logits.size(), other.logits.size());
  for (std::size_t step = 0; step < one.logits.size(); ++step)
    ASSERT_TRUE(tests::same_bytes(one.logits[step], other.logits[step])) << "step " << step + 1;
  ASSERT_EQ(one.tokens.size(), other.tokens.size());
  for (std::size_t run = 0; run < one.tokens.size(); ++run)
    EXPECT_TRUE(tests::same_bytes(one.tokens[run], other.tokens[run])) << "run " << run;
  ASSERT_EQ(one.caches.size(), other.caches.size());
  for (const auto& [name, cache] : one.caches) EXPECT_TRUE(tests::same_bytes(cache, other.caches.at(name))) << name;
}

/// Decodes some of the models that are kept for fuzzing, of which the first draws and goes on longest.
inline void expect_models_decode_in_place(ir::Executor& executor, const std::vector<std::string>& models) {
  std::int64_t steps = 64;
  for (const std::string& model : models) {
    SCOPED_TRACE(model);
    ir::formats::gguf::architectures::Options options{.prompt_tokens = 3, .steps = steps, .batch = 2};
    if (steps > 3) options.draw = {.temperature = 0.7, .top_k = 20, .top_p = 0.9, .seed = 5};
    const auto path = tests::source_dir() / "tests/fuzz/gguf" / (model + ".gguf");
    const auto read = ir::formats::gguf::architectures::read_gguf(path, options);
    const ir::Feeds feeds = ir::formats::materialise(read.file, 1);
    const ir::DecoderGraphs graphs{read.file.graph, read.step->graph};
    const ir::Decoded resident = ir::decode(executor, graphs, feeds, steps);
    expect_same_decoding(resident, ir::decode_by_host(executor, graphs, feeds, steps));
    for (const auto& [name, cache] : resident.caches)
      EXPECT_EQ(resident.how.at(name), name.starts_with("cache_") ? "in place" : "swap") << name;
    EXPECT_GT(resident.caches.size(), 0U);
    EXPECT_EQ(resident.how.count("tokens"), 1U);
    const std::uint64_t ids = resident.tokens.front().bytes().size(), draw = feeds.contains("draw") ? 4 : 0;
    EXPECT_EQ(resident.traffic.up, feeds.at("write_at").bytes().size() + draw);
    EXPECT_EQ(resident.traffic.down, resident.logits.front().bytes().size() + ids);
    steps = 3;
  }
}

}  // namespace plumb::testing
