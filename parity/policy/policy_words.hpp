#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::policy {

/// Throws Error where a pattern of a `match` stands for no word that its key can have: an op, a dtype, a fill, what is
/// known of exactness. A rule with such a word would match nothing, and be green. Other keys have no list of words.
void require_word(std::string_view key, std::string_view pattern);

}  // namespace plumb::parity::policy
