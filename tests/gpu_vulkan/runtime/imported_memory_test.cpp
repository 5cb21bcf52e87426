// Reasons why a device cannot use memory of the host's where it is.
#include "gpu_vulkan/runtime/imported_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/gpu_vulkan/facts.hpp"

namespace plumb::gpu_vulkan::imported_memory_test {
namespace {

constexpr std::size_t page = 4096;

device::DeviceFacts importing() {
  device::DeviceFacts facts = testing::lavapipe();
  facts.name = "the device";
  facts.host_pointer_alignment = page;
  return facts;
}

/// Three pages of one process, of which the middle one may be read alone or not at all.
class ImportedMemory : public ::testing::Test {
 protected:
  ~ImportedMemory() override { ::munmap(first_, 3 * page); }

  void protect(int access) { ASSERT_EQ(::mprotect(static_cast<std::byte*>(first_) + page, page, access), 0); }
  std::string why_not(std::size_t begin, std::size_t bytes, const device::DeviceFacts& facts = importing()) const {
    return runtime::why_not_imported(facts, {static_cast<const std::byte*>(first_) + begin, bytes});
  }

 private:
  void* const first_ = ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

TEST_F(ImportedMemory, BeginsAndEndsAtMultiples) {
  EXPECT_EQ(why_not(0, 3 * page), "");
  EXPECT_EQ(why_not(page, page), "");
  EXPECT_EQ(why_not(64, page),
            "it begins 64 bytes behind a multiple of 4096, and the device wants a multiple of 4096 bytes");
  EXPECT_EQ(why_not(page, page + 4), "it has 4100 bytes, and the device wants a multiple of 4096 bytes");
}

TEST_F(ImportedMemory, IsNoLargerThanABuffer) {
  device::DeviceFacts facts = importing();
  facts.max_allocation = 2 * page;
  EXPECT_EQ(why_not(0, 2 * page, facts), "");
  EXPECT_EQ(why_not(0, 3 * page, facts), "it has 12288 bytes, and a buffer of the device at most 8192");
}

TEST_F(ImportedMemory, WantsTheExtension) {
  device::DeviceFacts facts = importing();
  facts.host_pointer_alignment = 0;
  EXPECT_EQ(why_not(0, page, facts), "the device makes no buffers of the host's memory (VK_EXT_external_memory_host)");
}

TEST_F(ImportedMemory, MayBeWritten) {
  constexpr auto read_only = "the process may not write there";
  for (const int access : {PROT_READ, PROT_NONE, PROT_READ | PROT_EXEC}) {
    protect(access);
    EXPECT_EQ(why_not(0, page), "");
    EXPECT_EQ(why_not(2 * page, page), "");
    EXPECT_EQ(why_not(page, page), read_only);
    EXPECT_EQ(why_not(0, 2 * page), read_only);
    EXPECT_EQ(why_not(0, 3 * page), read_only);
  }
  protect(PROT_READ | PROT_WRITE);
  EXPECT_EQ(why_not(0, 3 * page), "");
}

}  // namespace
}  // namespace plumb::gpu_vulkan::imported_memory_test
