#pragma once

// Language models from GGUF files, as graphs (ops.md J.3, ops.md J.4).

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "ir/ops/sample.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Some of a model's blocks: `from` up to, without, `to`.
struct BlockRange {
  std::int64_t from = 0, to = 0;
};

/// How a graph is made of a model.
struct Options {
  std::int64_t prompt_tokens = 16;           ///< s: tokens a run of each prompt
  std::optional<std::int64_t> steps = {};    ///< M: runs of one token each behind the prompt
  ops::Sample draw = {.temperature = 0};     ///< how the next token is drawn, where there are steps
  std::optional<std::int64_t> context = {};  ///< C: rows of a cache; by default s and M, or s and `room`
  std::int64_t batch = 1;                    ///< B: prompts
  std::optional<BlockRange> blocks = {};     ///< by default all
  bool has_all_logits = false;               ///< logits of every token; else of the last alone
  std::vector<std::int64_t> tokens = {};     ///< ids of all prompts, [B, s]; by default the fill makes them

  static constexpr std::int64_t room = 4;
  std::int64_t rows() const { return context.value_or(prompt_tokens + steps.value_or(room)); }  ///< rows of a cache
};

/// A model as a graph: inputs tokens i32 [B, s], write_at i32 [B] (0 unless it is fed) and caches cache_k.i, cache_v.i
/// f32 [B, Hk, C, D]; results logits f32 [B, 1 or s, V] and the caches with rows write_at to write_at + s − 1 written,
/// cache_k.i.next and cache_v.i.next. Latent attention has caches k alone, [B, 1, C, r + n], whose first r columns are
/// the values. Blocks of linear attention have state.i f32 [B, Hv, dk, dk] and conv.i f32 [B, channels, taps − 1]
/// instead, 0 unless they are fed, and blocks that read another's caches none. An encoder has inputs tokens and lengths
/// i32 [B] (s unless it is fed: tokens behind are padding), and one result, hidden f32 [B, s, d]. Params are tensors of
/// the file, by their names there.
///
/// Where there are steps, graphs end in tokens.next i32 [B, 1], drawn from the logits of the last token; unless the
/// temperature is 0 an input draw u32 [] (0 unless it is fed) says which draw of the seed's it is.
struct Model {
  GraphFile file;
  std::optional<GraphFile> step = {};  ///< where there are steps: the same for s = 1, with write_at behind the prompt
  std::vector<std::string> notes;      ///< for the user
};

/// Reads a model from its file, or the first of its parts. Throws Unsupported for an architecture without a template
/// and formats that no op reads, and one Error with everything else that is wrong, a line each, all with the file's
/// name.
Model read_gguf(const std::filesystem::path& path, const Options& options = {});

/// The architectures that have a template: "llama, qwen2".
std::string names_of_architectures();

}  // namespace plumb::ir::formats::gguf::architectures
