#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::ir::formats {

/// Which runs of a graph are meant, counted from 0: "0-3" or "0,5-7".
class RunList {
 public:
  /// Throws Error, which says what the text is of ("--runs"), for anything else.
  RunList(std::string_view text, std::string_view option);

  bool contains(std::uint64_t run) const;
  std::uint64_t last() const { return last_; }
  bool is_one() const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  ///< first and last
  std::uint64_t last_ = 0;
};

}  // namespace plumb::ir::formats
