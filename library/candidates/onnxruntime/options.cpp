// Reads the options and refuses what is none.
#include "library/candidates/onnxruntime/options.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "ir/error.hpp"

namespace plumb::library::candidates::onnxruntime {
namespace {

using Words = std::vector<std::string_view>;

/// Letters to exchange, leave out or put in until one word is the other.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({exchanged, before + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// All words that there are, the nearest one by name.
std::string instead_of(std::string_view found, const Words& words) {
  constexpr std::size_t longest = 64;
  const std::string_view start = found.substr(0, longest);
  const auto nearest = std::ranges::min_element(words, {}, [&](std::string_view word) { return edits(start, word); });
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return ir::cat("; the nearest is '", *nearest, "' of ", all);
}

int level_of(std::string_view name) {
  const std::vector<std::pair<std::string_view, int>> levels = {{"all", 99}, {"extended", 2}, {"basic", 1}, {"off", 0}};
  const auto found = std::ranges::find(levels, name, &std::pair<std::string_view, int>::first);
  ir::require(found != levels.end(), "onnxruntime: there is no opt=", name,
              instead_of(name, {"all", "extended", "basic", "off"}));
  return found->second;
}

int threads_of(std::string_view text) {
  int threads = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), threads);
  ir::require(problem == std::errc() && end == text.data() + text.size() && threads >= 1 && threads <= 1024,
              "onnxruntime: threads=", text, ": it is a whole number from 1 to 1024");
  return threads;
}

}  // namespace

Options options_of(std::string_view text) {
  const Words keys = {"opt", "threads", "provider"};
  std::set<std::string_view> seen;
  Options options;
  const std::size_t end = std::min(text.find(','), text.size());
  options.library = text.substr(0, end);
  ir::require(!options.library.empty(), "onnxruntime: no library is named, as in onnxruntime:./libonnxruntime.so.1");
  text.remove_prefix(end);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view option = text.substr(0, text.find(','));
    text.remove_prefix(option.size());
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string_view key = option.substr(0, equals);
    ir::require(std::ranges::find(keys, key) != keys.end(), "onnxruntime: there is no option '", key, "'",
                instead_of(key, keys));
    ir::require(equals < option.size(), "onnxruntime: option '", key, "' has no value, as in ", key, "=...");
    ir::require(seen.insert(key).second, "onnxruntime: option '", key, "' is there twice");
    const std::string_view value = option.substr(equals + 1);
    if (key == "opt")
      options.level = level_of(value);
    else if (key == "threads")
      options.threads = threads_of(value);
    else
      ir::require(value == "cpu", "onnxruntime: there is no provider=", value, "; the nearest is 'cpu', the only one");
  }
  return options;
}

}  // namespace plumb::library::candidates::onnxruntime
