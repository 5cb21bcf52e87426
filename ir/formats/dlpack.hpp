// Tensors as DLPack has them in memory (https://dmlc.github.io/dlpack): its structures, buffers given in them, and
// buffers made of them.
#pragma once

#include <memory>

#include "ir/residency.hpp"

namespace plumb::ir::formats {

struct DLDevice {
  std::int32_t device_type, device_id;
};

struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  const std::int64_t* shape;
  const std::int64_t* strides;  ///< in elements; where it is null, the elements are dense and row-major
  std::uint64_t byte_offset;    ///< from `data` to the first element
};

struct DLPackVersion {
  std::uint32_t major, minor;
};

/// A tensor that is given on. Whoever is given it calls the deleter once, where it is not null.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

/// A tensor as it was given on before version 1, when nobody could say that it is read-only.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

/// Whoever holds it was given the tensor, in either form.
template <class Managed>
struct CallDeleter {
  void operator()(Managed* tensor) const {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};
template <class Managed>
using Owned = std::unique_ptr<Managed, CallDeleter<Managed>>;

/// A tensor in the other form, whose deleter calls its own. Throws Error where there is none.
DLManagedTensor* unversioned(Owned<DLManagedTensorVersioned> tensor);
DLManagedTensorVersioned* versioned(Owned<DLManagedTensor> tensor);

inline constexpr std::int32_t dl_cpu = 1, dl_cuda = 2, dl_cuda_host = 3, dl_rocm_host = 11;  ///< types of devices
inline constexpr std::uint64_t dl_read_only = 1;                                             ///< a flag

DLDataType dl_type_of(DType dtype);

/// The memory of a buffer, which is kept until the deleter is called, from any thread. As with Buffer::mapped, whoever
/// uses it waits for the runs that do. `read_only` says so to the consumer; a buffer that is not written, a param say,
/// is given in no other way. Throws Unsupported where the host does not see the memory.
DLManagedTensorVersioned* to_dlpack(const Buffer& buffer, bool read_only);

/// A buffer with the elements of a tensor in the host's memory, CUDA's and ROCm's pinned memory included; whoever wrote
/// it is done. Takes the tensor over, also when it throws: its deleter is called when nothing needs it any more.
///
/// Memory that is dense, row-major and not read-only is the buffer's own memory where the executor imports it. Under
/// allow_copy anything else is copied into memory of the executor, whatever its strides. Throws Unsupported under
/// `require` where it would be copied, and for other devices, versions, lanes and types of elements; Error for a tensor
/// that is none, or has a bool that is neither 0 nor 1.
Buffer from_dlpack(Executor& executor, DLManagedTensorVersioned* tensor, Import how);

}  // namespace plumb::ir::formats
