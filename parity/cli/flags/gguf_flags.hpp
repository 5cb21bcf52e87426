#pragma once

// The flags that say how a graph is made of a language model in a GGUF file.

#include <filesystem>
#include <string>

#include "ir/formats/gguf/architectures/read_gguf.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

struct GgufFlags {
  ir::formats::gguf::architectures::Options options;  ///< those that need no reading
  std::int64_t prompt_tokens = 0, context = 0;        ///< 0: not given
  std::string tokens, blocks, logits;                 ///< as they are given
  std::int64_t decode = 0;                            ///< steps behind the prompt; 0: none
  bool is_of_step = false;                            ///< the graph of a step is read, not the prompt's
};

void add_gguf_flags(CLI::App& app, GgufFlags& flags);

/// --decode, and how it draws tokens; for commands that go on behind the prompt. The seed is the run's.
void add_decode_flags(CLI::App& app, GgufFlags& flags);

/// Throws Error, naming the file, where one of the flags is given for what is no GGUF file.
void require_no_gguf_flags(const std::filesystem::path& path, const GgufFlags& flags);

/// A model by these flags; remarks of its reader go to stderr. Throws Error as the reader does, and for flags that are
/// not as they must be.
ir::formats::GraphFile read_gguf_model(const std::filesystem::path& path, const GgufFlags& flags);

/// Those flags as a shell takes them again.
std::string repeated(const GgufFlags& flags);

}  // namespace plumb::parity::cli::flags
