#pragma once

#include <string_view>

namespace plumb::parity::report::html {

/// The text of page.js with page_graph.js behind it, and that of page.css, which the build embeds.
extern const std::string_view page_script, page_style;

}  // namespace plumb::parity::report::html
