/* A CUDA driver of one device, whose memory is the host's, as far as candidate-host calls one. An access to reserved
 * addresses at which there is nothing succeeds, and all work from then on ends with CUDA_ERROR_ILLEGAL_ADDRESS. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { page = 4096, most = 64, illegal_address = 700, out_of_range = 101 };

static struct {
  uintptr_t first;
  size_t size;
} reserved[most];
static volatile sig_atomic_t problem;

static void on_fault(int number, siginfo_t* info, void* context) {
  const uintptr_t at = (uintptr_t)info->si_addr;
  for (int k = 0; k < most; ++k)
    if (at - reserved[k].first < reserved[k].size) {
      problem = illegal_address;
      mprotect((void*)(at & ~(uintptr_t)(page - 1)), page, PROT_READ | PROT_WRITE);
      return;
    }
  signal(number, SIG_DFL);
}

int cuInit(unsigned flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGSEGV, &action, NULL);
}

int cuDeviceGet(int* device, int number) {
  *device = number;
  return number == 0 ? 0 : out_of_range;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reserved;
  return 0;
}

int cuCtxSetCurrent(void* context) { return 0; }
int cuCtxSynchronize(void) { return problem; }

int cuGetErrorName(int code, const char** name) {
  *name = code == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_DEVICE";
  return 0;
}

int cuMemAlloc_v2(uintptr_t* address, size_t size) {
  *address = (uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256);
  return problem;
}

int cuMemFree_v2(uintptr_t address) {
  free((void*)address);
  return problem;
}

int cuMemcpyHtoD_v2(uintptr_t to, const void* from, size_t size) {
  memcpy((void*)to, from, size);
  return problem;
}

int cuMemcpyDtoH_v2(void* to, uintptr_t from, size_t size) {
  memcpy(to, (const void*)from, size);
  return problem;
}

int cuMemGetAllocationGranularity(size_t* bytes, const void* properties, int which) {
  *bytes = page;
  return problem;
}

int cuMemAddressReserve(uintptr_t* address, size_t size, size_t align, uintptr_t hint, unsigned long long flags) {
  void* const made = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int k = 0; k < most; ++k)
    if (reserved[k].size == 0) {
      reserved[k].first = *address = (uintptr_t)made;
      reserved[k].size = size;
      return problem;
    }
  return out_of_range;
}

int cuMemAddressFree(uintptr_t address, size_t size) {
  for (int k = 0; k < most; ++k)
    if (reserved[k].first == address) reserved[k].size = 0;
  munmap((void*)address, size);
  return problem;
}

int cuMemCreate(unsigned long long* handle, size_t size, const void* properties, unsigned long long flags) {
  *handle = size;
  return problem;
}

int cuMemRelease(unsigned long long handle) { return problem; }

int cuMemMap(uintptr_t address, size_t size, size_t offset, unsigned long long handle, unsigned long long flags) {
  return handle == size ? problem : out_of_range;
}

int cuMemUnmap(uintptr_t address, size_t size) { return problem; }

int cuMemSetAccess(uintptr_t address, size_t size, const void* access, size_t count) {
  return mprotect((void*)address, size, PROT_READ | PROT_WRITE) == 0 ? problem : out_of_range;
}
