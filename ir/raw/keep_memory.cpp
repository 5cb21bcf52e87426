// Makes glibc keep freed memory, so that tensors that come and go are not cleared by the kernel each time.
#include "ir/raw/keep_memory.hpp"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plumb::ir::raw {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the largest that glibc takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 24);
#endif
}

}  // namespace plumb::ir::raw
