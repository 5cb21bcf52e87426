// Buffers of a device in memory of the host's: residency.md C.
#include <sys/mman.h>

#include "ir/residency.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/pages.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::gpu_vulkan::import_test {
namespace {

using device::Staging;
using ir::DType;
using ir::Import;
using ir::Tensor;
using ir::Value;
using plumb::testing::read;
using ::testing::HasSubstr;
using tests::Pages;

/// Through the host's view of device memory and through staging memory, on a device that imports memory.
class ImportedOnDevice : public testing::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped() && testing::any_executor()->facts().host_pointer_alignment == 0)
      GTEST_SKIP() << "the device imports no memory";
  }
  static std::unique_ptr<VulkanExecutor> executor(Staging staging = Staging::automatic) {
    return testing::executor_with([&](device::VulkanOptions& options) { options.staging = staging; });
  }
};

const ir::TensorType pages_of_i32{DType::i32, {4, 16384}};

std::shared_ptr<Pages> pages(const ir::TensorType& type, unsigned seed = 1) {
  return std::make_shared<Pages>(tests::noise(type, seed));
}

ir::Buffer imported(ir::Executor& executor, const std::shared_ptr<Pages>& memory) {
  return executor.import(memory->view, memory, Import::require);
}

/// y = x + w.
struct Sum {
  ir::Graph graph;
  Value x = graph.input("x", pages_of_i32), w = graph.input("w", pages_of_i32);
  Value y = graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, w});

  static Tensor of(unsigned x_seed, unsigned w_seed) {
    Tensor sum = tests::noise(pages_of_i32, x_seed);
    const Tensor other = tests::noise(pages_of_i32, w_seed);
    const auto to = sum.as<std::int32_t>();
    const auto from = other.as<std::int32_t>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) + static_cast<std::uint32_t>(from[i]));
    return sum;
  }
};

TEST_F(ImportedOnDevice, TheNextRunSeesWhatTheHostWrote) {
  for (const Staging staging : {Staging::automatic, Staging::always}) {
    const auto gpu = executor(staging);
    const Sum sum;
    const auto context = gpu->compile(sum.graph, {}, {{sum.y}})->context();
    const auto x = pages(pages_of_i32, 1), w = pages(pages_of_i32, 2), y = pages(pages_of_i32, 3);
    ir::Buffer to = imported(*gpu, y);
    EXPECT_EQ(to.mapped().bytes().data(), y->view.bytes().data());
    context->bind(sum.x, imported(*gpu, x));
    context->bind(sum.w, imported(*gpu, w));
    context->bind_result(sum.y, to);
    for (const unsigned seed : {1u, 4u, 5u}) {
      x->write(tests::noise(pages_of_i32, seed));
      context->submit().get();
      EXPECT_TRUE(y->holds(Sum::of(seed, 2)));
      EXPECT_EQ(context->traffic().up + context->traffic().down, 0u);
    }
  }
}

TEST_F(ImportedOnDevice, BuffersAreReadWrittenAndCopiedThere) {
  const auto gpu = executor();
  const auto memory = pages(pages_of_i32);
  ir::Buffer buffer = imported(*gpu, memory), other = gpu->allocate(pages_of_i32);
  EXPECT_TRUE(tests::same_bytes(read(buffer), tests::noise(pages_of_i32)));
  const ir::Box row{{2, 0}, {1, 16384}};
  const Tensor written = tests::noise({DType::i32, {1, 16384}}, 7);
  buffer.write(written, row);
  EXPECT_TRUE(std::ranges::equal(memory->view.bytes().subspan(2 * 65536, 65536), written.bytes()));
  EXPECT_TRUE(tests::same_bytes(read(buffer, row), written));
  other.copy_from(buffer);
  EXPECT_TRUE(memory->holds(read(other)));
  buffer.copy_from(other, {{2, 0}, {1, 16384}}, {{0, 0}, {1, 16384}});
  EXPECT_TRUE(tests::same_bytes(read(buffer, {{0, 0}, {1, 16384}}), written));
  EXPECT_TRUE(std::ranges::equal(memory->view.bytes().first(65536), written.bytes()));
}

/// The first run's result is the second one's input, in one memory and without a wait between them.
TEST_F(ImportedOnDevice, RunsInFlightSeeWhatEarlierOnesWrote) {
  const auto gpu = executor();
  const Sum sum;
  const auto executable = gpu->compile(sum.graph, {}, {{sum.y}});
  const auto first = executable->context(), second = executable->context();
  const auto between = pages(pages_of_i32, 3), last = pages(pages_of_i32, 4);
  const ir::Buffer buffer = imported(*gpu, between);
  first->bind_result(sum.y, buffer);
  second->bind(sum.x, buffer);
  second->bind_result(sum.y, imported(*gpu, last));
  Tensor zeros(pages_of_i32);
  for (unsigned seed = 1; seed < 4; ++seed) {
    first->submit({{"x", tests::noise(pages_of_i32, seed)}, {"w", tests::noise(pages_of_i32, 9)}});
    second->submit({{"w", zeros}}).get();
    EXPECT_TRUE(last->holds(Sum::of(seed, 9)));
  }
}

TEST_F(ImportedOnDevice, ADecoderKeepsItsCacheInTheHostsMemory) {
  const auto gpu = executor();
  plumb::testing::expect_decoded_in_place(*gpu, 4, [&](const ir::TensorType& type) {
    const auto memory = std::make_shared<Pages>(Tensor(type));
    return imported(*gpu, memory);
  });
}

TEST_F(ImportedOnDevice, WhatCannotBeImportedIsRefusedOrCopied) {
  const auto gpu = executor();
  const std::string least = std::to_string(gpu->facts().host_pointer_alignment);
  const auto expect = [&](const ir::TensorType& type, std::size_t offset, const std::string& says) {
    const Tensor tensor = tests::noise(type);
    const auto memory = std::make_shared<Pages>(tensor, offset);
    const std::string why = tests::message_of([&] { gpu->import(memory->view, memory, Import::require); });
    EXPECT_THAT(why, HasSubstr(says));
    EXPECT_THAT(why, HasSubstr(" wants a multiple of " + least + " bytes"));
    EXPECT_THROW(gpu->import(memory->view, memory, Import::require), ir::Unsupported);
    EXPECT_EQ(memory.use_count(), 1);
    const ir::Buffer copy = gpu->import(memory->view, memory, Import::allow_copy);
    EXPECT_EQ(memory.use_count(), 1);
    std::ranges::fill(memory->view.bytes(), std::byte{0});
    EXPECT_TRUE(tests::same_bytes(read(copy), tensor));
  };
  expect(pages_of_i32, 64, "memory of i32[4, 16384] is not imported: it begins 64 bytes behind a multiple of " + least);
  expect({DType::u8, {65537}}, 0, "memory of u8[65537] is not imported: it has 65537 bytes");
  expect({DType::f32, {}}, 0, "memory of f32[] is not imported: it has 4 bytes");
}

TEST_F(ImportedOnDevice, MemoryThatIsOnlyReadIsRefusedOrCopied) {
  const auto gpu = executor();
  const std::size_t bytes = pages_of_i32.bytes();
  void* const first = ::mmap(nullptr, 2 * bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(first, MAP_FAILED);
  const auto aligned = (reinterpret_cast<std::uintptr_t>(first) + 65535) / 65536 * 65536;
  const ir::MutableView view(pages_of_i32, {reinterpret_cast<std::byte*>(aligned), bytes});
  EXPECT_THAT(tests::message_of([&] { gpu->import(view, {}, Import::require); }),
              HasSubstr("is not imported: the process may not write there"));
  EXPECT_TRUE(tests::same_bytes(read(gpu->import(view, {}, Import::allow_copy)), Tensor(pages_of_i32)));
  ::munmap(first, 2 * bytes);
}

TEST_F(ImportedOnDevice, AnEmptyTensorHasNoMemoryToImport) {
  const auto gpu = executor();
  ir::Buffer buffer = gpu->import({{DType::f32, {0, 3}}, {}}, {}, Import::require);
  EXPECT_TRUE(buffer.mapped().bytes().empty());
}

/// The memory goes when nobody has the buffer any more and no run uses it.
TEST_F(ImportedOnDevice, TheOwnerIsKeptForTheLastRun) {
  const Sum sum;
  auto x = pages(pages_of_i32, 1);
  const std::weak_ptr<Pages> kept = x;
  Tensor found;
  {
    std::unique_ptr<ir::Context> context;
    {
      const auto gpu = executor();
      context = gpu->compile(sum.graph, {}, {{sum.y}})->context();
      context->bind(sum.x, imported(*gpu, x));
    }
    x.reset();
    EXPECT_FALSE(kept.expired());
    const ir::Fence fence = context->submit({{"w", tests::noise(pages_of_i32, 2)}});
    const ir::Buffer y = context->buffer(sum.y);
    context.reset();  // while its run is under way
    EXPECT_TRUE(kept.expired()) << "its run has ended, and nobody has the buffer";
    EXPECT_TRUE(fence.ready());
    fence.get();
    found = read(y);
  }
  EXPECT_TRUE(tests::same_bytes(found, Sum::of(1, 2)));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::import_test
