// Buffers given and taken as DLPack tensors: types, strides, refusals, and one call of each deleter.
#include "ir/formats/dlpack.hpp"

#include <gmock/gmock.h>

#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/host_memory.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::dlpack_test {
namespace {

using formats::DLManagedTensorVersioned;
using formats::from_dlpack;
using formats::to_dlpack;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Has buffers in the host's memory, and imports none.
class Copying : public Executor {
 public:
  std::string_view name() const override { return "copying"; }
  bool has_kernel(const OpSchema&) const override { return false; }
  std::unique_ptr<Executable> compile(const Graph&, const Feeds&, const Capture&) override { return nullptr; }
  Buffer allocate(const TensorType& type) override { return cpu_.allocate(type); }

 private:
  ref_cpu::CpuExecutor cpu_;
};

class Importing final : public Copying {
 public:
  Buffer import(MutableView memory, std::shared_ptr<void> owner, Import) override {
    return {std::make_shared<ref_cpu::HostMemory>(memory.bytes(), std::move(owner), ""), memory.type()};
  }
};

/// A tensor of somebody else's, who counts the calls of its deleter.
struct Foreign {
  Foreign(void* data, const TensorType& type, std::vector<std::int64_t> by = {})
      : shape(type.shape), strides(std::move(by)) {
    tensor = {{1, 0}, this, count, 0, {data, {1, 0}, 0, formats::dl_type_of(type.dtype), nullptr, nullptr, 0}};
    tensor.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.dl_tensor.shape = shape.data();
    tensor.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  Foreign(const Foreign&) = delete;

  static void count(DLManagedTensorVersioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; }

  Shape shape;
  std::vector<std::int64_t> strides;
  DLManagedTensorVersioned tensor{};
  int deleted = 0;
};

Tensor read(const Buffer& buffer) {
  Tensor tensor(buffer.type());
  buffer.read(tensor.view());
  return tensor;
}

Buffer buffer_of(const Tensor& tensor) {
  Buffer buffer = Copying().allocate(tensor.type());
  buffer.write(tensor);
  return buffer;
}

/// The message of what is thrown, behind "unsupported: " where it is Unsupported; "" where nothing is.
std::string refusal(Executor& executor, DLManagedTensorVersioned* tensor, Import how) {
  try {
    from_dlpack(executor, tensor, how);
    return "";
  } catch (const Unsupported& error) {
    return cat("unsupported: ", error.what());
  } catch (const Error& error) {
    return error.what();
  }
}

/// The element at each multi-index of a tensor of ranks up to 2, in row-major order.
Tensor strided(const Tensor& whole, const Shape& shape, const std::vector<std::int64_t>& strides, std::int64_t first) {
  const std::size_t width = info(whole.dtype()).bytes;
  Tensor out({whole.dtype(), shape});
  const std::int64_t rows = shape.size() == 2 ? shape[0] : 1, columns = shape.empty() ? 1 : shape.back();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t from =
          first + (i > 0 ? i * strides[0] : 0) + (j > 0 ? j * strides.back() : 0);  // no stride of an extent of 1
      const auto source = whole.bytes().subspan(static_cast<std::size_t>(from) * width, width);
      std::ranges::copy(source, out.bytes().begin() + (i * columns + j) * static_cast<std::int64_t>(width));
    }
  return out;
}

bool same(const Tensor& a, const Tensor& b) { return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes()); }

TEST(DLPack, EveryTypeGoesThereAndBackWhereItIs) {
  struct Known {
    DType dtype;
    int code, bits;
  };
  const std::vector<Known> table = {
      {DType::boolean, 6, 8}, {DType::u8, 1, 8},   {DType::u16, 1, 16}, {DType::u32, 1, 32},  {DType::i8, 0, 8},
      {DType::i16, 0, 16},    {DType::i32, 0, 32}, {DType::i64, 0, 64}, {DType::f16, 2, 16},  {DType::bf16, 4, 16},
      {DType::f32, 2, 32},    {DType::f64, 2, 64}, {DType::c64, 5, 64}, {DType::c128, 5, 128}};
  ASSERT_EQ(table.size(), dtype_count);
  Importing executor;
  for (const Known& known : table) {
    SCOPED_TRACE(info(known.dtype).name);
    const Tensor x = tests::noise({known.dtype, {3, 4}});
    Buffer buffer = buffer_of(x);
    const std::byte* const data = buffer.mapped().bytes().data();
    DLManagedTensorVersioned* const given = to_dlpack(buffer, false);
    EXPECT_EQ(given->version.major, 1u);
    EXPECT_EQ(given->flags, 0u);
    const formats::DLTensor& tensor = given->dl_tensor;
    EXPECT_EQ(tensor.data, data);
    EXPECT_EQ(tensor.device.device_type, 1);
    EXPECT_EQ(tensor.device.device_id, 0);
    EXPECT_EQ(int{tensor.dtype.code}, known.code);
    EXPECT_EQ(int{tensor.dtype.bits}, known.bits);
    EXPECT_EQ(tensor.dtype.lanes, 1);
    ASSERT_EQ(tensor.ndim, 2);
    EXPECT_THAT(std::span(tensor.shape, 2), ElementsAre(3, 4));
    EXPECT_THAT(std::span(tensor.strides, 2), ElementsAre(4, 1));
    EXPECT_EQ(tensor.byte_offset, 0u);
    Buffer back = from_dlpack(executor, given, Import::require);
    EXPECT_EQ(back.mapped().bytes().data(), data);
    EXPECT_TRUE(same(read(back), x));
  }
}

TEST(DLPack, WhatIsGivenLivesUntilItsDeleterIsCalled) {
  DLManagedTensorVersioned* given = nullptr;
  std::weak_ptr<Memory> memory;
  {
    const Buffer buffer = buffer_of(Tensor::of<float>({2}, {3, 4}));
    memory = buffer.memory();
    given = to_dlpack(buffer, false);
  }
  EXPECT_EQ(static_cast<const float*>(given->dl_tensor.data)[1], 4);
  given->deleter(given);
  EXPECT_TRUE(memory.expired());
}

TEST(DLPack, ParamsAreGivenToBeReadOnly) {
  ref_cpu::CpuExecutor cpu;
  DLManagedTensorVersioned* given = nullptr;
  {
    const Buffer param = cpu.hold({{"w", Tensor::of<float>({2}, {3, 4})}})->buffer("w");
    EXPECT_THAT(tests::message_of([&] { to_dlpack(param, false); }), HasSubstr("param 'w' is not written"));
    given = to_dlpack(param, true);
  }
  EXPECT_EQ(given->flags, 1u);
  EXPECT_EQ(static_cast<const float*>(given->dl_tensor.data)[1], 4);
  given->deleter(given);
}

TEST(DLPack, EmptyTensorsAndScalarsAreGiven) {
  for (const Shape& shape : {Shape{0, 3}, Shape{}, Shape{0, std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
    const TensorType type{DType::i16, shape};
    SCOPED_TRACE(type);
    DLManagedTensorVersioned* const given = to_dlpack(Copying().allocate(type), false);
    EXPECT_EQ(given->dl_tensor.data == nullptr, type.bytes() == 0);
    Importing executor;
    EXPECT_EQ(from_dlpack(executor, given, Import::require).type(), type);
    if (type.bytes() > 0) continue;
    Foreign empty(nullptr, type, std::vector<std::int64_t>(shape.size(), std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(from_dlpack(executor, &empty.tensor, Import::require).type(), type);
    EXPECT_EQ(empty.deleted, 1);
  }
}

TEST(DLPack, MemoryThatTheHostDoesNotSeeIsNotGiven) {
  struct Hidden final : Memory {
    const void* place() const override { return this; }
    std::span<std::byte> mapped() override { throw Unsupported("the host does not see it"); }
    void write(std::span<const std::byte>, const std::vector<Stretch>&) override {}
    void read(std::span<std::byte>, const std::vector<Stretch>&) override {}
    void copy(Memory&, const std::vector<Piece>&) override {}
  };
  const Buffer hidden(std::make_shared<Hidden>(), {DType::f32, {2}});
  EXPECT_THROW(to_dlpack(hidden, false), Unsupported);
  EXPECT_THROW(to_dlpack(hidden, true), Unsupported);
}

TEST(DLPack, StridesAreReadInRowMajorOrder) {
  struct View {
    Shape shape;
    std::vector<std::int64_t> strides;
    std::int64_t first = 0;
  };
  const std::vector<View> views = {{{4, 6}, {6, 1}},  // dense
                                   {{6, 4}, {1, 6}},  // transposed
                                   {{4}, {-1}, 7},
                                   {{4, 3}, {-6, -2}, 23},
                                   {{3, 5}, {0, 1}},
                                   {{3, 5}, {2, 0}, 1},
                                   {{4, 2}, {6, 1}, 3},  // columns of a row-major matrix
                                   {{4, 2}, {6, 1}, 4},
                                   {{5}, {4}},
                                   {{1, 3}, {std::numeric_limits<std::int64_t>::max(), 1}, 2},
                                   {{3, 1}, {1, std::numeric_limits<std::int64_t>::min()}},
                                   {{}, {}, 5}};
  Copying executor;
  for (std::size_t t = 0; t < dtype_count; ++t)
    for (const View& view : views) {
      const auto dtype = static_cast<DType>(t);
      SCOPED_TRACE(cat(TensorType{dtype, view.shape}, " by ", Shape(view.strides)));
      Tensor whole = tests::noise({dtype, {4, 6}}, 3);
      Foreign foreign(whole.bytes().data(), {dtype, view.shape}, view.strides);
      foreign.tensor.dl_tensor.byte_offset = static_cast<std::uint64_t>(view.first) * info(dtype).bytes;
      const Buffer buffer = from_dlpack(executor, &foreign.tensor, Import::allow_copy);
      EXPECT_EQ(foreign.deleted, 1) << "nothing needs it any more";
      EXPECT_TRUE(same(read(buffer), strided(whole, view.shape, view.strides, view.first)));
    }
}

TEST(DLPack, WithoutStridesItIsDense) {
  Copying executor;
  Tensor whole = Tensor::of<std::int32_t>({6}, {0, 1, 2, 3, 4, 5});
  Foreign foreign(whole.bytes().data(), {DType::i32, {2, 2}});
  foreign.tensor.dl_tensor.byte_offset = 4;
  foreign.tensor.version.minor = 99;
  EXPECT_THAT(read(from_dlpack(executor, &foreign.tensor, Import::allow_copy)).as<std::int32_t>(),
              ElementsAre(1, 2, 3, 4));
}

TEST(DLPack, PinnedMemoryIsTheHosts) {
  Copying executor;
  Tensor x = Tensor::of<float>({2}, {3, 4});
  for (const std::int32_t type : {3, 11}) {
    Foreign foreign(x.bytes().data(), x.type());
    foreign.tensor.dl_tensor.device.device_type = type;
    EXPECT_TRUE(same(read(from_dlpack(executor, &foreign.tensor, Import::allow_copy)), x));
  }
}

TEST(DLPack, WhatIsImportedIsNeededUntilTheLastCopyIsGone) {
  Importing executor;
  Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  for (const Import how : {Import::require, Import::allow_copy}) {
    Foreign foreign(x.bytes().data(), x.type(), {2, 1});
    {
      std::optional<Buffer> buffer = from_dlpack(executor, &foreign.tensor, how);
      EXPECT_EQ(buffer->mapped().bytes().data(), x.bytes().data());
      const Buffer copy = *buffer;
      buffer.reset();
      EXPECT_EQ(foreign.deleted, 0);
    }
    EXPECT_EQ(foreign.deleted, 1);
  }
}

TEST(DLPack, WhatCannotStayWhereItIsIsCopiedUnlessThatIsRequired) {
  Importing importing;
  Copying copying;
  Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const auto expect = [&](Executor& executor, const std::vector<std::int64_t>& strides, std::uint64_t flags,
                          const std::string& says) {
    Foreign copied(x.bytes().data(), x.type(), strides), refused(x.bytes().data(), x.type(), strides);
    copied.tensor.flags = refused.tensor.flags = flags;
    Buffer buffer = from_dlpack(executor, &copied.tensor, Import::allow_copy);
    EXPECT_EQ(copied.deleted, 1);
    EXPECT_TRUE(same(read(buffer), strided(x, x.shape(), strides, 0)));
    buffer.mapped().as<float>()[0] = 5;
    EXPECT_EQ(x.as<float>()[0], 1);
    EXPECT_EQ(refusal(executor, &refused.tensor, Import::require), "unsupported: DLPack tensor is f32[2, 2], " + says);
    EXPECT_EQ(refused.deleted, 1);
  };
  expect(importing, {1, 2}, 0, "and cannot stay where it is: it is not row-major");
  expect(importing, {2, 1}, formats::dl_read_only, "and cannot stay where it is: it is read-only");
  expect(copying, {2, 1}, 0, "and cannot stay where it is: copying has no imported buffers");
}

TEST(DLPack, EachMisuseIsRefusedAndDeletedOnce) {
  Importing importing;
  Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const auto expect = [&](const std::string& says, const std::function<void(DLManagedTensorVersioned&)>& spoil) {
    for (const Import how : {Import::require, Import::allow_copy}) {
      Foreign foreign(x.bytes().data(), x.type(), {2, 1});
      spoil(foreign.tensor);
      EXPECT_EQ(refusal(importing, &foreign.tensor, how), says);
      EXPECT_EQ(foreign.deleted, 1) << says;
    }
  };
  const auto expect_of_tensor = [&](const std::string& says, const std::function<void(formats::DLTensor&)>& spoil) {
    expect(says, [&](DLManagedTensorVersioned& managed) { spoil(managed.dl_tensor); });
  };
  expect("unsupported: DLPack tensor is of version 2.3, known is 1", [](auto& managed) { managed.version = {2, 3}; });
  expect("unsupported: DLPack tensor is of version 0.8, known is 1", [](auto& managed) { managed.version = {0, 8}; });
  expect_of_tensor("unsupported: DLPack tensor is on a device of type 2 (CUDA), and only memory of the host is read",
                   [](auto& tensor) {
                     tensor.device = {2, 1};
                   });
  expect_of_tensor("unsupported: DLPack tensor is on a device of type 99, and only memory of the host is read",
                   [](auto& tensor) {
                     tensor.device = {99, 0};
                   });
  expect_of_tensor("unsupported: DLPack tensor has elements of 4 lanes, known are those of 1",
                   [](auto& tensor) { tensor.dtype.lanes = 4; });
  for (const auto& [says, dtype] :
       {std::pair("7 and 8", formats::DLDataType{7, 8, 1}), std::pair("1 and 64", formats::DLDataType{1, 64, 1}),
        std::pair("6 and 1", formats::DLDataType{6, 1, 1})})
    expect_of_tensor(
        cat("unsupported: DLPack tensor has elements of code ", says, " bits, which no dtype of the IR is"),
        [&of = dtype](auto& tensor) { tensor.dtype = of; });
  expect_of_tensor("DLPack tensor has -1 axes", [](auto& tensor) { tensor.ndim = -1; });
  expect_of_tensor("unsupported: DLPack tensor has 9 axes, at most 8 are known", [](auto& tensor) { tensor.ndim = 9; });
  expect_of_tensor("DLPack tensor has 2 axes and no shape", [](auto& tensor) { tensor.shape = nullptr; });
  expect_of_tensor("DLPack tensor is f32[2, 2], and has no data", [](auto& tensor) { tensor.data = nullptr; });
  constexpr std::array<std::int64_t, 2> negative{2, -2}, huge{std::int64_t{1} << 61, 2};
  expect_of_tensor("DLPack tensor: f32[2, -2] has a negative extent",
                   [&](auto& tensor) { tensor.shape = negative.data(); });
  expect_of_tensor(cat("DLPack tensor: f32[", huge[0], ", 2] has too many bytes"),
                   [&](auto& tensor) { tensor.shape = huge.data(); });
  expect_of_tensor("DLPack tensor is bool[2, 2], and has a bool that is neither 0 nor 1", [](auto& tensor) {
    tensor.dtype = {6, 8, 1};  // the bytes of 1.0f are among them
    tensor.byte_offset = 2;
  });
  EXPECT_EQ(refusal(importing, nullptr, Import::allow_copy), "there is no DLPack tensor");
}

TEST(DLPack, AnExecutorWithoutBuffersTakesNone) {
  class Plain final : public Executor {
   public:
    std::string_view name() const override { return "plain"; }
    bool has_kernel(const OpSchema&) const override { return false; }
    std::unique_ptr<Executable> compile(const Graph&, const Feeds&, const Capture&) override { return nullptr; }
  } plain;
  Tensor x = Tensor::of<float>({2}, {3, 4});
  Foreign foreign(x.bytes().data(), x.type());
  EXPECT_EQ(refusal(plain, &foreign.tensor, Import::allow_copy), "unsupported: plain has no buffers");
  EXPECT_EQ(foreign.deleted, 1);
}

/// The form of before version 1 has the same tensor, and its deleter calls the one of the form that it was made of.
TEST(DLPack, EitherFormIsMadeOfTheOther) {
  Importing executor;
  Tensor x = Tensor::of<float>({2, 2}, {3, 4, 5, 6});
  Foreign foreign(x.bytes().data(), x.type(), {2, 1});
  formats::DLManagedTensor* const old = formats::unversioned(formats::Owned<DLManagedTensorVersioned>(&foreign.tensor));
  EXPECT_EQ(old->dl_tensor.data, x.bytes().data());
  EXPECT_THAT(std::span(old->dl_tensor.shape, 2), ElementsAre(2, 2));
  EXPECT_THAT(std::span(old->dl_tensor.strides, 2), ElementsAre(2, 1));
  {
    DLManagedTensorVersioned* const again = formats::versioned(formats::Owned<formats::DLManagedTensor>(old));
    EXPECT_EQ(again->version.major, 1u);
    EXPECT_EQ(again->flags, 0u);
    Buffer buffer = from_dlpack(executor, again, Import::require);
    EXPECT_EQ(buffer.mapped().bytes().data(), x.bytes().data());
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(tests::message_of([] { formats::unversioned(nullptr); }), "there is no DLPack tensor");
  EXPECT_EQ(tests::message_of([] { formats::versioned(nullptr); }), "there is no DLPack tensor");
}

TEST(DLPack, ATensorNeedsNoDeleter) {
  Copying executor;
  Tensor x = Tensor::of<float>({2}, {3, 4});
  Foreign foreign(x.bytes().data(), x.type());
  foreign.tensor.deleter = nullptr;
  EXPECT_TRUE(same(read(from_dlpack(executor, &foreign.tensor, Import::allow_copy)), x));
}

}  // namespace
}  // namespace plumb::ir::dlpack_test
