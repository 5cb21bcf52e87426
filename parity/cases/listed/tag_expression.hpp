#pragma once

// Expressions over the tags of cases.

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::cases {

using Tags = std::set<std::string, std::less<>>;

/// An expression over tags, such as `nightly and not (large or op:fft)`. `not` binds most tightly, then `and`, then
/// `or`. A tag is any word without blanks and parentheses.
class TagExpression {
 public:
  /// Throws Error, with the text and a caret below the place, where it is none. `option` is what it was given as.
  TagExpression(std::string_view text, std::string_view option);

  bool holds_for(const Tags& tags) const;

  /// The tags that it names, in their order, each as often as it does.
  const std::vector<std::string>& names() const { return names_; }
  /// The text with a caret below the first place that names a tag.
  std::string pointing_at(std::string_view tag) const;

 private:
  struct Term;
  class Parser;

  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Term> root_;
};

}  // namespace plumb::parity::cases
