#pragma once

// Pages of docs/ for users, which the build embeds (cmake/embed_docs.sh).

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::cli {

struct Page {
  std::string_view name;  ///< "ci" of docs/ci.md
  std::string_view text;  ///< Markdown
};

/// Pages as they are in docs/, in the order of docs/README.md.
std::span<const Page> embedded_pages();

/// Names of all pages: of those, and of the two that the program writes itself.
std::vector<std::string> page_names();

/// The Markdown of the page of this name; "" where there is none.
std::string page_of(std::string_view name);

/// The title of a page, from its heading.
std::string title_of(std::string_view markdown);

}  // namespace plumb::parity::cli
