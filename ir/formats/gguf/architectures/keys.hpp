#pragma once

// Metadata as a template asks for it: each key with its range and what it is where the file does not say.

#include <optional>
#include <string>
#include <vector>

#include "ir/formats/findings.hpp"
#include "ir/formats/gguf/gguf.hpp"

namespace plumb::ir::formats::gguf::architectures {

inline constexpr std::int64_t most_blocks = 1024;
inline constexpr std::int64_t most_extent = std::int64_t{1} << 24;  ///< heads, widths and the like

/// The least and the largest number that a key may have.
struct Within {
  std::int64_t low = 1, high = most_extent;
};

/// The keys of one architecture: "block_count" is "llama.block_count". What is missing or out of range is noted, with
/// its byte, and something legal returned in its place, so that one error lists all.
class Keys {
 public:
  Keys(const Gguf& file, std::string architecture, Findings& findings)
      : file_(file), architecture_(std::move(architecture)), findings_(findings) {}

  /// A key as the file has it.
  std::string name_of(std::string_view key) const { return architecture_ + '.' + std::string(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// A whole number; `usual` where the file has none, and where that is missing too the key must be there.
  std::int64_t whole(std::string_view key, Within within, std::optional<std::int64_t> usual = {});

  /// One number for all blocks, or an array of one a block.
  std::vector<std::int64_t> by_block(std::string_view key, std::int64_t blocks, Within within,
                                     std::optional<std::vector<std::int64_t>> usual = {});

  /// An array of so many whole numbers; empty where the file has none.
  std::vector<std::int64_t> array(std::string_view key, std::size_t count, Within within);

  /// The blocks that a pattern names: one bool a block, or a period p, of which block i is where i mod p < p - 1.
  std::vector<bool> pattern(std::string_view key, std::int64_t blocks, std::int64_t usual_period);

  /// A finite number of at least 0, or above 0.
  double at_least_0(std::string_view key, std::optional<double> usual = {});
  double above_0(std::string_view key, std::optional<double> usual = {});

  std::string text(std::string_view key, std::string_view usual);
  bool truth(std::string_view key, bool usual);

  /// Notes that something is wrong with a combination of keys.
  void note(std::string_view key, const std::string& what) { findings_.note(name_of(key) + ' ' + what); }

 private:
  const Metadata* find(std::string_view key) const { return file_.find(name_of(key)); }
  void note_missing(std::string_view key) { findings_.note("metadata '" + name_of(key) + "' is missing"); }
  std::string place(std::string_view key, const Metadata& found) const;
  bool is_in(std::string_view key, const Metadata& found, std::optional<std::int64_t> number, Within within);
  std::vector<std::int64_t> elements(std::string_view key, const Metadata& found, std::size_t count, Within within,
                                     const std::string& what);
  double real(std::string_view key, std::optional<double> usual, bool is_0_legal);

  const Gguf& file_;
  std::string architecture_;
  Findings& findings_;
};

}  // namespace plumb::ir::formats::gguf::architectures
