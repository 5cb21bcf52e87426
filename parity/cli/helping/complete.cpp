// Finds out what the word at the cursor is: a command, a flag, or the value of one.
#include "parity/cli/helping/complete.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "ir/error.hpp"
#include "parity/cli/helping/suggestions.hpp"
#include "parity/cli/helping/tree.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

/// A word as the shell would pass it: without its quotes, one of which may still be open.
std::string unquoted(std::string_view typed) {
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < typed.size())
      word += typed[++i];
    else
      word += c;
  }
  return word;
}

/// Words of a line as bash gives them, whole again: it makes a word of its own of =, : and @.
std::vector<std::string> joined_words(const std::vector<std::string>& typed) {
  const auto is_mark = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("=:@") == word.npos;
  };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const bool goes_on = i > 1 && (is_mark(typed[i]) || (is_mark(typed[i - 1]) && !typed[i].empty()));
    if (goes_on)
      words.back() += typed[i];
    else
      words.push_back(typed[i]);
  }
  return words;
}

/// Where the words before the cursor lead.
struct Place {
  const CLI::App* command;
  const CLI::Option* open = nullptr;  ///< a flag whose value is next
  std::size_t given = 0;              ///< words without a flag
  bool has_no_flags = false;          ///< behind "--"
  GivenWords words = {};
};

const CLI::Option* flag_called(const CLI::App& app, std::string_view name) {
  for (const CLI::Option* const flag : flags_of(app))
    for (const std::string& one : names_of_flag(*flag))
      if (one == name) return flag;
  return nullptr;
}

void step(Place& place, const std::string& word) {
  if (place.open != nullptr) {
    if (place.open->check_lname("shape")) place.words.shapes.push_back(word);
    place.open = nullptr;
  } else if (!place.has_no_flags && word == "--") {
    place.has_no_flags = true;
  } else if (!place.has_no_flags && word.starts_with('-')) {
    const std::size_t equals = word.find('=');
    const CLI::Option* const flag = flag_called(*place.command, word.substr(0, equals));
    if (flag == nullptr || !takes_word(*flag)) return;
    place.open = flag;
    if (equals != word.npos) step(place, word.substr(equals + 1));
  } else if (const CLI::App* const inner = place.given == 0 ? inner_command(*place.command, word) : nullptr) {
    place.command = inner;
  } else {
    ++place.given;
    place.words.files.push_back(word);
  }
}

std::vector<Suggestion> flags_begun(const CLI::App& app) {
  std::vector<Suggestion> all;
  for (const CLI::Option* const flag : flags_of(app))
    for (const std::string& name : names_of_flag(*flag)) all.push_back({name, flag->get_description()});
  return all;
}

std::vector<Suggestion> suggestions_at(const Place& place, const std::string& word) {
  if (place.open != nullptr) return values_of(*place.open, word, place.words);
  if (!place.has_no_flags && word.starts_with('-')) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return flags_begun(*place.command);
    const CLI::Option* const flag = flag_called(*place.command, word.substr(0, equals));
    if (flag == nullptr) return {};
    std::vector<Suggestion> all = values_of(*flag, word.substr(equals + 1), place.words);
    for (Suggestion& one : all) one.word.insert(0, word, 0, equals + 1);
    return all;
  }
  std::vector<Suggestion> all;
  if (place.given == 0)
    for (const CLI::App* const inner : inner_commands(*place.command))
      all.push_back({inner->get_name(), inner->get_description()});
  const auto positionals = positionals_of(*place.command);
  if (!all.empty() || positionals.empty()) return all;
  return values_of(*positionals[std::min(place.given, positionals.size() - 1)], word, place.words);
}

}  // namespace

void complete(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::size_t index = 0;
  const std::string first = arguments.empty() ? "" : arguments[0];
  const auto [end, problem] = std::from_chars(first.data(), first.data() + first.size(), index);
  const bool is_number = !first.empty() && problem == std::errc() && *end == '\0';
  ir::require(is_number && index > 0 && arguments.size() > 1 && arguments[1] == "--",
              "plumb __complete wants INDEX -- WORDS, the index being 1 or more");
  std::vector<std::string> typed(arguments.begin() + 2, arguments.end());
  typed.resize(std::min(index, typed.size() + 1) + 1);  // an empty word, where the cursor is behind the last
  const std::vector<std::string> words = joined_words(typed);
  Place place{.command = &app};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) step(place, unquoted(words[i]));
  const std::string word = unquoted(words.back());
  for (const Suggestion& one : suggestions_at(place, word)) {
    if (!one.word.starts_with(word) || one.word.find_first_of("\n\t") != one.word.npos) continue;
    std::string meaning = one.meaning.substr(0, one.meaning.find('\n'));
    std::cout << core::terminal::printable(one.word + '\t' + meaning) << '\n';
  }
  std::cout.flush();
  std::_Exit(0);  // a search that took too long goes on in its thread, and nobody waits for it
}

}  // namespace plumb::parity::cli
