#pragma once

// Regular expressions over labels.

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace plumb::ir::formats {

/// A regular expression of RE2 (https://github.com/google/re2/wiki/Syntax), which takes time in proportion to the text
/// whatever the expression is; it has neither backreferences nor lookaround.
class RegularExpression {
 public:
  /// Throws Error when the text is none; `option` is what it was given as: "--filter".
  RegularExpression(std::string_view text, std::string_view option);

  /// Whether it matches some part of the text.
  bool is_in(std::string_view text) const;

  /// The text with its first match, or with all of them, replaced by `by`, in which \1 is the first group and \0 the
  /// match.
  std::string replaced(std::string_view text, std::string_view by, bool all) const;
  /// Throws Error where that names a group that there is not, or is malformed.
  void require_rewrite(std::string_view by, std::string_view option) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace plumb::ir::formats
