// Experts of the best groups, token by token: groups by their scores, which are rounded to the compute type, then the
// experts of those that are kept, in the total order, and their weights.
#include "ir/ops/group_limited_gate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/total_order.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::GroupLimitedGate;
using ir::ops::GroupScore;
using Places = ScratchVector<std::int64_t>;

/// The first `count` places, those of the largest values, in order; of equals the lower one comes first.
template <class C>
void keep_largest(Places& places, std::int64_t count, const C* values) {
  const auto comes_first = [values](std::int64_t a, std::int64_t b) {
    if (kernels::precedes(values[b], values[a])) return true;
    return a < b && !kernels::precedes(values[a], values[b]);
  };
  const auto cut = places.begin() + count;
  std::partial_sort(places.begin(), cut, places.end(), comes_first);
  places.erase(cut, places.end());
}

template <class C>
C score_of(GroupScore by, const C* first, std::int64_t count) {
  C best = -std::numeric_limits<C>::infinity(), next = best;
  for (std::int64_t e = 0; e < count; ++e) {
    if (kernels::precedes(best, first[e])) {
      next = best;
      best = first[e];
    } else if (kernels::precedes(next, first[e])) {
      next = first[e];
    }
  }
  return by == GroupScore::max ? best : best + next;
}

/// The room that the choice of a token takes.
template <class C>
struct Room {
  ScratchVector<C> routing, group_scores;
  Places places;
};

/// The experts of a token, in order.
template <class C>
void choose(const GroupLimitedGate& op, Room<C>& room) {
  const auto experts = static_cast<std::int64_t>(room.routing.size()), size = experts / op.num_groups;
  for (std::int64_t g = 0; g < op.num_groups; ++g)
    room.group_scores[static_cast<std::size_t>(g)] = score_of(op.group_score, room.routing.data() + g * size, size);
  Places& places = room.places;
  places.resize(static_cast<std::size_t>(op.num_groups));
  std::iota(places.begin(), places.end(), std::int64_t{0});
  keep_largest(places, op.top_groups, room.group_scores.data());
  for (std::int64_t g = op.top_groups - 1; g >= 0; --g) {
    const std::int64_t group = places[static_cast<std::size_t>(g)];
    places[static_cast<std::size_t>(g)] = group * size;
    for (std::int64_t e = 1; e < size; ++e) places.push_back(group * size + e);
  }
  keep_largest(places, op.top_k, room.routing.data());
}

template <class T, class Index>
void gate(const GroupLimitedGate& op, Call& call) {
  using C = ir::compute_t<T>;
  const std::int64_t tokens = call.in(0).shape()[0], experts = call.in(0).shape()[1];
  const auto scores = call.in(0).as<T>(), routing = call.in(op.has_routing ? 1 : 0).as<T>();
  const auto chosen = call.out(0).as<Index>();
  const auto weights = call.out(1).as<T>();
  const auto scale = static_cast<C>(op.scale);
  parallel_for(tokens, std::max<std::int64_t>(1, 8192 / experts), [&](std::int64_t token, std::int64_t end) {
    Room<C> room{ScratchVector<C>(static_cast<std::size_t>(experts)),
                 ScratchVector<C>(static_cast<std::size_t>(op.num_groups)), Places()};
    room.places.reserve(static_cast<std::size_t>(experts));
    for (; token < end; ++token) {
      const auto first = static_cast<std::size_t>(token * experts), y = static_cast<std::size_t>(token * op.top_k);
      for (std::size_t e = 0; e < room.routing.size(); ++e) room.routing[e] = static_cast<C>(routing[first + e]);
      choose(op, room);
      C sum = 0;
      for (const std::int64_t e : room.places) sum += static_cast<C>(scores[first + static_cast<std::size_t>(e)]);
      const C divisor = sum + static_cast<C>(1e-20);
      for (std::size_t i = 0; i < room.places.size(); ++i) {
        const auto e = static_cast<std::size_t>(room.places[i]);
        const C score = static_cast<C>(scores[first + e]);
        chosen[y + i] = static_cast<Index>(e);
        weights[y + i] = static_cast<T>((op.is_normalized() ? score / divisor : score) * scale);
      }
    }
  });
}

}  // namespace

void run(const GroupLimitedGate& op, Call& call) {
  ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
    ir::visit_float(call.in(0).dtype(), [&]<class T>(T) { gate<T, Index>(op, call); });
  });
}

}  // namespace plumb::ref_cpu
