#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "ir/shape.hpp"

namespace plumb::ir {

/// A dense row-major array somewhere in memory: a type and bytes, owned by
/// somebody else. `Byte` is `const std::byte` for a view that only reads.
template <class Byte>
class BasicView {
 public:
  template <class T>
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  BasicView() = default;
  BasicView(TensorType type, std::span<Byte> bytes) : type_(std::move(type)), bytes_(bytes) {
    require(bytes_.size() == type_.bytes(), type_, " viewed over ", bytes_.size(), " bytes");
  }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  std::int64_t elements() const { return static_cast<std::int64_t>(bytes_.size() / info(dtype()).bytes); }
  std::span<Byte> bytes() const { return bytes_; }

  /// The elements, as the C++ type of the dtype.
  template <class T>
  std::span<Element<T>> as() const {
    require(dtype() == dtype_of<T>, "tensor is ", dtype(), ", read as ", dtype_of<T>);
    return {reinterpret_cast<Element<T>*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  TensorType type_;
  std::span<Byte> bytes_;
};

using TensorView = BasicView<const std::byte>;
using MutableView = BasicView<std::byte>;

/// Bytes aligned for vector loads.
class AlignedBytes {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedBytes() = default;
  /// `size` zero bytes.
  explicit AlignedBytes(std::size_t size);
  AlignedBytes(const AlignedBytes& other);
  AlignedBytes(AlignedBytes&&) noexcept = default;
  AlignedBytes& operator=(AlignedBytes other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::span<std::byte> span() { return {data_.get(), size_}; }
  std::span<const std::byte> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t(alignment)); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

/// A dense row-major array that owns its bytes, or reads those of somebody else: see shared(). Copying copies its own.
class Tensor {
 public:
  Tensor() : Tensor(TensorType{DType::f32, {0}}) {}
  /// All zero.
  explicit Tensor(TensorType type) : type_(std::move(type)), bytes_(type_.bytes()) {}
  explicit Tensor(const TensorView& view) : Tensor(view.type()) { std::ranges::copy(view.bytes(), bytes().begin()); }

  /// A tensor with these values in row-major order.
  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values) {
    Tensor tensor({dtype_of<T>, std::move(shape)});
    require(tensor.as<T>().size() == values.size(), "tensor ", tensor.type(), " given ", values.size(), " values");
    std::copy(values.begin(), values.end(), tensor.as<T>().begin());
    return tensor;
  }

  /// A tensor over bytes that `owner` keeps, unchanged and at addresses that suit the dtype: a part of a mapped file,
  /// say. Its copies read the same bytes. Who asks a tensor that is not const for bytes may write to them, and gets a
  /// copy that is this tensor's alone: views from before that are of the old bytes.
  static Tensor shared(TensorType type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  std::int64_t elements() const { return view().elements(); }
  std::span<const std::byte> bytes() const { return owner_ ? shared_ : bytes_.span(); }
  std::span<std::byte> bytes() {
    if (owner_) own();
    return bytes_.span();
  }

  TensorView view() const { return {type_, bytes()}; }
  MutableView view() { return {type_, bytes()}; }
  operator TensorView() const { return view(); }

  template <class T>
  std::span<const T> as() const {
    return view().as<T>();
  }
  template <class T>
  std::span<T> as() {
    return view().template as<T>();
  }

 private:
  /// Makes a copy of shared bytes this tensor's own.
  void own();

  TensorType type_;
  AlignedBytes bytes_;
  std::shared_ptr<const void> owner_ = {};  ///< keeps shared_; null where the bytes are its own
  std::span<const std::byte> shared_ = {};
};

/// Converts the numbers of x to dtype `to`, as the op cast does.
Tensor convert(const TensorView& x, DType to);

}  // namespace plumb::ir
