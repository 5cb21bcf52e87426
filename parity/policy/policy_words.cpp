// The words that rules may match, as far as there are lists of them.
#include "parity/policy/policy_words.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/dtype.hpp"
#include "ir/op_list.hpp"
#include "ir/raw/glob.hpp"
#include "ir/registered_op.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/exactness.hpp"
#include "parity/policy/policy_value.hpp"

namespace plumb::parity::policy {
namespace {

using Words = std::vector<std::string>;

Words ops() {
  Words words;
  for (const ir::OpSchema* const schema : ir::known_schemas()) words.emplace_back(schema->name);
  return words;
}

Words dtypes() {
  Words words;
  for (std::size_t d = 0; d < ir::dtype_count; ++d) words.emplace_back(ir::info(static_cast<ir::DType>(d)).name);
  return words;
}

template <class E>
Words names_of() {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

/// How other programs call a dtype, as this one does: float16 is f16.
std::string short_dtype(std::string word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> known = {{{"bfloat", "bf"},
                                                                                   {"float", "f"},
                                                                                   {"uint", "u"},
                                                                                   {"int", "i"},
                                                                                   {"complex", "c"},
                                                                                   {"half", "f16"},
                                                                                   {"single", "f32"},
                                                                                   {"double", "f64"},
                                                                                   {"boolean", "bool"}}};
  for (const auto& [other, ours] : known)
    if (word.starts_with(other)) return word.replace(0, other.size(), ours);
  return word;
}

/// The words of a key, and what one of them is.
std::pair<Words, std::string_view> words_of(std::string_view key) {
  if (key == "op") return {ops(), "op"};
  if (key == "in" || key == "dtype" || key == "accumulation" || key == "acc") return {dtypes(), "dtype"};
  if (key == "fill") return {names_of<core::FillKind>(), "fill"};
  if (key == "exact") return {names_of<core::Exactness>(), "exactness"};
  return {};
}

/// The word that was probably meant or, where none is close, what there is.
std::string meant_by(std::string_view pattern, const Words& words, std::string_view what) {
  std::string word(pattern);
  std::erase_if(word, [](char c) { return c == '*' || c == '?'; });
  if (what == "dtype") word = short_dtype(word);
  if (std::ranges::find(words, word) != words.end()) return "; did you mean " + word + "?";
  if (std::string meant = core::did_you_mean(word, words); !meant.empty()) return meant;
  if (what == "op") return "; `plumb ops` lists them";
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "; there is " : ", ") + one;
  return all;
}

}  // namespace

void require_word(std::string_view key, std::string_view pattern) {
  const auto [words, what] = words_of(key);
  const auto matches = [&pattern](const std::string& word) { return ir::raw::glob_matches(pattern, word); };
  if (words.empty() || std::ranges::any_of(words, matches)) return;
  ir::fail("no ", what, " is called '", pattern, "'", meant_by(pattern, words, what));
}

}  // namespace plumb::parity::policy
