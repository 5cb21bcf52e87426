#include "tests/ir/counted_new.hpp"

#include <cstdlib>
#include <new>

// g++ has a macro for AddressSanitizer, clang a feature.
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ITS_OWN_NEW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ITS_OWN_NEW
#endif
#endif

namespace plumb::tests {
std::atomic<std::size_t> largest_allocation = 0;
thread_local std::size_t allocations = 0;

#if !defined(HAS_ITS_OWN_NEW)
namespace {
void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (size > largest_allocation) largest_allocation = size;
  if (void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)) return memory;
  throw std::bad_alloc();
}
}  // namespace
#endif
}  // namespace plumb::tests

#if !defined(HAS_ITS_OWN_NEW)
void* operator new(std::size_t size) { return plumb::tests::counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return plumb::tests::counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
