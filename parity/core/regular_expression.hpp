#pragma once

// Regular expressions over labels.

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace plumb::parity::core {

/// A regular expression of RE2 (https://github.com/google/re2/wiki/Syntax), which takes time in proportion to the text
/// whatever the expression is; it has neither backreferences nor lookaround.
class RegularExpression {
 public:
  /// Throws Error when the text is none; `option` is what it was given as: "--filter".
  RegularExpression(std::string_view text, std::string_view option);

  /// Whether it matches some part of the text.
  bool is_in(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace plumb::parity::core
