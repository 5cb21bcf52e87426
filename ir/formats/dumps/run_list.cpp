// Reads which runs are meant.
#include "ir/formats/dumps/run_list.hpp"

#include <algorithm>
#include <charconv>

#include "ir/error.hpp"

namespace plumb::ir::formats {

RunList::RunList(std::string_view text, std::string_view option) {
  const auto number = [&](std::string_view part) {
    std::uint64_t run = 0;
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), run);
    require(problem == std::errc() && end == part.data() + part.size(), option,
            " wants runs from 0, as 0-3 or 0,5, got '", text, "'");
    return run;
  };
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto dash = part.find('-');
    const std::uint64_t first = number(part.substr(0, dash));
    const std::uint64_t last = dash == part.npos ? first : number(part.substr(dash + 1));
    require(first <= last, option, ": '", part, "' ends before it begins");
    ranges_.emplace_back(first, last);
    last_ = std::max(last_, last);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
    require(!rest.empty(), option, ": '", text, "' ends with a comma");
  }
}

bool RunList::contains(std::uint64_t run) const {
  return std::ranges::any_of(ranges_, [&](const auto& range) { return range.first <= run && run <= range.second; });
}

bool RunList::is_one() const {
  return std::ranges::all_of(ranges_, [&](const auto& range) { return range.first == last_ && range.second == last_; });
}

}  // namespace plumb::ir::formats
