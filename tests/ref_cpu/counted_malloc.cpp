// The C library's allocation and operator new, counted.
#include "tests/ref_cpu/counted_malloc.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define IS_NOT_COUNTED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_NOT_COUNTED
#endif
#endif

#ifdef IS_NOT_COUNTED
namespace plumb::tests {
void begin_counting() {}
Asked end_counting() { return {}; }
bool counts_memory() { return false; }
}  // namespace plumb::tests
#else

#include <dlfcn.h>
#include <execinfo.h>

#include <cstring>

namespace plumb::tests {
namespace {

constinit std::atomic<bool> is_counting = false;
constinit std::atomic<std::uint64_t> by_new = 0, by_malloc = 0;

bool is_of_onetbb(const void* caller) {
  Dl_info where;
  return dladdr(caller, &where) != 0 && where.dli_fname != nullptr && std::strstr(where.dli_fname, "libtbb") != nullptr;
}

void count_new(const void* caller) {
  if (!is_counting || is_of_onetbb(caller)) return;
  if (by_new.fetch_add(1) >= 3) return;
  void* frames[24];
  backtrace_symbols_fd(frames, backtrace(frames, 24), 2);
}

void count_malloc() {
  if (is_counting.load(std::memory_order_relaxed)) by_malloc.fetch_add(1, std::memory_order_relaxed);
}

void* made(std::size_t size, std::size_t alignment, const void* caller) {
  count_new(caller);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  if (void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(alignment, whole))
    return memory;
  throw std::bad_alloc();
}

}  // namespace

void begin_counting() {
  void* frame;
  backtrace(&frame, 1);  // which allocates the first time
  by_new = by_malloc = 0;
  is_counting = true;
}

Asked end_counting() {
  is_counting = false;
  return {by_new, by_malloc};
}

bool counts_memory() { return true; }

}  // namespace plumb::tests

void* operator new(std::size_t size) {
  return plumb::tests::made(size, alignof(std::max_align_t), __builtin_return_address(0));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return plumb::tests::made(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// These take the place of glibc's for the whole program, shared libraries among it; glibc's free fits them.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  plumb::tests::count_malloc();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  plumb::tests::count_malloc();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  plumb::tests::count_malloc();
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  plumb::tests::count_malloc();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
}
#endif
