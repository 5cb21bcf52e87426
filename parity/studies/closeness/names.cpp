// Renames tensors as sed would, and pairs them.
#include "parity/studies/closeness/names.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "ir/error.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::studies::closeness {
namespace {

/// Takes the part up to the next delimiter that no backslash is before, and the delimiter itself. A delimiter that has
/// one is itself.
std::string part_of(std::string_view& rest, char delimiter, std::string_view all, std::string_view option) {
  std::string part;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == delimiter) {
      rest.remove_prefix(i + 1);
      return part;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) {
      if (rest[i + 1] != delimiter) part += rest[i];
      ++i;
    }
    part += rest[i];
  }
  ir::fail(option, " is s/RE/TEXT/ as sed has it, got '", all, "'");
}

/// The text as RE2 writes it: an & becomes \0, and \& an &.
std::string as_rewrite(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      made += "\\0";
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      if (text[i + 1] != '&') made += '\\';
      made += text[++i];
    } else {
      made += text[i];
    }
  }
  return made;
}

/// Names in a file by those that they have once they are renamed.
using ByName = std::map<std::string, std::string, std::less<>>;

ByName renamed(const std::vector<std::string>& names, const std::set<std::string>& taken,
               const std::vector<Renaming>& renamings) {
  ByName made;
  for (const std::string& name : names) {
    if (taken.contains(name)) continue;
    std::string called = name;
    for (const Renaming& one : renamings) called = one(called);
    const auto [held, is_new] = made.emplace(called, name);
    ir::require(is_new, "--map calls both '", held->second, "' and '", name, "' '", called, "'");
  }
  return made;
}

void require_name(const std::vector<std::string>& names, const std::string& name, const char* side) {
  ir::require(std::ranges::find(names, name) != names.end(), "--names: ", side, " has no tensor '", name, "'",
              core::did_you_mean(name, names));
}

}  // namespace

Renaming::Renaming(std::string_view text, std::string_view option) {
  const bool begins = text.size() > 3 && text[0] == 's' && text[1] != '\\';
  ir::require(begins, option, " is s/RE/TEXT/ as sed has it, got '", text, "'");
  const char delimiter = text[1];
  std::string_view rest = text.substr(2);
  const std::string expression = part_of(rest, delimiter, text, option);
  by_ = as_rewrite(part_of(rest, delimiter, text, option));
  ir::require(rest.empty() || rest == "g", option, " '", text, "': behind the last '", delimiter,
              "' there may be a g, and there is '", rest, "'");
  is_global_ = rest == "g";
  expression_.emplace(expression, option);
  expression_->require_rewrite(by_, option);
}

std::string Renaming::operator()(const std::string& name) const { return expression_->replaced(name, by_, is_global_); }

NamePairs parse_names(std::string_view text, const std::string& file) {
  NamePairs pairs;
  std::set<std::string, std::less<>> of_a, of_b;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.ends_with('\r')) words.remove_suffix(1);
    if (words.empty()) continue;
    const std::size_t tab = words.find('\t');
    const bool is_pair = tab != std::string_view::npos && words.find('\t', tab + 1) == std::string_view::npos;
    ir::require(is_pair, file, ':', line, ": wanted a name of A, a tab and a name of B");
    const std::string a(words.substr(0, tab)), b(words.substr(tab + 1));
    ir::require(of_a.insert(a).second, file, ':', line, ": '", a, "' of A is there twice");
    ir::require(of_b.insert(b).second, file, ':', line, ": '", b, "' of B is there twice");
    pairs.emplace_back(a, b);
  }
  return pairs;
}

Pairings pair(const std::vector<std::string>& a, const std::vector<std::string>& b, const NamePairs& told,
              const std::vector<Renaming>& renamings) {
  const bool has_one_each = a.size() == 1 && b.size() == 1;
  if (has_one_each && told.empty() && (a.front().empty() || b.front().empty()))
    return {.pairs = {{.name = a.front().empty() ? b.front() : a.front(), .a = a.front(), .b = b.front()}}};
  std::map<std::string, std::string> partners;
  std::set<std::string> told_of_a, told_of_b;
  for (const auto& [of_a, of_b] : told) {
    require_name(a, of_a, "A");
    require_name(b, of_b, "B");
    partners.emplace(of_a, of_b);
    told_of_a.insert(of_a);
    told_of_b.insert(of_b);
  }
  const ByName called_a = renamed(a, told_of_a, renamings), called_b = renamed(b, told_of_b, renamings);
  std::map<std::string, std::string> names;
  for (const auto& [name, of_a] : called_a) {
    names.emplace(of_a, name);
    const auto found = called_b.find(name);
    if (found != called_b.end()) partners.emplace(of_a, found->second);
  }
  Pairings made;
  for (const std::string& one : a) {
    const auto found = partners.find(one);
    if (found == partners.end()) {
      made.only_a.push_back(one);
      continue;
    }
    const auto named = names.find(one);
    made.pairs.push_back({.name = named == names.end() ? one : named->second, .a = one, .b = found->second});
  }
  std::set<std::string> taken;
  for (const auto& [of_a, of_b] : partners) taken.insert(of_b);
  const auto is_lone = [&](const std::string& one) { return !taken.contains(one); };
  std::ranges::copy_if(b, std::back_inserter(made.only_b), is_lone);
  return made;
}

bool comes_before(std::string_view one, std::string_view other) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < one.size() && j < other.size()) {
    if (!is_digit(one[i]) || !is_digit(other[j])) {
      if (one[i] != other[j]) return one[i] < other[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](std::string_view text, std::size_t& at) {
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      std::string_view digits = text.substr(begin, at - begin);
      while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
      return digits;
    };
    const std::string_view x = number(one, i), y = number(other, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  const std::size_t left = one.size() - i, right = other.size() - j;
  return left != right ? left < right : one < other;
}

}  // namespace plumb::parity::studies::closeness
