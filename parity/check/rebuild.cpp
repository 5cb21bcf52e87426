// Shapes that follow from attributes: of dot_general and einsum, of what is cut, joined, reshaped and indexed.
#include "parity/check/rebuild.hpp"

#include <algorithm>

#include "ir/ops/concat.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/dynamic_slice.hpp"
#include "ir/ops/dynamic_update_slice.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather_elements.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/reverse_sequence.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"

namespace plumb::parity::check {
namespace {

using Shapes = std::vector<ir::Shape>;
using Axes = std::vector<std::int64_t>;

std::int64_t below(Random& random, std::int64_t count) {
  return count <= 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
}

/// The extent along an axis that may count from the end; null where there is no such axis.
std::int64_t* extent_at(ir::Shape& shape, std::int64_t axis) {
  const std::int64_t place = axis < 0 ? axis + shape.rank() : axis;
  return place < 0 || place >= shape.rank() ? nullptr : &shape[static_cast<std::size_t>(place)];
}

/// Letters for the axes of one operand of dot_general: those of a pair have the same, the others one of their own.
std::string axes_text(const Axes& batch, const Axes& contract, const std::string& own) {
  std::int64_t rank = 0;
  for (const Axes* const axes : {&batch, &contract})
    for (const std::int64_t axis : *axes) rank = std::max(rank, axis < 0 ? -axis : axis + 1);
  const auto named = static_cast<std::int64_t>(std::min<std::size_t>(batch.size() + contract.size(), ir::max_rank));
  if (rank <= named) rank = named + 1;     // one that is free
  if (rank > ir::max_rank) return "[..]";  // the op will refuse it
  std::vector<std::string> names(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = own + std::to_string(i);
  const auto name = [&](const Axes& axes, const std::string& letter) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t place = axes[i] < 0 ? axes[i] + rank : axes[i];
      names[static_cast<std::size_t>(place)] = letter + std::to_string(i);
    }
  };
  name(batch, "p");
  name(contract, "k");
  std::string text;
  for (const std::string& one : names) text += (text.empty() ? "[" : ", ") + one;
  return text + "]";
}

/// The operands of an equation, "ij,jk->ik"; none where it cannot be read, which the op says better.
void rebuild_einsum(const std::string& equation, Sketch& sketch) {
  const Operand one = sketch.operands.front();
  sketch.operands.clear();
  std::string text = "[";
  const auto end = [&] {
    Operand operand = one;
    operand.forms = parse_forms(text + "]");
    sketch.operands.push_back(std::move(operand));
    text = "[";
  };
  for (std::size_t i = 0; i < equation.size() && equation[i] != '-'; ++i) {
    const char c = equation[i];
    if (c == ' ') continue;
    if (c == ',') {
      end();
      continue;
    }
    const bool is_list = equation.substr(i, 3) == "...";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    ir::require(is_list || is_letter, "the equation '", equation.substr(0, 80), "' cannot be read at '", c, "'");
    text += (text == "[" ? "" : ", ") + (is_list ? std::string("..") : std::string(1, c));
    if (is_list) i += 2;
  }
  end();
  sketch.lengths[".."] = {0, 2};
}

/// Indices as x, but for another number of them along the axis, and sometimes fewer along the others.
auto other_indices(std::int64_t axis) {
  return [axis](Shapes& shapes, Random& random) {
    shapes[1] = shapes[0];
    const bool are_fewer = random() % 4 == 0;
    for (std::int64_t& extent : shapes[1])
      if (are_fewer && extent > 1) extent -= below(random, 2);
    if (std::int64_t* const along = extent_at(shapes[1], axis); along != nullptr && *along > 0)
      *along = 1 + below(random, *along + 3);
    if (shapes.size() > 2) shapes[2] = shapes[1];
  };
}

void rebuild_indices(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::GatherElements>()) sketch.amend = other_indices(op.as<ir::ops::GatherElements>().axis);
  if (op.is<ir::ops::ScatterElements>()) sketch.amend = other_indices(op.as<ir::ops::ScatterElements>().axis);
  if (op.is<ir::ops::ReverseSequence>()) {
    const auto& reversed = op.as<ir::ops::ReverseSequence>();
    const auto rank = [](std::int64_t axis) { return static_cast<std::size_t>(axis < 0 ? -axis : axis + 1); };
    sketch.lengths[".."].least = std::max({rank(reversed.batch_axis), rank(reversed.time_axis), std::size_t{2}});
    sketch.amend = [axis = reversed.batch_axis](Shapes& shapes, Random&) {
      if (const std::int64_t* const batch = extent_at(shapes[0], axis)) shapes[1] = {*batch};
    };
  }
}

void rebuild_boxes(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::DynamicSlice>()) {
    sketch.reshape("x", "[..]");
    const Axes sizes = op.as<ir::ops::DynamicSlice>().sizes;
    sketch.lengths[".."] = {sizes.size(), sizes.size()};
    sketch.reshape("starts", "[r]");
    sketch.fixed["r"] = static_cast<std::int64_t>(sizes.size());
    sketch.amend = [sizes](Shapes& shapes, Random&) {
      for (std::size_t i = 0; i < shapes[0].size() && i < sizes.size(); ++i)
        shapes[0][i] = std::max(shapes[0][i], sizes[i]);
    };
  }
  if (op.is<ir::ops::DynamicUpdateSlice>()) {
    sketch.reshape("x", "[..]");
    sketch.reshape("update", "[..]");
    sketch.reshape("starts", "[r]");
    sketch.least["r"] = 0;
    sketch.amend = [](Shapes& shapes, Random& random) {
      shapes[1] = shapes[0];
      for (std::int64_t& extent : shapes[1]) extent -= below(random, extent);
      shapes[2] = {shapes[0].rank()};
    };
  }
}

void rebuild_parts(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Slice>()) {
    sketch.amend = [cut = op.as<ir::ops::Slice>()](Shapes& shapes, Random&) {
      for (std::size_t i = 0; i < cut.axes.size() && i < cut.starts.size() && i < cut.sizes.size(); ++i) {
        const std::int64_t step = i < cut.steps.size() ? cut.steps[i] : 1;
        std::int64_t last = 0;
        const bool is_far = __builtin_mul_overflow(std::max<std::int64_t>(cut.sizes[i] - 1, 0), step, &last) ||
                            __builtin_add_overflow(last, cut.starts[i], &last) || last > std::int64_t{1} << 40;
        std::int64_t* const extent = extent_at(shapes[0], cut.axes[i]);
        if (extent != nullptr && !is_far && cut.sizes[i] > 0)
          *extent = std::max({*extent, cut.starts[i] + 1, last + 1});
      }
    };
  }
  if (op.is<ir::ops::Split>()) {
    sketch.amend = [cut = op.as<ir::ops::Split>()](Shapes& shapes, Random&) {
      std::int64_t sum = 0;
      for (const std::int64_t size : cut.sizes)
        if (__builtin_add_overflow(sum, size, &sum)) return;
      if (std::int64_t* const extent = extent_at(shapes[0], cut.axis)) *extent = std::max<std::int64_t>(sum, 0);
    };
  }
  if (op.is<ir::ops::Concat>()) {
    sketch.operands.push_back(sketch.operands.front());
    sketch.amend = [axis = op.as<ir::ops::Concat>().axis](Shapes& shapes, Random& random) {
      shapes[1] = shapes[0];
      if (std::int64_t* const extent = extent_at(shapes[1], axis)) *extent = 1 + below(random, *extent + 3);
    };
  }
}

std::string in_brackets(const Axes& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

void rebuild_shapes(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::Expand>()) {
    const Axes& shape = op.as<ir::ops::Expand>().shape;
    if (std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; }))
      sketch.reshape("x", "broadcasts to " + in_brackets(shape));
  }
  if (!op.is<ir::ops::Reshape>()) return;
  const Axes& shape = op.as<ir::ops::Reshape>().shape;
  std::int64_t product = 1;
  bool is_open = false;
  for (const std::int64_t extent : shape) {
    is_open = is_open || extent == -1;
    if (extent >= 0 && __builtin_mul_overflow(product, extent, &product)) return;
  }
  sketch.reshape("x", is_open ? "[m, " + std::to_string(product) + "] or [" + std::to_string(product) + ", m]"
                              : "[" + std::to_string(product) + "] or [1, " + std::to_string(product) + ", 1]");
}

}  // namespace

void rebuild(const ir::Op& op, Sketch& sketch) {
  if (op.is<ir::ops::DotGeneral>()) {
    const auto& product = op.as<ir::ops::DotGeneral>();
    sketch.reshape("a", axes_text(product.a_batch, product.a_contract, "a"));
    sketch.reshape("b", axes_text(product.b_batch, product.b_contract, "b"));
  }
  if (op.is<ir::ops::Einsum>()) rebuild_einsum(op.as<ir::ops::Einsum>().equation, sketch);
  rebuild_indices(op, sketch);
  rebuild_boxes(op, sketch);
  rebuild_parts(op, sketch);
  rebuild_shapes(op, sketch);
}

}  // namespace plumb::parity::check
