#include "gpu_vulkan/kernels/indexing/dynamic_box.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan::kernels::indexing {
namespace {

/// One axis of a box as dynamic_box.comp reads it; the stride is that of the whole tensor, in words.
struct BoxAxis {
  std::uint32_t size, multiplier, shift, last_start, stride;
};

}  // namespace

void dynamic_box(BoxIs is, const DynamicBox& copy, plan::Lowering& node) {
  const ir::Shape &whole = copy.whole.shape, &box = copy.box;
  // Last axes that are taken whole move together, in words as wide as can be; they can start only at 0.
  std::size_t axes = whole.size();
  std::int64_t run = 1;
  while (axes > 0 && box[axes - 1] == whole[axes - 1]) run *= whole[--axes];
  const std::size_t element = ir::info(copy.whole.dtype).bytes;
  const std::size_t width = copy::word_width(static_cast<std::size_t>(run) * element);
  const std::int64_t words = run * static_cast<std::int64_t>(element) / static_cast<std::int64_t>(width);
  const auto strides = whole.strides();
  std::vector<BoxAxis> table;
  for (std::size_t k = 0; k < axes; ++k) {
    const common::Divisor by_size(box[k]);
    table.push_back({plan::word(box[k]), by_size.multiplier, by_size.shift, plan::word(whole[k] - box[k]),
                     plan::word(strides[k] / run * words)});
  }
  if (table.empty()) table.push_back({});  // a table is never empty
  struct Block {
    std::uint32_t count, words;
    std::array<std::uint32_t, 2> by_words;
  };
  const common::Divisor by_words(words);
  const std::int64_t count = box.elements() / run * words;
  const plan::Slot faults = is == BoxIs::written_over ? node.faults() : copy.from;  // any buffer where none is read
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {copy::word_variant("dynamic_box", width, node),
                 {{"invocations", threads},
                  {"axes", plan::word(static_cast<std::int64_t>(axes))},
                  {"index_words", index_words(node.in_type(copy.starts).dtype)},
                  {"is_written", is != BoxIs::read},
                  {"is_in_place", is == BoxIs::written_over}}},
      .reads = {copy.from, node.in(copy.starts), node.table(std::as_bytes(std::span(table))), faults},
      .writes = {copy.to},
      .push = Block{plan::word(count), plan::word(words), {by_words.multiplier, by_words.shift}},
      .groups = plan::groups_for(count, threads),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::indexing
