#include "parity/cli/flags/read_once.hpp"

#include <memory>
#include <optional>

namespace plumb::parity::cli::flags {
namespace {

/// A reader that gives again what it gave first.
template <class Result, class From>
std::function<Result(const From&)> kept(const std::function<Result(const From&)>& read) {
  return [read, first = std::make_shared<std::optional<Result>>()](const From& from) {
    if (!*first) *first = read(from);
    return **first;
  };
}

}  // namespace

void read_once(verify::FillOptions& fill) {
  fill.read = kept(fill.read);
  if (fill.read_given) fill.read_given = kept(fill.read_given);
  if (fill.read_expected) fill.read_expected = kept(fill.read_expected);
}

}  // namespace plumb::parity::cli::flags
