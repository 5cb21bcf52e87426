// ddmin, the last chunks first.
#include "parity/studies/reduce/ddmin.hpp"

#include <algorithm>

namespace plumb::parity::studies::reduce {
namespace {

using Items = std::vector<std::size_t>;

/// Where chunk `k` of `chunks` begins.
std::ptrdiff_t begin_of(const Items& items, std::size_t k, std::size_t chunks) {
  return static_cast<std::ptrdiff_t>(items.size() * k / chunks);
}

/// Leaves out one chunk after the other for as long as it still fails; how many went.
std::size_t leave_out(Items& items, std::size_t chunks, const std::function<bool(const Items&)>& fails) {
  std::size_t gone = 0;
  // The last ones are the first to go: nodes behind the failing one have no part in it.
  for (std::size_t k = chunks; k-- > 0 && items.size() > 1;) {
    const auto first = items.begin() + begin_of(items, k, chunks - gone);
    const auto last = items.begin() + begin_of(items, k + 1, chunks - gone);
    Items rest(items.begin(), first);
    rest.insert(rest.end(), last, items.end());
    if (rest.empty() || !fails(rest)) continue;
    items = std::move(rest);
    ++gone;
    if (chunks - gone < 2) break;
    k = std::min(k, chunks - gone);
  }
  return gone;
}

bool take_alone(Items& items, std::size_t chunks, const std::function<bool(const Items&)>& fails) {
  if (chunks <= 2) return false;  // leaving out one of two has asked of the other
  for (std::size_t k = 0; k < chunks; ++k) {
    Items chunk(items.begin() + begin_of(items, k, chunks), items.begin() + begin_of(items, k + 1, chunks));
    if (chunk.empty() || !fails(chunk)) continue;
    items = std::move(chunk);
    return true;
  }
  return false;
}

}  // namespace

Items ddmin(Items items, const std::function<bool(const Items&)>& fails) {
  std::size_t chunks = 2;
  while (items.size() > 1) {
    chunks = std::min(chunks, items.size());
    if (const std::size_t gone = leave_out(items, chunks, fails); gone > 0) {
      chunks = std::max<std::size_t>(chunks - gone, 2);
      continue;
    }
    if (take_alone(items, chunks, fails)) {
      chunks = 2;
      continue;
    }
    if (chunks == items.size()) break;
    chunks *= 2;
  }
  return items;
}

}  // namespace plumb::parity::studies::reduce
