#pragma once

#include <string>

#include "ir/error.hpp"

namespace plumb::ir::formats {

/// Everything found wrong in a file so far, one line each: a person who mends the file
/// wants to see all of it, up to a point.
class Findings {
 public:
  static constexpr std::size_t most = 50;

  /// Runs `act`; an Error that it throws is noted, after `where`. Says whether all went well.
  template <class Act>
  bool attempt(const std::string& where, Act act) {
    try {
      act();
      return true;
    } catch (const Error& error) {
      note(where + error.what());
      return false;
    }
  }
  void note(const std::string& message) {
    if (++count_ <= most) lines_ += (lines_.empty() ? "" : "\n") + message;
  }
  void throw_if_any() const {
    if (count_ > most) fail(lines_, "\n... and ", count_ - most, " more");
    if (count_ > 0) throw Error(lines_);
  }

 private:
  std::size_t count_ = 0;
  std::string lines_;
};

}  // namespace plumb::ir::formats
