// Reads expressions over tags by recursive descent.
#include "parity/cases/listed/tag_expression.hpp"

#include <algorithm>
#include <optional>

#include "ir/error.hpp"

namespace plumb::parity::cases {
namespace {

constexpr std::size_t deepest = 100;

/// The text, and below it a caret at a place in it.
std::string with_caret(std::string_view text, std::size_t at) {
  return ir::cat("\n  ", text, "\n  ", std::string(at, ' '), '^');
}

/// The next word of a text, as a part of it: an empty one at the text's end.
std::string_view word_from(std::string_view text, std::size_t begin) {
  constexpr std::string_view blanks = " \t\n\r";
  const std::size_t at = std::min(text.find_first_not_of(blanks, begin), text.size());
  if (at == text.size()) return text.substr(at);
  if (text[at] == '(' || text[at] == ')') return text.substr(at, 1);
  return text.substr(at, std::min(text.find_first_of(" \t\n\r()", at), text.size()) - at);
}

/// Where a part of a text begins.
std::size_t place_in(std::string_view text, std::string_view part) {
  return static_cast<std::size_t>(part.data() - text.data());
}

}  // namespace

struct TagExpression::Term {
  enum class Kind { tag, negation, conjunction, disjunction } kind = Kind::tag;
  std::string tag = {};
  std::vector<Term> parts = {};

  bool holds_for(const Tags& tags) const {
    const auto holds = [&](const Term& part) { return part.holds_for(tags); };
    switch (kind) {
      case Kind::negation:
        return !holds(parts.front());
      case Kind::conjunction:
        return std::ranges::all_of(parts, holds);
      case Kind::disjunction:
        return std::ranges::any_of(parts, holds);
      case Kind::tag:
        break;
    }
    return tags.contains(tag);
  }
};

class TagExpression::Parser {
 public:
  Parser(std::string_view text, std::string_view option, std::vector<std::string>& names)
      : text_(text), option_(option), names_(names), next_(word_from(text, 0)) {}

  Term all() {
    Term term = any_of_several();
    if (!next_.empty()) refuse("'and', 'or' or the end");
    return term;
  }

 private:
  using Kind = Term::Kind;

  [[noreturn]] void refuse(std::string_view wanted) const {
    ir::fail(option_, ": wanted ", wanted, ", found ",
             next_.empty() ? std::string("the end") : ir::cat('\'', next_, '\''),
             with_caret(text_, place_in(text_, next_)));
  }

  bool takes(std::string_view word) {
    if (next_ != word) return false;
    next_ = word_from(text_, place_in(text_, next_) + word.size());
    return true;
  }

  Term any_of_several() {
    return joined("or", Kind::disjunction, [this] { return all_of_several(); });
  }
  Term all_of_several() {
    return joined("and", Kind::conjunction, [this] { return one(); });
  }

  template <class Part>
  Term joined(std::string_view word, Kind kind, const Part& part) {
    Term term{.kind = kind, .parts = {part()}};
    while (takes(word)) term.parts.push_back(part());
    return term.parts.size() == 1 ? Term(term.parts.front()) : term;
  }

  Term one() {
    const std::string_view word = next_;
    ir::require(++depth_ <= deepest, option_, ": more than ", deepest, " parentheses and nots",
                with_caret(text_, place_in(text_, word)));
    Term term;
    if (takes("not")) {
      term = {.kind = Kind::negation, .parts = {one()}};
    } else if (takes("(")) {
      term = any_of_several();
      if (!takes(")")) refuse("'and', 'or' or ')'");
    } else {
      if (word.empty() || word == ")" || word == "and" || word == "or") refuse("a tag, 'not' or '('");
      takes(word);
      term.tag = word;
      names_.push_back(term.tag);
    }
    --depth_;
    return term;
  }

  const std::string_view text_, option_;
  std::vector<std::string>& names_;
  std::string_view next_;
  std::size_t depth_ = 0;
};

TagExpression::TagExpression(std::string_view text, std::string_view option)
    : text_(text), root_(std::make_shared<const Term>(Parser(text_, option, names_).all())) {}

bool TagExpression::holds_for(const Tags& tags) const { return root_->holds_for(tags); }

std::string TagExpression::pointing_at(std::string_view tag) const {
  const std::string_view text = text_;
  std::string_view word = word_from(text, 0);
  while (!word.empty() && word != tag) word = word_from(text, place_in(text, word) + word.size());
  return word.empty() ? "" : with_caret(text, place_in(text, word));
}

}  // namespace plumb::parity::cases
