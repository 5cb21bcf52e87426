// Buffers of the ABI in memory of others, and given to others: imports and DLPack.
#include "ir/formats/dlpack.hpp"
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"

using namespace plumb;

namespace plumb::library::abi {
namespace {

namespace formats = ir::formats;

ir::Import import_of(std::int32_t how) {
  ir::require(how == PLUMB_IMPORT_REQUIRE || how == PLUMB_IMPORT_ALLOW_COPY, "how: is ", how);
  return how == PLUMB_IMPORT_REQUIRE ? ir::Import::require : ir::Import::allow_copy;
}

/// Memory of the caller's, who is told of its last use once we have taken it.
struct Taken {
  void (*release)(void* user);
  void* user;
  bool is_ours = false;

  Taken(void (*told)(void*), void* whom) : release(told), user(whom) {}
  Taken(const Taken&) = delete;
  ~Taken() {
    if (is_ours && release != nullptr) release(user);
  }
};

ir::Buffer copied(ir::Executor& executor, const ir::Tensor& tensor) {
  ir::Buffer buffer = executor.allocate(tensor.type());
  buffer.write(tensor);
  return buffer;
}

ir::Buffer imported(ir::Executor& executor, const plumb_tensor& memory, const std::shared_ptr<Taken>& owner,
                    ir::Import how) {
  const ir::TensorType type = type_of(memory, "memory");
  require_data(memory, type, "memory");
  if (!is_row_major(memory, type)) {
    if (how == ir::Import::require) throw ir::Unsupported("memory: its strides are not row-major");
    return copied(executor, copy_of(memory, "memory"));
  }
  const ir::MutableView view(type, {static_cast<std::byte*>(memory.data), type.bytes()});
  require_bools({type, view.bytes()}, "memory");
  return executor.import(view, owner, how);
}

/// Takes the tensor over.
void from_dlpack(plumb_executor* executor, formats::Owned<formats::DLManagedTensorVersioned> tensor, std::int32_t how,
                 plumb_buffer** buffer) {
  require_place(buffer, "buffer");
  const plumb_executor& of = require_handle(executor, "executor");
  const ir::Import import = import_of(how);
  *buffer = new plumb_buffer{formats::from_dlpack(*of.opened->executor, tensor.release(), import)};
}

}  // namespace
}  // namespace plumb::library::abi

using library::abi::guarded;
using library::abi::require_handle;
using library::abi::require_place;
namespace formats = ir::formats;

plumb_error* plumb_buffer_import(plumb_executor* executor, const plumb_tensor* memory, int32_t how,
                                 void (*release)(void* user), void* user, plumb_buffer** buffer) {
  return guarded([&] {
    require_place(buffer, "buffer");
    const plumb_executor& of = require_handle(executor, "executor");
    library::abi::require_sized(memory, "memory");
    const auto owner = std::make_shared<library::abi::Taken>(release, user);
    *buffer = new plumb_buffer{library::abi::imported(*of.opened->executor, library::abi::read(memory, "memory"), owner,
                                                      library::abi::import_of(how))};
    owner->is_ours = true;
  });
}

plumb_error* plumb_buffer_to_dlpack(const plumb_buffer* buffer, int32_t read_only, DLManagedTensorVersioned** tensor) {
  return guarded([&] {
    require_place(tensor, "tensor");
    const ir::Buffer& of = require_handle(buffer, "buffer").buffer;
    *tensor = reinterpret_cast<DLManagedTensorVersioned*>(formats::to_dlpack(of, read_only != 0));
  });
}

plumb_error* plumb_buffer_to_dlpack_unversioned(const plumb_buffer* buffer, DLManagedTensor** tensor) {
  return guarded([&] {
    require_place(tensor, "tensor");
    formats::Owned<formats::DLManagedTensorVersioned> given(
        formats::to_dlpack(require_handle(buffer, "buffer").buffer, false));
    *tensor = reinterpret_cast<DLManagedTensor*>(formats::unversioned(std::move(given)));
  });
}

plumb_error* plumb_buffer_from_dlpack(plumb_executor* executor, DLManagedTensorVersioned* tensor, int32_t how,
                                      plumb_buffer** buffer) {
  return guarded([&] {
    formats::Owned<formats::DLManagedTensorVersioned> given(
        reinterpret_cast<formats::DLManagedTensorVersioned*>(tensor));
    library::abi::from_dlpack(executor, std::move(given), how, buffer);
  });
}

plumb_error* plumb_buffer_from_dlpack_unversioned(plumb_executor* executor, DLManagedTensor* tensor, int32_t how,
                                                  plumb_buffer** buffer) {
  return guarded([&] {
    formats::Owned<formats::DLManagedTensor> given(reinterpret_cast<formats::DLManagedTensor*>(tensor));
    formats::Owned<formats::DLManagedTensorVersioned> turned(formats::versioned(std::move(given)));
    library::abi::from_dlpack(executor, std::move(turned), how, buffer);
  });
}
