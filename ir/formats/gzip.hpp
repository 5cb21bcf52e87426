#pragma once

#include <string>
#include <string_view>

namespace plumb::ir::formats {

/// The text as a gzip file (RFC 1952), without a name or a time, so that equal texts give equal bytes.
std::string gzip(std::string_view text);

}  // namespace plumb::ir::formats
