// Rounds extents up to buckets, compiles those that are not there, and drops those used least recently.
#include "ir/buckets.hpp"

#include <algorithm>

namespace plumb::ir {
namespace {

CompileOptions wanting_results(const Graph& graph) { return {.capture = {.wanted = graph.results()}}; }

void require_extent(const std::string& symbol, std::int64_t extent) {
  require(extent >= 0, "symbol '", symbol, "' has the extent ", extent, ", which is negative");
}

/// Where a tensor of this shape lies in one of this type.
std::vector<Stretch> stretches_at_beginning(const TensorType& whole, const Shape& part) {
  // A box without extents would be all of it.
  require(part.size() == whole.shape.size(), whole, " has no part ", part, ", which has another rank");
  return stretches(whole, {.starts = std::vector<std::int64_t>(part.size()), .extents = part});
}

}  // namespace

Tensor padded(const TensorView& x, const TensorType& type) {
  require(x.dtype() == type.dtype, x.type(), " is no part of ", type);
  Tensor y(type);
  for (const Stretch& one : stretches_at_beginning(type, x.shape()))
    std::ranges::copy(x.bytes().subspan(one.in_box, one.bytes), y.bytes().subspan(one.in_tensor, one.bytes).begin());
  return y;
}

Tensor leading_part(const TensorView& x, const Shape& shape) {
  const std::vector<Stretch> all = stretches_at_beginning(x.type(), shape);
  Tensor y({x.dtype(), shape});
  for (const Stretch& one : all)
    std::ranges::copy(x.bytes().subspan(one.in_tensor, one.bytes), y.bytes().subspan(one.in_box, one.bytes).begin());
  return y;
}

Buckets::Buckets(Executor& executor, MakeGraph make, std::shared_ptr<Params> params, OptionsOf options_of,
                 BucketOptions options)
    : executor_(executor),
      make_(std::move(make)),
      params_(std::move(params)),
      options_of_(options_of ? std::move(options_of) : wanting_results),
      options_(std::move(options)) {
  require(options_.most > 0, "buckets keep 1 executable at least, and most is 0");
  for (auto& [symbol, sizes] : options_.sizes) {
    for (const std::int64_t size : sizes) require_extent(symbol, size);
    std::ranges::sort(sizes);
  }
}

Extents Buckets::round_up(const Extents& extents) const {
  Extents rounded = extents;
  for (const auto& [symbol, extent] : extents) require_extent(symbol, extent);
  for (const auto& [symbol, sizes] : options_.sizes) {
    if (sizes.empty()) continue;
    const auto given = rounded.find(symbol);
    require(given != rounded.end(), "symbol '", symbol, "' has sizes, and was given no extent");
    const auto size = std::ranges::lower_bound(sizes, given->second);
    require(size != sizes.end(), "symbol '", symbol, "' has the extent ", given->second,
            ", which is above the largest of its sizes, ", sizes.back());
    given->second = *size;
  }
  return rounded;
}

Buckets::Kept Buckets::compile(const Extents& rounded) const {
  Kept kept{.graph = std::make_shared<const Graph>(make_(rounded)), .executable = {}};
  kept.executable = executor_.compile(*kept.graph, params_, options_of_(*kept.graph));
  if (options_.most_bytes) kept.bytes = kept.executable->bytes();
  return kept;
}

Bucket Buckets::at(const Extents& extents) {
  const OneAtATime::Run alone(one_at_a_time_);
  Extents rounded = round_up(extents);
  auto found = kept_.find(rounded);
  if (found == kept_.end()) found = kept_.emplace(rounded, compile(rounded)).first;
  Kept& kept = found->second;
  kept.used = ++calls_;
  Bucket bucket{std::move(rounded), kept.graph, kept.executable};
  drop_unused();
  return bucket;
}

bool Buckets::is_too_much() const {
  std::uint64_t bytes = 0;
  for (const auto& [extents, kept] : kept_) bytes += kept.bytes;
  return kept_.size() > options_.most || (options_.most_bytes && bytes > *options_.most_bytes);
}

void Buckets::drop_unused() {
  while (is_too_much()) {
    auto oldest = kept_.end();
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
      if (one->second.executable.use_count() > 1 || one->second.executable->has_contexts()) continue;
      if (oldest == kept_.end() || one->second.used < oldest->second.used) oldest = one;
    }
    if (oldest == kept_.end()) return;
    kept_.erase(oldest);
  }
}

}  // namespace plumb::ir
