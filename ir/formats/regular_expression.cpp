// Regular expressions over labels, by RE2.
#include "ir/formats/regular_expression.hpp"

#include <re2/re2.h>

#include "ir/error.hpp"

namespace plumb::ir::formats {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RegularExpression::RegularExpression(std::string_view text, std::string_view option) {
  RE2::Options options;
  options.set_log_errors(false);
  compiled_ = std::make_shared<const RE2>(piece(text), options);
  require(compiled_->ok(), option, " '", text, "' is not a regular expression: ", compiled_->error());
}

bool RegularExpression::is_in(std::string_view text) const { return RE2::PartialMatch(piece(text), *compiled_); }

std::string RegularExpression::replaced(std::string_view text, std::string_view by, bool all) const {
  std::string made(text);
  if (all)
    RE2::GlobalReplace(&made, *compiled_, piece(by));
  else
    RE2::Replace(&made, *compiled_, piece(by));
  return made;
}

void RegularExpression::require_rewrite(std::string_view by, std::string_view option) const {
  std::string problem;
  require(compiled_->CheckRewriteString(piece(by), &problem), option, ": '", by, "' replaces nothing: ", problem);
}

}  // namespace plumb::ir::formats
