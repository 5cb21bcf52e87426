// Pages by their names: those that are embedded, and those that `plumb ops` writes.
#include "parity/cli/helping/pages.hpp"

#include "parity/cli/show/accuracy_text.hpp"
#include "parity/cli/show/ops_text.hpp"

namespace plumb::parity::cli {
namespace {

struct WrittenPage {
  std::string_view name;
  std::string (*write)();
};
constexpr WrittenPage written_pages[] = {{"op_reference", show::ops_markdown}, {"accuracy", show::accuracy_markdown}};

}  // namespace

std::vector<std::string> page_names() {
  std::vector<std::string> names;
  for (const Page& page : embedded_pages()) names.emplace_back(page.name);
  for (const WrittenPage& page : written_pages) names.emplace_back(page.name);
  return names;
}

std::string page_of(std::string_view name) {
  for (const Page& page : embedded_pages())
    if (page.name == name) return std::string(page.text);
  for (const WrittenPage& page : written_pages)
    if (page.name == name) return page.write();
  return "";
}

std::string title_of(std::string_view markdown) {
  const std::size_t mark = markdown.starts_with("# ") ? 0 : markdown.find("\n# ") + 1;
  const std::string_view line = markdown.substr(mark);
  return std::string(line.substr(0, line.find('\n')).substr(2));
}

}  // namespace plumb::parity::cli
