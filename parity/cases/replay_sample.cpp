// The message on a kernel that does not add as it publishes.
#include "parity/cases/replay_sample.hpp"

#include <fmt/format.h>

namespace plumb::parity::cases {

std::string ReplaySample::said(std::string_view node, std::string_view kernel) const {
  return fmt::format(
      "not as published: {} of {} sampled sums of '{}' have other bits than '{}' gives by its own account",
      asked - equal, asked, node, kernel);
}

}  // namespace plumb::parity::cases
