// Copies tensors from and to memory of the caller's, by its strides.
#include "library/abi/structs.hpp"

namespace plumb::library::abi {
namespace {

/// Walks through the elements of an array in row-major order: their places, by strides in bytes.
class Places {
 public:
  Places(const plumb_tensor& tensor, const ir::TensorType& type)
      : shape_(tensor.shape, tensor.shape + tensor.rank), index_(shape_.size()), strides_(shape_.size()) {
    auto stride = static_cast<std::int64_t>(ir::info(type.dtype).bytes);
    for (std::size_t axis = shape_.size(); axis-- > 0; stride *= std::max<std::int64_t>(shape_[axis], 1))
      strides_[axis] = tensor.strides != nullptr ? tensor.strides[axis] : stride;
  }

  std::int64_t offset() const { return offset_; }

  void next() {
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      offset_ += strides_[axis];
      if (++index_[axis] < shape_[axis]) return;
      offset_ -= strides_[axis] * shape_[axis];
      index_[axis] = 0;
    }
  }

 private:
  std::vector<std::int64_t> shape_, index_, strides_;
  std::int64_t offset_ = 0;
};

/// Calls act(the element's bytes in the caller's memory, its place in row-major order) for every element.
template <class Act>
void for_each_element(const plumb_tensor& tensor, const ir::TensorType& type, Act act) {
  Places places(tensor, type);
  auto* const data = static_cast<std::byte*>(tensor.data);
  const std::int64_t count = type.shape.elements();
  for (std::int64_t k = 0; k < count; ++k, places.next()) act(data + places.offset(), static_cast<std::size_t>(k));
}

}  // namespace

std::int32_t number_of(ir::DType dtype) { return static_cast<std::int32_t>(dtype) + PLUMB_BOOL; }

ir::DType dtype_of(std::int32_t number, std::string_view argument) {
  ir::require(number >= PLUMB_BOOL && number <= PLUMB_U16, argument, ": there is no dtype ", number);
  return static_cast<ir::DType>(number - PLUMB_BOOL);
}

std::string text_of(const char* text, std::string_view argument) {
  ir::require(text != nullptr, argument, ": is NULL");
  return text;
}

plumb_tensor described(const ir::TensorType& type, const char* name) {
  plumb_tensor made{};
  made.struct_size = sizeof made;
  made.dtype = number_of(type.dtype);
  made.rank = static_cast<std::int32_t>(type.shape.rank());
  made.shape = type.shape.data();
  made.name = name;
  return made;
}

plumb_tensor shown(const ir::Tensor& tensor, const char* name) {
  plumb_tensor made = described(tensor.type(), name);
  // C has no second type for tensors that are only read; who gets one is told not to write.
  made.data = const_cast<std::byte*>(tensor.bytes().data());
  return made;
}

ir::TensorType type_of(const plumb_tensor& tensor, std::string_view argument) {
  const ir::DType dtype = dtype_of(tensor.dtype, argument);
  ir::require(tensor.rank >= 0 && tensor.rank <= ir::max_rank, argument, ": rank is ", tensor.rank);
  ir::require(tensor.shape != nullptr || tensor.rank == 0, argument, ": shape is NULL");
  ir::TensorType type{dtype, ir::Shape(tensor.shape, tensor.shape + tensor.rank)};
  try {
    ir::check_type(type);
  } catch (const ir::Error& error) {
    ir::fail(argument, ": ", error.what());
  }
  return type;
}

void require_data(const plumb_tensor& tensor, const ir::TensorType& type, std::string_view argument) {
  ir::require(tensor.device == 0, argument, ": device is ", tensor.device, ", and memory of the host (0) is wanted");
  ir::require(tensor.data != nullptr || type.bytes() == 0, argument, ": data is NULL");
}

bool is_row_major(const plumb_tensor& tensor, const ir::TensorType& type) {
  if (tensor.strides == nullptr || type.bytes() == 0) return true;
  auto stride = static_cast<std::int64_t>(ir::info(type.dtype).bytes);
  for (std::size_t axis = type.shape.size(); axis-- > 0; stride *= type.shape[axis])
    if (type.shape[axis] != 1 && tensor.strides[axis] != stride) return false;
  return true;
}

void require_bools(const ir::TensorView& tensor, std::string_view argument) {
  if (tensor.dtype() != ir::DType::boolean) return;
  for (const std::byte one : tensor.bytes())
    ir::require(one == std::byte{0} || one == std::byte{1}, argument, ": has a bool that is ",
                std::to_integer<int>(one));
}

ir::Tensor copy_of(const plumb_tensor& tensor, std::string_view argument) {
  const ir::TensorType type = type_of(tensor, argument);
  require_data(tensor, type, argument);
  ir::Tensor made(type);
  const std::span<std::byte> to = made.bytes();
  const std::size_t size = ir::info(type.dtype).bytes;
  if (tensor.strides == nullptr && !to.empty())
    std::memcpy(to.data(), tensor.data, to.size());
  else
    for_each_element(tensor, type,
                     [&](const std::byte* from, std::size_t k) { std::memcpy(&to[k * size], from, size); });
  require_bools(made, argument);
  return made;
}

std::vector<ir::Tensor> copies_of(const plumb_tensor* first, std::size_t count, std::string_view argument) {
  std::vector<ir::Tensor> made;
  if (count == 0) return made;
  require_sized(first, argument);
  for (std::size_t k = 0; k < count; ++k)
    made.push_back(copy_of(read_element(first, k), ir::cat(argument, "[", k, "]")));
  return made;
}

ir::Feeds feeds_of(const plumb_tensor* first, std::size_t count, std::string_view argument) {
  ir::Feeds feeds;
  std::vector<ir::Tensor> tensors = copies_of(first, count, argument);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = text_of(read_element(first, k).name, ir::cat(argument, "[", k, "].name"));
    ir::require(feeds.emplace(name, std::move(tensors[k])).second, argument, ": '", name, "' is there twice");
  }
  return feeds;
}

void copy_into(const ir::TensorView& from, const plumb_tensor& to, std::string_view argument) {
  const ir::TensorType type = type_of(to, argument);
  ir::require(type == from.type(), argument, ": is ", type, ", and the value ", from.type());
  require_data(to, type, argument);
  const std::size_t size = ir::info(type.dtype).bytes;
  if (to.strides == nullptr && !from.bytes().empty())
    std::memcpy(to.data, from.bytes().data(), from.bytes().size());
  else
    for_each_element(to, type,
                     [&](std::byte* place, std::size_t k) { std::memcpy(place, &from.bytes()[k * size], size); });
}

}  // namespace plumb::library::abi
