// Gives buffers as DLPack tensors, and checks and takes such tensors of others.
#include "ir/formats/dlpack.hpp"

#include <cstring>

#include "ir/kernels/strided_copy.hpp"

namespace plumb::ir::formats {
namespace {

static_assert(sizeof(void*) == 8, "the layouts below are those of processors with 64 bits");
static_assert(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4 && sizeof(DLPackVersion) == 8);
static_assert(offsetof(DLDevice, device_id) == 4);
static_assert(offsetof(DLDataType, bits) == 1 && offsetof(DLDataType, lanes) == 2);
static_assert(offsetof(DLPackVersion, minor) == 4);
static_assert(offsetof(DLTensor, device) == 8 && offsetof(DLTensor, ndim) == 16 && offsetof(DLTensor, dtype) == 20);
static_assert(offsetof(DLTensor, shape) == 24 && offsetof(DLTensor, strides) == 32);
static_assert(offsetof(DLTensor, byte_offset) == 40 && sizeof(DLTensor) == 48);
static_assert(offsetof(DLManagedTensorVersioned, manager_ctx) == 8 &&
              offsetof(DLManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24 && offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
static_assert(sizeof(DLManagedTensorVersioned) == 80);
static_assert(offsetof(DLManagedTensor, manager_ctx) == 48 && offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensor) == 64);

constexpr DLPackVersion dlpack_version{1, 0};
constexpr std::uint8_t dl_int = 0, dl_uint = 1, dl_float = 2, dl_bfloat = 4, dl_complex = 5, dl_bool = 6;

template <class... Parts>
[[noreturn]] void unsupported(const Parts&... parts) {
  throw Unsupported(cat("DLPack tensor ", parts...));
}

template <class... Parts>
void require_tensor(bool condition, const Parts&... parts) {
  require(condition, "DLPack tensor ", parts...);
}

/// A buffer that was given, with the tensor that says where it is.
struct Given {
  Buffer buffer;
  std::vector<std::int64_t> strides;
  DLManagedTensorVersioned tensor;
};

/// A tensor in one form that keeps it in the other.
template <class To, class From>
struct Turned {
  Owned<From> from;
  To to{};

  static To* of(Owned<From> tensor) {
    require(tensor != nullptr, "there is no DLPack tensor");
    auto made = std::make_unique<Turned>();
    made->from = std::move(tensor);
    made->to.manager_ctx = made.get();
    made->to.deleter = [](To* self) { delete static_cast<Turned*>(self->manager_ctx); };
    made->to.dl_tensor = made->from->dl_tensor;
    return &made.release()->to;
  }
};

void check_device(const DLDevice& device) {
  const std::int32_t type = device.device_type;
  if (type == dl_cpu || type == dl_cuda_host || type == dl_rocm_host) return;
  constexpr std::array<std::pair<std::int32_t, std::string_view>, 7> names = {{{2, " (CUDA)"},
                                                                               {4, " (OpenCL)"},
                                                                               {7, " (Vulkan)"},
                                                                               {8, " (Metal)"},
                                                                               {10, " (ROCm)"},
                                                                               {13, " (CUDA managed)"},
                                                                               {14, " (oneAPI)"}}};
  const auto named = std::ranges::find(names, type, &std::pair<std::int32_t, std::string_view>::first);
  unsupported("is on a device of type ", type, named != names.end() ? named->second : "",
              ", and only memory of the host is read");
}

DType dtype_of_dl(const DLDataType& of) {
  if (of.lanes != 1) unsupported("has elements of ", of.lanes, " lanes, known are those of 1");
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const DLDataType known = dl_type_of(static_cast<DType>(i));
    if (known.code == of.code && known.bits == of.bits) return static_cast<DType>(i);
  }
  unsupported("has elements of code ", int{of.code}, " and ", int{of.bits}, " bits, which no dtype of the IR is");
}

TensorType type_of(const DLTensor& tensor) {
  check_device(tensor.device);
  const DType dtype = dtype_of_dl(tensor.dtype);
  require_tensor(tensor.ndim >= 0, "has ", tensor.ndim, " axes");
  if (tensor.ndim > max_rank) unsupported("has ", tensor.ndim, " axes, at most ", max_rank, " are known");
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  require_tensor(rank == 0 || tensor.shape != nullptr, "has ", rank, " axes and no shape");
  TensorType type{dtype, Shape(std::span(tensor.shape, rank))};
  try {
    check_type(type);
  } catch (const Error& error) {
    fail("DLPack tensor: ", error.what());
  }
  require_tensor(type.bytes() == 0 || tensor.data != nullptr, "is ", type, ", and has no data");
  return type;
}

/// Row-major strides; ones for an empty tensor, whose other axes may be too long to be multiplied.
std::vector<std::int64_t> strides_of(const TensorType& type) {
  return type.bytes() == 0 ? std::vector<std::int64_t>(type.shape.size(), 1) : type.shape.strides();
}

/// Reads the elements in row-major order, counted from the first.
kernels::StridedCopy in_order(const DLTensor& tensor, const TensorType& type) {
  if (tensor.strides == nullptr) return {};
  return kernels::read_strided(type.dtype, type.shape, {tensor.strides, tensor.strides + type.shape.size()});
}

Tensor gathered(const TensorType& type, const std::byte* first, const kernels::StridedCopy& reads) {
  const kernels::StridedCopy copy = reads.simplified();
  const auto width = static_cast<std::int64_t>(copy.width);
  Tensor dense(type);
  std::vector<std::int64_t> at(copy.axes.size(), 0);
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < copy.elements(); ++to) {
    std::memcpy(dense.bytes().data() + to * width, first + from * width, copy.width);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      from += copy.axes[axis].from;
      if (++at[axis] < copy.axes[axis].extent) break;
      from -= copy.axes[axis].extent * copy.axes[axis].from;
      at[axis] = 0;
    }
  }
  return dense;
}

void check_bools(const TensorView& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  for (const std::byte x : tensor.bytes())
    require_tensor(x <= std::byte{1}, "is ", tensor.type(), ", and has a bool that is neither 0 nor 1");
}

/// The buffer of an executor that imports memory; nothing where it does not, and may copy.
std::optional<Buffer> imported(Executor& executor, const MutableView& memory, const std::shared_ptr<void>& owner,
                               Import how) {
  try {
    return executor.import(memory, owner, how);
  } catch (const Unsupported& error) {
    if (how == Import::require) unsupported("is ", memory.type(), ", and cannot stay where it is: ", error.what());
    return std::nullopt;
  }
}

}  // namespace

DLDataType dl_type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * info(dtype).bytes);
  if (dtype == DType::boolean) return {dl_bool, bits, 1};
  if (dtype == DType::bf16) return {dl_bfloat, bits, 1};
  if (is_complex(dtype)) return {dl_complex, bits, 1};
  if (is_float(dtype)) return {dl_float, bits, 1};
  return {is_signed(dtype) ? dl_int : dl_uint, bits, 1};
}

DLManagedTensor* unversioned(Owned<DLManagedTensorVersioned> tensor) {
  return Turned<DLManagedTensor, DLManagedTensorVersioned>::of(std::move(tensor));
}

DLManagedTensorVersioned* versioned(Owned<DLManagedTensor> tensor) {
  DLManagedTensorVersioned* const made = Turned<DLManagedTensorVersioned, DLManagedTensor>::of(std::move(tensor));
  made->version = dlpack_version;
  return made;
}

DLManagedTensorVersioned* to_dlpack(const Buffer& buffer, bool read_only) {
  auto given = std::make_unique<Given>(Given{buffer, strides_of(buffer.type()), {}});
  const std::span<std::byte> bytes = read_only ? buffer.memory()->mapped() : given->buffer.mapped().bytes();
  const TensorType& type = given->buffer.type();
  given->tensor = {.version = dlpack_version,
                   .manager_ctx = given.get(),
                   .deleter = [](DLManagedTensorVersioned* self) { delete static_cast<Given*>(self->manager_ctx); },
                   .flags = read_only ? dl_read_only : 0,
                   .dl_tensor = {.data = bytes.empty() ? nullptr : bytes.data(),
                                 .device = {dl_cpu, 0},
                                 .ndim = static_cast<std::int32_t>(type.shape.size()),
                                 .dtype = dl_type_of(type.dtype),
                                 .shape = type.shape.data(),
                                 .strides = given->strides.data(),
                                 .byte_offset = 0}};
  return &given.release()->tensor;
}

Buffer from_dlpack(Executor& executor, DLManagedTensorVersioned* tensor, Import how) {
  require(tensor != nullptr, "there is no DLPack tensor");
  const std::shared_ptr<void> owner(Owned<DLManagedTensorVersioned>{tensor});
  // Another major version may have anything behind the flags.
  if (tensor->version.major != dlpack_version.major)
    unsupported("is of version ", tensor->version.major, ".", tensor->version.minor, ", known is ",
                dlpack_version.major);
  const DLTensor& given = tensor->dl_tensor;
  const TensorType type = type_of(given);
  if (type.bytes() == 0) return executor.allocate(type);
  std::byte* const first = static_cast<std::byte*>(given.data) + given.byte_offset;
  const kernels::StridedCopy copy = in_order(given, type);
  const bool is_dense = copy.is_plain(), is_read_only = (tensor->flags & dl_read_only) != 0;
  if (how == Import::require && (!is_dense || is_read_only))
    unsupported("is ", type, ", and cannot stay where it is: it is ", is_dense ? "read-only" : "not row-major");
  const Tensor rows = is_dense ? Tensor() : gathered(type, first, copy);
  const TensorView elements = is_dense ? TensorView(type, {first, type.bytes()}) : rows.view();
  check_bools(elements);
  if (is_dense && !is_read_only)
    if (auto buffer = imported(executor, {type, {first, type.bytes()}}, owner, how)) return *std::move(buffer);
  Buffer buffer = executor.allocate(type);
  buffer.write(elements);
  return buffer;
}

}  // namespace plumb::ir::formats
