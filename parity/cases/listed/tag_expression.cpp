// Reads expressions over tags by recursive descent.
#include "parity/cases/listed/tag_expression.hpp"

#include <algorithm>
#include <optional>

#include "ir/error.hpp"

namespace plumb::parity::cases {
namespace {

constexpr std::size_t deepest = 100;

struct Word {
  std::string_view text = {};  ///< "" at the end
  std::size_t at = 0;
};

/// The text, and below it a caret at a place in it.
std::string with_caret(std::string_view text, std::size_t at) {
  return ir::cat("\n  ", text, "\n  ", std::string(at, ' '), '^');
}

Word word_from(std::string_view text, std::size_t begin) {
  constexpr std::string_view blanks = " \t\n\r";
  const std::size_t at = std::min(text.find_first_not_of(blanks, begin), text.size());
  if (at == text.size()) return {"", at};
  if (text[at] == '(' || text[at] == ')') return {text.substr(at, 1), at};
  const std::size_t end = std::min(text.find_first_of(" \t\n\r()", at), text.size());
  return {text.substr(at, end - at), at};
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
    if (!next_.text.empty()) refuse("'and', 'or' or the end");
    return term;
  }

 private:
  using Kind = Term::Kind;

  [[noreturn]] void refuse(std::string_view wanted) const {
    ir::fail(option_, ": wanted ", wanted, ", found ",
             next_.text.empty() ? std::string("the end") : ir::cat('\'', next_.text, '\''),
             with_caret(text_, next_.at));
  }

  bool takes(std::string_view word) {
    if (next_.text != word) return false;
    next_ = word_from(text_, next_.at + word.size());
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
    const Word word = next_;
    ir::require(++depth_ <= deepest, option_, ": more than ", deepest, " parentheses and nots",
                with_caret(text_, word.at));
    Term term;
    if (takes("not")) {
      term = {.kind = Kind::negation, .parts = {one()}};
    } else if (takes("(")) {
      term = any_of_several();
      if (!takes(")")) refuse("'and', 'or' or ')'");
    } else {
      if (word.text.empty() || word.text == ")" || word.text == "and" || word.text == "or")
        refuse("a tag, 'not' or '('");
      takes(word.text);
      term.tag = word.text;
      names_.push_back(term.tag);
    }
    --depth_;
    return term;
  }

  const std::string_view text_, option_;
  std::vector<std::string>& names_;
  Word next_;
  std::size_t depth_ = 0;
};

TagExpression::TagExpression(std::string_view text, std::string_view option)
    : text_(text), root_(std::make_shared<const Term>(Parser(text_, option, names_).all())) {}

bool TagExpression::holds_for(const Tags& tags) const { return root_->holds_for(tags); }

std::string TagExpression::pointing_at(std::string_view tag) const {
  for (Word word = word_from(text_, 0); !word.text.empty(); word = word_from(text_, word.at + word.text.size()))
    if (word.text == tag) return with_caret(text_, word.at);
  return "";
}

}  // namespace plumb::parity::cases
