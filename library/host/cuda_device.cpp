// Functions of libcuda.so.1, and memory by them.
#include "library/host/cuda_device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "ir/error.hpp"

namespace plumb::library::host {
/// The functions that are used, by the names that the driver's library exports.
struct CudaDriver {
  // The structures of CUDA's driver interface (cuda.h), as far as pages need them.

  struct Location {
    int type = 1;  ///< a device
    int number = 0;
  };

  struct AllocationProperties {
    int type = 1;          ///< pinned
    int handle_types = 0;  ///< not to be exported
    Location location;
    void* handle_meta_data = nullptr;
    unsigned char compression = 0, rdma = 0;
    unsigned short usage = 0;
    unsigned char reserved[4] = {};
  };
  static_assert(sizeof(AllocationProperties) == 32);

  struct Access {
    Location location;
    int flags = 3;  ///< read and write
  };

  int (*init)(unsigned);
  int (*device_get)(int* device, int number);
  int (*context_retain)(void** context, int device);
  int (*context_set)(void* context);
  int (*synchronize)();
  int (*error_name)(int code, const char** name);
  int (*allocate)(std::uintptr_t* address, std::size_t size);
  int (*release)(std::uintptr_t address);
  int (*upload)(std::uintptr_t to, const void* from, std::size_t size);
  int (*download)(void* to, std::uintptr_t from, std::size_t size);
  int (*granularity)(std::size_t* bytes, const AllocationProperties* properties, int which);
  int (*reserve)(std::uintptr_t* address, std::size_t size, std::size_t align, std::uintptr_t hint,
                 unsigned long long flags);
  int (*unreserve)(std::uintptr_t address, std::size_t size);
  int (*create)(unsigned long long* handle, std::size_t size, const AllocationProperties* properties,
                unsigned long long flags);
  int (*forget)(unsigned long long handle);
  int (*map)(std::uintptr_t address, std::size_t size, std::size_t offset, unsigned long long handle,
             unsigned long long flags);
  int (*unmap)(std::uintptr_t address, std::size_t size);
  int (*set_access)(std::uintptr_t address, std::size_t size, const Access* access, std::size_t count);

  std::string name_of(int code) const {
    const char* name = nullptr;
    error_name(code, &name);
    return name != nullptr ? name : ir::cat("CUDA error ", code);
  }

  void require(int code, const char* what) const {
    ir::require(code == 0, "cuda: ", what, ": ", code == 0 ? "" : name_of(code));
  }
};

namespace {

std::unique_ptr<CudaDriver> open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw ir::Unsupported("there is no CUDA driver: libcuda.so.1 is not found");
  auto driver = std::make_unique<CudaDriver>();
  const auto find = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) throw ir::Unsupported(ir::cat("the CUDA driver is too old: it has no ", name));
  };
  find(driver->init, "cuInit");
  find(driver->device_get, "cuDeviceGet");
  find(driver->context_retain, "cuDevicePrimaryCtxRetain");
  find(driver->context_set, "cuCtxSetCurrent");
  find(driver->synchronize, "cuCtxSynchronize");
  find(driver->error_name, "cuGetErrorName");
  find(driver->allocate, "cuMemAlloc_v2");
  find(driver->release, "cuMemFree_v2");
  find(driver->upload, "cuMemcpyHtoD_v2");
  find(driver->download, "cuMemcpyDtoH_v2");
  find(driver->granularity, "cuMemGetAllocationGranularity");
  find(driver->reserve, "cuMemAddressReserve");
  find(driver->unreserve, "cuMemAddressFree");
  find(driver->create, "cuMemCreate");
  find(driver->forget, "cuMemRelease");
  find(driver->map, "cuMemMap");
  find(driver->unmap, "cuMemUnmap");
  find(driver->set_access, "cuMemSetAccess");
  return driver;
}

}  // namespace

CudaDevice::CudaDevice(int number) : driver_(open_driver()), number_(number) {
  int device = 0;
  void* context = nullptr;
  int code = driver_->init(0);
  if (code == 0) code = driver_->device_get(&device, number);
  if (code != 0) throw ir::Unsupported(ir::cat("there is no CUDA device ", number, ": ", driver_->name_of(code)));
  driver_->require(driver_->context_retain(&context, device), "no context");
  driver_->require(driver_->context_set(context), "no context");
}

CudaDevice::~CudaDevice() = default;

std::string CudaDevice::problem_of_work() const {
  const int code = driver_->synchronize();
  return code == 0 ? "" : driver_->name_of(code);
}

CudaMemory::CudaMemory(const CudaDevice& device, std::size_t size) : device_(&device) {
  device.driver().require(device.driver().allocate(&address_, std::max<std::size_t>(size, 1)), "no memory");
}

CudaMemory::CudaMemory(CudaMemory&& other) noexcept
    : device_(other.device_), address_(std::exchange(other.address_, 0)) {}

CudaMemory::~CudaMemory() {
  if (address_ != 0) device_->driver().release(address_);
}

void CudaMemory::upload(std::span<const std::byte> from) const {
  device_->driver().require(device_->driver().upload(address_, from.data(), from.size()), "copying to the device");
}

void CudaMemory::download(std::span<std::byte> to) const {
  device_->driver().require(device_->driver().download(to.data(), address_, to.size()), "copying from the device");
}

CudaPages::CudaPages(const CudaDevice& device, std::span<const std::byte> content, bool is_at_end, std::size_t step)
    : device_(device) {
  const CudaDriver& driver = device.driver();
  CudaDriver::AllocationProperties properties;
  properties.location.number = device.number();
  driver.require(driver.granularity(&page_, &properties, 0), "no size of pages");
  inside_ = (std::max<std::size_t>(content.size(), 1) + page_ - 1) / page_ * page_;
  driver.require(driver.reserve(&reserved_, inside_ + 2 * page_, 0, 0, 0), "no addresses");
  unsigned long long handle = 0;
  driver.require(driver.create(&handle, inside_, &properties, 0), "no pages");
  const int mapped = driver.map(reserved_ + page_, inside_, 0, handle, 0);
  driver.forget(handle);  // the mapping keeps the memory
  driver.require(mapped, "no mapping of pages");
  CudaDriver::Access access;
  access.location.number = device.number();
  driver.require(driver.set_access(reserved_ + page_, inside_, &access, 1), "no access to pages");
  data_ = reserved_ + page_ + (is_at_end ? (inside_ - content.size()) / step * step : 0);
  if (!content.empty()) driver.require(driver.upload(data_, content.data(), content.size()), "copying to the device");
}

CudaPages::~CudaPages() {
  const CudaDriver& driver = device_.driver();
  driver.unmap(reserved_ + page_, inside_);
  driver.unreserve(reserved_, inside_ + 2 * page_);
}

void* CudaPages::data() const { return reinterpret_cast<void*>(data_); }

}  // namespace plumb::library::host
