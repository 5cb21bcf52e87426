// Buffers of the CPU executor in memory of the caller's.
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::import_test {
namespace {

using ir::Import;
using ir::Tensor;
using ir::Value;

/// A copy of a tensor that begins so many bytes behind a multiple of 64.
struct Memory {
  Memory(const Tensor& tensor, std::size_t offset) : bytes(tensor.bytes().size() + offset) {
    view = {tensor.type(), bytes.span().subspan(offset)};
    write(tensor);
  }
  void write(const Tensor& tensor) { std::ranges::copy(tensor.bytes(), view.bytes().begin()); }

  ir::AlignedBytes bytes;
  ir::MutableView view;
};

TEST(Imported, MemoryIsReadWhereItIs) {
  CpuExecutor cpu;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/graphs")) {
    if (entry.path().filename() == "bert_base.json") continue;  // whose 110 million weights are no other question
    SCOPED_TRACE(entry.path());
    const auto file = ir::formats::read_graph(entry.path());
    const ir::Feeds feeds = ir::formats::materialise(file, 1), others = ir::formats::materialise(file, 2);
    const auto executable = cpu.compile(file.graph, feeds, {file.graph.results()});
    const auto context = executable->context();
    std::map<Value, std::shared_ptr<Memory>> memories;
    for (Value v = 0; v < file.graph.inputs().size(); ++v) {
      const Tensor& tensor = feeds.at(file.graph.inputs()[v]);
      memories[v] = std::make_shared<Memory>(tensor, ir::info(tensor.dtype()).bytes);  // aligned to no vector
      context->bind(v, cpu.import(memories[v]->view, memories[v], Import::require));
    }
    context->submit().get();
    plumb::testing::expect_results(*context, executable->run(feeds), file.graph);
    for (const auto& [v, memory] : memories) memory->write(others.at(file.graph.inputs()[v]));
    context->submit().get();
    plumb::testing::expect_results(*context, executable->run(others), file.graph);
  }
}

TEST(Imported, MemoryThatIsNotAlignedIsCopiedOrRefused) {
  CpuExecutor cpu;
  for (const auto& [dtype, offset] : {std::pair{ir::DType::f32, 2}, {ir::DType::c128, 4}, {ir::DType::i64, 1}}) {
    const Tensor tensor = tests::noise({dtype, {5}});
    const auto memory = std::make_shared<Memory>(tensor, offset);
    EXPECT_THAT(tests::message_of([&] { cpu.import(memory->view, memory, Import::require); }),
                ::testing::HasSubstr("begins at no multiple of "));
    const ir::Buffer copy = cpu.import(memory->view, memory, Import::allow_copy);
    std::ranges::fill(memory->view.bytes(), std::byte{0});
    EXPECT_TRUE(tests::same_bytes(plumb::testing::read(copy), tensor));
  }
}

/// Runs write there, and the buffer keeps the owner.
TEST(Imported, MemoryIsWrittenAndKept) {
  CpuExecutor cpu;
  const Tensor tensor = tests::noise({ir::DType::f32, {3}});
  auto memory = std::make_shared<Memory>(tensor, 0);
  const std::weak_ptr<Memory> kept = memory;
  const ir::MutableView view = memory->view;
  {
    ir::Buffer buffer = cpu.import(view, std::move(memory), Import::require);
    EXPECT_FALSE(kept.expired());
    const Tensor other = tests::noise(tensor.type(), 2);
    buffer.write(other);
    EXPECT_TRUE(std::ranges::equal(view.bytes(), other.bytes()));
  }
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace plumb::ref_cpu::import_test
