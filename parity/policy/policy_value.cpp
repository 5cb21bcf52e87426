// The small languages of policy values: globs, version tests and arithmetic expressions.
#include "parity/policy/policy_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "ir/error.hpp"

namespace plumb::parity::policy {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

int compared(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::uint64_t x = i < a.size() ? a[i] : 0, y = i < b.size() ? b[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/// Computes an expression as it is read.
class Expression {
 public:
  Expression(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

  double all() {
    const double value = sum();
    if (skip_spaces(); at_ < text_.size()) wanted("the end");
    return value;
  }

 private:
  static constexpr int deepest = 32;

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void wanted(std::string_view what) const {
    const auto found = at_ < text_.size() ? ir::cat("'", text_.substr(at_, 16), "'") : "the end";
    ir::fail("expression '", text_.substr(0, 80), "': wanted ", what, ", found ", found);
  }

  double sum() {
    double value = product();
    for (;;) {
      if (takes('+'))
        value += product();
      else if (takes('-'))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = factor();
    for (;;) {
      if (takes('*'))
        value *= factor();
      else if (takes('/'))
        value /= factor();
      else
        return value;
    }
  }
  double factor() {
    if (++depth_ > deepest) wanted("fewer nested terms");
    const double value = takes('-') ? -factor() : takes('(') ? closed(sum()) : takes_letter() ? name() : number();
    --depth_;
    return value;
  }
  double closed(double value) {
    if (!takes(')')) wanted("')'");
    return value;
  }
  bool takes_letter() {
    skip_spaces();
    return at_ < text_.size() && is_letter(text_[at_]);
  }
  double number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (at_ >= text_.size() || !(is_digit(*begin) || *begin == '.') || problem != std::errc()) wanted("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  double name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "n") return variables_.n;
    if (word == "k") return variables_.k;
    if (word == "u") return variables_.u;
    if (word == "u_out") return variables_.u_out;
    if (word == "m") return variables_.m;
    if (word == "norm1") return variables_.norm1;
    if (word == "norm2") return variables_.norm2;
    if (word == "pi") return std::numbers::pi;
    const bool takes_two = word == "max" || word == "min";
    if (!takes_two && word != "sqrt" && word != "log2" && word != "abs") {
      at_ = begin;
      wanted("one of n, k, m, u, u_out, norm1, norm2, pi, sqrt, log2, abs, max, min");
    }
    if (!takes('(')) wanted("'('");
    const double x = sum();
    if (takes_two && !takes(',')) wanted("','");
    const double y = takes_two ? sum() : 0;
    closed(0);
    if (takes_two) return word == "max" ? std::max(x, y) : std::min(x, y);
    return word == "sqrt" ? std::sqrt(x) : word == "log2" ? std::log2(x) : std::abs(x);
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Version first_version(std::string_view text) {
  Version parts;
  std::size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  while (at < text.size() && is_digit(text[at])) {
    std::uint64_t part = 0;
    const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), part);
    if (problem != std::errc()) return {};
    parts.push_back(part);
    at = static_cast<std::size_t>(end - text.data());
    if (at < text.size() && text[at] == '.') ++at;
  }
  return parts;
}

bool VersionTest::holds(const Version& found) const {
  const int side = compared(found, version);
  switch (order) {
    case Order::less:
      return side < 0;
    case Order::at_most:
      return side <= 0;
    case Order::equal:
      return side == 0;
    case Order::at_least:
      return side >= 0;
    case Order::more:
      return side > 0;
  }
  return false;
}

bool VersionTest::covers(const VersionTest& other) const {
  if (other.order == Order::equal) return holds(other.version);
  const int side = compared(other.version, version);
  const bool other_is_below = other.order == Order::less || other.order == Order::at_most;
  switch (order) {
    case Order::less:
      return other_is_below && (side < 0 || (side == 0 && other.order == Order::less));
    case Order::at_most:
      return other_is_below && side <= 0;
    case Order::equal:
      return false;
    case Order::at_least:
      return !other_is_below && side >= 0;
    case Order::more:
      return !other_is_below && (side > 0 || (side == 0 && other.order == Order::more));
  }
  return false;
}

VersionTest parse_test(std::string_view text) {
  constexpr std::pair<std::string_view, Order> orders[] = {
      {"<=", Order::at_most}, {">=", Order::at_least}, {"==", Order::equal}, {"<", Order::less}, {">", Order::more}};
  VersionTest test;
  std::string_view rest = text;
  for (const auto& [sign, order] : orders) {
    if (!rest.starts_with(sign)) continue;
    test.order = order;
    rest.remove_prefix(sign.size());
    break;
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const bool is_version = !rest.empty() && is_digit(rest.front()) && is_digit(rest.back()) &&
                          rest.find_first_not_of("0123456789.") == std::string_view::npos &&
                          rest.find("..") == std::string_view::npos;
  if (is_version) test.version = first_version(rest);
  ir::require(!test.version.empty(), "wanted a number such as \">=64\" or \"<26.1\", found '", text.substr(0, 40), "'");
  return test;
}

double Limit::value(const Variables& variables) const {
  return expression.empty() ? number : evaluate(expression, variables);
}

double evaluate(std::string_view expression, const Variables& variables) {
  ir::require(expression.size() <= 400, "an expression has at most 400 characters, found ", expression.size());
  return Expression(expression, variables).all();
}

}  // namespace plumb::parity::policy
