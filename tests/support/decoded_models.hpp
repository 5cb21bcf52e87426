// Steps of language models whose caches stay in an executor's memory, held against those by way of the host.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

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

/// A model's prompt, judged by its logits' bits: what other runs left in memory must not be in them.
class PromptRuns {
 public:
  PromptRuns(ir::Executor& executor, const std::string& model)
      : executor_(executor),
        file_(ir::formats::gguf::architectures::read_gguf(
                  tests::source_dir() / "tests/fuzz/gguf" / (model + ".gguf"),
                  {.prompt_tokens = 3, .context = 6, .batch = 2, .has_all_logits = true})
                  .file),
        feeds_(ir::formats::materialise(file_, 1)),
        others_(ir::formats::materialise(file_, 2)),
        compiled_(executor.compile(file_.graph, feeds_, {file_.graph.results()})),
        wanted_(compiled_->run(feeds_).at(logits())) {}

  /// Its bits do not change after another prompt.
  void expect_repeats() {
    EXPECT_FALSE(tests::same_bytes(compiled_->run(others_).at(logits()), wanted_)) << "both prompts have one result";
    EXPECT_TRUE(tests::same_bytes(compiled_->run(feeds_).at(logits()), wanted_));
  }
  /// Rows behind the prompt hold numbers, or what another prompt wrote there.
  void expect_no_dirt() {
    const ir::Tensors of_other = compiled_->run(others_);
    for (const std::string& name : file_.graph.inputs()) {
      if (!name.starts_with("cache_")) continue;
      for (const float dirt : {std::numeric_limits<float>::quiet_NaN(), 0x1p100F}) {
        ir::Tensor cache(feeds_.at(name).type());
        std::ranges::fill(cache.as<float>(), dirt);
        expect_same_over(name, cache);
      }
      expect_same_over(name, of_other.at(file_.graph.find(name + ".next").value()));
    }
  }
  /// The last token is padding, which those before it do not see.
  void expect_no_padding() {
    ir::Feeds padded = feeds_;
    const auto ids = padded.at("tokens").as<std::int32_t>(), own = others_.at("tokens").as<std::int32_t>();
    for (const std::size_t last : {2, 5}) ids[last] = ids[last] == own[last] ? (own[last] + 1) % 8 : own[last];
    const ir::Tensor given = compiled_->run(padded).at(logits());
    const std::size_t row = wanted_.bytes().size() / 6;
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_EQ(k % 3 == 2,
                !std::ranges::equal(given.bytes().subspan(k * row, row), wanted_.bytes().subspan(k * row, row)))
          << "row " << k;
  }

 private:
  ir::Value logits() const { return file_.graph.results().front(); }
  void expect_same_over(const std::string& name, const ir::Tensor& cache) {
    ir::Feeds dirty = feeds_;
    dirty.insert_or_assign(name, cache);
    EXPECT_TRUE(tests::same_bytes(compiled_->run(dirty).at(logits()), wanted_)) << name;
    const auto context = compiled_->context();
    const ir::Value input = file_.graph.find(name).value();
    ir::Buffer buffer = executor_.allocate(cache.type());
    buffer.write(cache);
    context->feed(file_.graph.find(name + ".next").value(), input);
    context->bind(input, buffer);
    ir::Feeds rest = feeds_;
    for (const std::string& param : file_.graph.params()) rest.erase(param);
    rest.erase(name);
    context->submit(rest).get();
    ir::Tensor given(wanted_.type());
    context->buffer(logits()).read(given.view());
    EXPECT_TRUE(tests::same_bytes(given, wanted_)) << name << " in the executor's memory";
  }

  ir::Executor& executor_;
  ir::formats::GraphFile file_;
  ir::Feeds feeds_, others_;
  std::unique_ptr<ir::Executable> compiled_;
  ir::Tensor wanted_;
};

inline void expect_prompts_stand_alone(ir::Executor& executor, const std::vector<std::string>& models) {
  for (const std::string& model : models) {
    SCOPED_TRACE(model);
    PromptRuns runs(executor, model);
    runs.expect_repeats();
    runs.expect_no_dirt();
    runs.expect_no_padding();
  }
}

}  // namespace plumb::testing
