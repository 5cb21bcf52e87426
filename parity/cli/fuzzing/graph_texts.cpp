// Reads graph files, and which cases they were.
#include "parity/cli/fuzzing/graph_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "ir/files/read_file.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_graph_bytes = std::uint64_t{1} << 30;

/// The number behind a word; nothing where the word or the number is not there.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == text.npos) return std::nullopt;
  std::uint64_t number = 0;
  const char* const begin = text.data() + at + word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc{} && end != begin ? std::optional(number) : std::nullopt;
}

std::vector<fs::path> files_in(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    ir::require(fs::exists(path), path, ": there is no such file or folder");
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".json") inside.push_back(entry.path());
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace

GraphTexts read_graph_texts(const std::vector<std::string>& paths, const FuzzFlags& flags) {
  GraphTexts read;
  for (const fs::path& path : files_in(paths)) try {
      std::string text = ir::files::read_named_text(path, most_graph_bytes);
      const ir::formats::GraphFile file = ir::formats::read_graph(path);
      GraphText one{.name = path.stem().string(), .text = std::move(text), .judging = {.seed = flags.cases.seed}};
      const auto version = number_behind(file.why, "plumb fuzz, generator ");
      const auto seed = number_behind(file.why, "--seed "), number = number_behind(file.why, "case ");
      if (version && *version != studies::fuzz::generator_version)
        read.notes.push_back(fmt::format("{}: is of version {} of the generator, and this is version {}", path.string(),
                                         *version, studies::fuzz::generator_version));
      else if (version && seed && number)
        one.judging = studies::fuzz::judging_of({.seed = *seed}, *number / studies::fuzz::cases_of_a_block);
      read.graphs.push_back(std::move(one));
    } catch (const ir::Error& error) {
      const std::string_view message = error.what();
      read.refused.emplace_back(message.substr(0, message.find('\n')));
    }
  return read;
}

}  // namespace plumb::parity::cli
