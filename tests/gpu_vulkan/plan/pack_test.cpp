#include "gpu_vulkan/plan/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "gpu_vulkan/plan/barriers.hpp"

namespace plumb::gpu_vulkan::pack_test {
namespace {

constexpr plan::PackLimits roomy{.alignment = 64, .buffer_bytes = std::size_t{1} << 40};

plan::Dispatch reading_and_writing(std::vector<plan::Slot> reads, std::vector<plan::Slot> writes) {
  plan::Dispatch dispatch;
  dispatch.reads = std::move(reads);
  dispatch.writes = std::move(writes);
  return dispatch;
}

/// n dispatches, each reading what the one before wrote.
plan::Schedule chain(std::size_t n, std::size_t bytes) {
  plan::Schedule schedule;
  schedule.slot(bytes);
  for (std::size_t d = 0; d < n; ++d) {
    schedule.slot(bytes);
    schedule.dispatches.push_back(reading_and_writing({d}, {d + 1}));
  }
  return schedule;
}

plan::ArenaLayout packed(const plan::Schedule& schedule, const plan::PackLimits& limits = roomy) {
  return plan::pack(schedule, plan::lifetimes(schedule), limits);
}

TEST(Lifetimes, RunFromTheFirstUseToTheLast) {
  const auto alive = plan::lifetimes(chain(3, 4));
  EXPECT_EQ(alive[0], (plan::Lifetime{true, 0, 0}));
  EXPECT_EQ(alive[1], (plan::Lifetime{true, 0, 1}));
  EXPECT_EQ(alive[3], (plan::Lifetime{true, 2, 2}));
}

TEST(Pack, AChainNeedsTwoSlotsWhateverItsLength) {
  const auto layout = packed(chain(7, 4096));
  EXPECT_EQ(layout.buffers, std::vector<std::size_t>{2 * 4096});
}

TEST(Pack, ASlotThatNothingUsesHasNoPlace) {
  plan::Schedule schedule = chain(1, 8);
  schedule.slot(1 << 20);
  const auto layout = packed(schedule);
  EXPECT_FALSE(layout.places[2].exists());
  EXPECT_EQ(layout.buffers, std::vector<std::size_t>{64 + 8});
}

TEST(Pack, PlacesAreAligned) {
  plan::Schedule schedule;
  for (const std::size_t bytes : {1, 3, 130, 65}) schedule.slot(bytes);
  schedule.dispatches.push_back(reading_and_writing({0, 1}, {2, 3}));
  const auto layout = packed(schedule, {.alignment = 256, .buffer_bytes = 1 << 20});
  for (const plan::Place& place : layout.places) EXPECT_EQ(place.offset % 256, 0u);
}

TEST(Pack, ResidentSlotsShareNothingAndHaveBuffersOfTheirOwn) {
  plan::Schedule schedule;
  for (int i = 0; i < 3; ++i) schedule.slot(64, plan::Residence::resident);
  for (int i = 0; i < 3; ++i) schedule.slot(64);
  for (plan::Slot s = 0; s < 3; ++s) schedule.dispatches.push_back(reading_and_writing({s}, {3 + s}));
  const auto layout = packed(schedule);
  EXPECT_EQ(layout.resident_buffers, 1u);
  EXPECT_EQ(layout.buffers, (std::vector<std::size_t>{3 * 64, 64}));
}

TEST(Pack, TakesSeveralBuffersWhenOneIsTooSmall) {
  const plan::Schedule schedule = chain(4, 1000);
  const auto layout = packed(schedule, {.alignment = 64, .buffer_bytes = 1500, .reuse = false});
  EXPECT_EQ(layout.buffers, std::vector<std::size_t>(5, 1000));
  for (plan::Slot s = 0; s < 5; ++s) EXPECT_EQ(layout.places[s].buffer, s);
}

TEST(Pack, WithoutReuseEverySlotHasBytesOfItsOwn) {
  const auto layout = packed(chain(7, 4096), {.alignment = 64, .buffer_bytes = 1 << 20, .reuse = false});
  EXPECT_EQ(layout.buffers, std::vector<std::size_t>{8 * 4096});
}

TEST(Pack, ZonesLieBeforeAndBehindEverySlot) {
  const auto layout = packed(chain(1, 100), {.alignment = 64, .buffer_bytes = 1 << 20, .zone = 128, .reuse = false});
  EXPECT_EQ(layout.places[0].offset, 128u);
  EXPECT_EQ(layout.places[1].offset, 128u + 128 + 128 + 128);  // 100 bytes, aligned, and two zones
  EXPECT_EQ(layout.buffers, std::vector<std::size_t>{384 + 128 + 100 + 128});
}

TEST(Pack, RefusesASlotThatFitsNoBuffer) {
  EXPECT_THROW(packed(chain(1, 100), {.alignment = 64, .buffer_bytes = 99}), ir::Error);
}

/// Random schedules: slots that are alive together never share a byte, whatever the limits.
TEST(Pack, SlotsThatLiveTogetherNeverOverlap) {
  std::mt19937 random(5);
  const auto upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  for (int round = 0; round < 60; ++round) {
    plan::Schedule schedule;
    const std::size_t slots = 2 + upto(40);
    for (plan::Slot s = 0; s < slots; ++s)
      schedule.slot(upto(700), upto(4) == 0 ? plan::Residence::resident : plan::Residence::transient);
    for (std::size_t d = 0; d < 30; ++d)
      schedule.dispatches.push_back(reading_and_writing({upto(slots - 1), upto(slots - 1)}, {upto(slots - 1)}));
    const auto alive = plan::lifetimes(schedule);
    const auto layout = plan::pack(schedule, alive, {.alignment = 16, .buffer_bytes = 701 + upto(3000)});
    for (plan::Slot a = 0; a < slots; ++a)
      for (plan::Slot b = 0; b < a; ++b) {
        if (!alive[a].used || !alive[b].used || layout.places[a].buffer != layout.places[b].buffer) continue;
        const bool resident = schedule.slots[a].residence == plan::Residence::resident;
        const auto begin = [&](plan::Slot s) { return layout.places[s].offset; };
        const auto end = [&](plan::Slot s) { return begin(s) + schedule.bound_bytes(s); };
        const bool shared = begin(a) < end(b) && begin(b) < end(a);
        EXPECT_FALSE(shared && (resident || alive[a].overlaps(alive[b]))) << "slots " << a << " and " << b;
      }
    for (plan::Slot s = 0; s < slots; ++s) {
      if (!alive[s].used) continue;
      EXPECT_LE(layout.places[s].offset + schedule.bound_bytes(s), layout.buffers[layout.places[s].buffer]);
    }
  }
}

/// Where first fit puts slots, each compared with all before it.
std::vector<plan::Place> first_fit(const plan::Schedule& schedule, const std::vector<plan::Lifetime>& alive,
                                   const plan::PackLimits& limits) {
  std::vector<plan::Place> places(schedule.slots.size());
  std::vector<plan::Slot> order;
  for (plan::Slot s = 0; s < schedule.slots.size(); ++s)
    if (alive[s].used) order.push_back(s);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](plan::Slot s) { return schedule.bound_bytes(s); });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t offset = 0; !places[order[i]].exists(); offset += limits.alignment) {
      const std::size_t end = offset + schedule.bound_bytes(order[i]);
      const auto is_in_the_way = [&](plan::Slot other) {
        return (!limits.reuse || alive[other].overlaps(alive[order[i]])) && places[other].offset < end &&
               offset < places[other].offset + schedule.bound_bytes(other);
      };
      if (std::none_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), is_in_the_way))
        places[order[i]] = {0, offset};
    }
  return places;
}

TEST(Pack, EverySlotHasTheFirstPlaceThatFits) {
  std::mt19937 random(17);
  const auto upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  for (int round = 0; round < 100; ++round) {
    plan::Schedule schedule;
    std::vector<plan::Lifetime> alive;
    for (plan::Slot s = 0; s < 40; ++s) {
      schedule.slot(upto(200));
      const std::size_t first = upto(20);
      alive.push_back({true, first, upto(2) == 0 ? 20 : first + upto(20 - first)});  // many live to the end
    }
    for (const bool reuse : {true, false}) {
      const plan::PackLimits limits{.alignment = 16, .buffer_bytes = std::size_t{1} << 40, .reuse = reuse};
      EXPECT_EQ(plan::pack(schedule, alive, limits).places, first_fit(schedule, alive, limits)) << round;
    }
  }
}

TEST(Pack, VeryManyResultsTakeNoTime) {
  constexpr std::size_t count = 100'000;
  plan::Schedule schedule;
  std::vector<plan::Lifetime> alive;
  for (std::size_t s = 0; s < count; ++s) {
    schedule.slot(16);
    alive.push_back({true, s, count});
  }
  const std::clock_t start = std::clock();
  EXPECT_EQ(plan::pack(schedule, alive, roomy).buffers, std::vector<std::size_t>{64 * (count - 1) + 16});
  EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
}

constexpr plan::PackLimits apart{.alignment = 64, .buffer_bytes = std::size_t{1} << 40, .reuse = false};

std::vector<bool> barriers_of(const plan::Schedule& schedule, const plan::PackLimits& limits = roomy) {
  return plan::barriers(schedule, packed(schedule, limits));
}

TEST(Barriers, SeparateAReaderFromTheWriterBefore) {
  EXPECT_EQ(barriers_of(chain(3, 64)), (std::vector<bool>{false, true, true}));
}

TEST(Barriers, ReadersOfTheSameBytesNeedNone) {
  plan::Schedule schedule;
  for (int i = 0; i < 4; ++i) schedule.slot(64);
  for (const plan::Slot s : {1, 2, 3}) schedule.dispatches.push_back(reading_and_writing({0}, {s}));
  EXPECT_EQ(barriers_of(schedule, apart), (std::vector<bool>{false, false, false}));
}

TEST(Barriers, SeparateAWriterFromReadersAndWritersBefore) {
  plan::Schedule schedule;
  for (int i = 0; i < 4; ++i) schedule.slot(64);
  schedule.dispatches.push_back(reading_and_writing({0}, {1}));
  schedule.dispatches.push_back(reading_and_writing({2}, {0}));  // writes what was read
  schedule.dispatches.push_back(reading_and_writing({3}, {0}));  // writes what was written
  EXPECT_EQ(barriers_of(schedule), (std::vector<bool>{false, true, true}));
}

TEST(Barriers, SeeThatSlotsShareMemory) {
  plan::Schedule schedule;  // 0 -> 1 and 2 -> 3 have nothing in common but the bytes of 0 and 3
  for (int i = 0; i < 4; ++i) schedule.slot(64);
  schedule.dispatches.push_back(reading_and_writing({0}, {1}));
  schedule.dispatches.push_back(reading_and_writing({2}, {3}));
  EXPECT_EQ(barriers_of(schedule), (std::vector<bool>{false, true}));
  EXPECT_EQ(barriers_of(schedule, apart), (std::vector<bool>{false, false}));
}

TEST(Barriers, OneBarrierServesEverythingBefore) {
  plan::Schedule schedule;  // two writers, then their readers
  for (int i = 0; i < 6; ++i) schedule.slot(64);
  schedule.dispatches.push_back(reading_and_writing({0}, {1}));
  schedule.dispatches.push_back(reading_and_writing({0}, {2}));
  schedule.dispatches.push_back(reading_and_writing({1}, {3}));
  schedule.dispatches.push_back(reading_and_writing({2}, {4}));
  EXPECT_EQ(barriers_of(schedule, apart), (std::vector<bool>{false, false, true, false}));
}

/// By every range before, each for itself.
std::vector<bool> barriers_one_by_one(const plan::Schedule& schedule, const plan::ArenaLayout& layout) {
  std::vector<bool> needed;
  std::size_t since = 0;  // the dispatch behind the last barrier
  const auto meet = [&](plan::Slot a, plan::Slot b) {
    const plan::Place &p = layout.places[a], &q = layout.places[b];
    return p.buffer == q.buffer && p.offset < q.offset + schedule.bound_bytes(b) &&
           q.offset < p.offset + schedule.bound_bytes(a);
  };
  const auto any_meet = [&](const std::vector<plan::Slot>& some, const std::vector<plan::Slot>& others) {
    for (const plan::Slot a : some)
      for (const plan::Slot b : others)
        if (meet(a, b)) return true;
    return false;
  };
  for (std::size_t d = 0; d < schedule.dispatches.size(); ++d) {
    const plan::Dispatch& now = schedule.dispatches[d];
    bool waits = false;
    for (std::size_t before = since; before < d; ++before) {
      const plan::Dispatch& then = schedule.dispatches[before];
      waits |=
          any_meet(now.reads, then.writes) || any_meet(now.writes, then.writes) || any_meet(now.writes, then.reads);
    }
    if (waits) since = d;
    needed.push_back(waits);
  }
  return needed;
}

TEST(Barriers, AreThoseThatEveryPairOfDispatchesAsksFor) {
  std::mt19937 random(11);
  const auto upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  std::size_t barriers = 0;
  for (int round = 0; round < 100; ++round) {
    plan::Schedule schedule;
    plan::ArenaLayout layout;
    for (plan::Slot s = 0; s < 30; ++s) {  // they lie across each other, and touch
      schedule.slot(4 * upto(40));
      layout.places.push_back({upto(1), 16 * upto(100)});
    }
    for (std::size_t d = 0; d < 60; ++d)
      schedule.dispatches.push_back(reading_and_writing({upto(29), upto(29)}, {upto(29)}));
    const auto found = plan::barriers(schedule, layout);
    EXPECT_EQ(found, barriers_one_by_one(schedule, layout)) << round;
    barriers += static_cast<std::size_t>(std::ranges::count(found, true));
  }
  EXPECT_GT(barriers, 1000u);
  EXPECT_LT(barriers, 5000u);
}

TEST(Barriers, OfGraphsWithVeryManyResultsTakeNoTime) {
  constexpr std::size_t count = 50'000;  // every pair of which would be 1 250 000 000
  plan::Schedule schedule;
  plan::ArenaLayout layout;
  for (std::size_t s = 0; s <= count; ++s) {
    schedule.slot(16);
    layout.places.push_back({0, 64 * s});
  }
  for (std::size_t d = 0; d < count; ++d) schedule.dispatches.push_back(reading_and_writing({0}, {d + 1}));
  const std::clock_t start = std::clock();
  EXPECT_EQ(std::ranges::count(plan::barriers(schedule, layout), true), 0);
  EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::pack_test
