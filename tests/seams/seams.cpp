#include "tests/seams/seams.hpp"

#include <algorithm>
#include <cmath>

#include "ir/kernels/broadcast.hpp"
#include "ir/kernels/einsum.hpp"
#include "ir/kernels/index_map.hpp"
#include "ir/kernels/resize_taps.hpp"
#include "ir/kernels/strided_copy.hpp"
#include "ir/kernels/window.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/resize.hpp"
#include "ir/tensor.hpp"

// Every helper is declared twice: as what the linker calls the honest one, and as what is called in its place. The
// build reads here which symbols are wrapped. A member is a function of its object, as it is in memory.
namespace plumb::seams {
namespace {

using namespace ir::kernels;
using ir::DType;
using ir::Shape;
using ir::TensorType;
using Ints = std::vector<std::int64_t>;

std::string spoilt;
int uses_of_spoilt = 0;

bool is_spoilt(const char* helper) {
  if (spoilt != helper) return false;
  ++uses_of_spoilt;
  return true;
}

}  // namespace

Fault::Fault(std::string helper) {
  spoilt = std::move(helper);
  uses_of_spoilt = 0;
}
Fault::~Fault() { spoilt.clear(); }
int Fault::uses() const { return uses_of_spoilt; }

BroadcastLoops honest(const Shape&, const std::vector<Shape>&)  //
    asm("__real__ZN5plumb2ir7kernels15broadcast_loopsERKNS0_5ShapeERKSt6vectorIS2_SaIS2_EE");
BroadcastLoops faulty(const Shape&, const std::vector<Shape>&)  //
    asm("__wrap__ZN5plumb2ir7kernels15broadcast_loopsERKNS0_5ShapeERKSt6vectorIS2_SaIS2_EE");

BroadcastLoops faulty(const Shape& result, const std::vector<Shape>& operands) {
  BroadcastLoops loops = honest(result, operands);
  if (is_spoilt("broadcast_loops")) loops.axes.back().strides.back() = 0;
  return loops;
}

Ints honest_strides(const Shape&, const Shape&)  //
    asm("__real__ZN5plumb2ir17broadcast_stridesERKNS0_5ShapeES3_");
Ints faulty_strides(const Shape&, const Shape&)  //
    asm("__wrap__ZN5plumb2ir17broadcast_stridesERKNS0_5ShapeES3_");

Ints faulty_strides(const Shape& x, const Shape& target) {
  Ints strides = honest_strides(x, target);
  if (is_spoilt("broadcast_strides") && !strides.empty()) strides.front() = 0;
  return strides;
}

ResizeTaps honest(const ir::ops::Resize&, std::size_t, DType, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels11resize_tapsERKNS0_3ops6ResizeEmNS0_5DTypeEl");
ResizeTaps faulty(const ir::ops::Resize&, std::size_t, DType, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels11resize_tapsERKNS0_3ops6ResizeEmNS0_5DTypeEl");

ResizeTaps faulty(const ir::ops::Resize& op, std::size_t k, DType dtype, std::int64_t extent) {
  ResizeTaps taps = honest(op, k, dtype, extent);
  if (is_spoilt("resize_taps"))
    for (std::int64_t& index : taps.index) index = std::max<std::int64_t>(0, index - 1);
  return taps;
}

StridedCopy honest(DType, const Shape&, const Ints&, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels12read_stridedENS0_5DTypeERKNS0_5ShapeERKSt6vectorIlSaIlEEl");
StridedCopy faulty(DType, const Shape&, const Ints&, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels12read_stridedENS0_5DTypeERKNS0_5ShapeERKSt6vectorIlSaIlEEl");

StridedCopy faulty(DType dtype, const Shape& extents, const Ints& strides, std::int64_t from) {
  Ints spoilt_strides = strides;
  if (is_spoilt("read_strided")) spoilt_strides.front() = 0;
  return honest(dtype, extents, spoilt_strides, from);
}

StridedCopy honest_read(const TensorType&, const Shape&, std::size_t, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels9read_partERKNS0_10TensorTypeERKNS0_5ShapeEml");
StridedCopy faulty_read(const TensorType&, const Shape&, std::size_t, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels9read_partERKNS0_10TensorTypeERKNS0_5ShapeEml");

StridedCopy faulty_read(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start) {
  return honest_read(whole, part, axis, is_spoilt("read_part") ? 0 : start);
}

StridedCopy honest_write(const TensorType&, const Shape&, std::size_t, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels10write_partERKNS0_10TensorTypeERKNS0_5ShapeEml");
StridedCopy faulty_write(const TensorType&, const Shape&, std::size_t, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels10write_partERKNS0_10TensorTypeERKNS0_5ShapeEml");

StridedCopy faulty_write(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start) {
  return honest_write(whole, part, axis, is_spoilt("write_part") ? 0 : start);
}

MapRun honest(const MapAxis&, Beyond, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels6run_atERKNS1_7MapAxisENS1_6BeyondEl");
MapRun faulty(const MapAxis&, Beyond, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels6run_atERKNS1_7MapAxisENS1_6BeyondEl");

MapRun faulty(const MapAxis& axis, Beyond beyond, std::int64_t j) {
  const MapRun run = honest(axis, beyond, j);
  return is_spoilt("run_at") ? MapRun{0, 0, run.count} : run;
}

std::vector<Window> honest(const Shape&, std::span<const std::int64_t>, const Ints&, const Ints&, const Ints&)  //
    asm("__real__ZN5plumb2ir7kernels7windowsERKNS0_5ShapeESt4spanIKlLm18446744073709551615EERKSt6vectorIlSaIlEESC_SC_");
std::vector<Window> faulty(const Shape&, std::span<const std::int64_t>, const Ints&, const Ints&, const Ints&)  //
    asm("__wrap__ZN5plumb2ir7kernels7windowsERKNS0_5ShapeESt4spanIKlLm18446744073709551615EERKSt6vectorIlSaIlEESC_SC_");

std::vector<Window> faulty(const Shape& image, std::span<const std::int64_t> kernel, const Ints& strides,
                           const Ints& dilations, const Ints& pads) {
  std::vector<Window> windows = honest(image, kernel, strides, dilations, pads);
  if (is_spoilt("windows"))
    for (Window& window : windows) std::swap(window.pad_begin, window.pad_end);
  return windows;
}

IndexRange honest_taps(const Window*, std::int64_t, std::int64_t, std::int64_t)  //
    asm("__real__ZNK5plumb2ir7kernels6Window11taps_withinElll");
IndexRange faulty_taps(const Window*, std::int64_t, std::int64_t, std::int64_t)  //
    asm("__wrap__ZNK5plumb2ir7kernels6Window11taps_withinElll");

IndexRange faulty_taps(const Window* window, std::int64_t o, std::int64_t low, std::int64_t high) {
  IndexRange range = honest_taps(window, o, low, high);
  if (is_spoilt("taps_within") && range.count() > 1) --range.end;
  return range;
}

IndexRange honest_positions(const Window*, std::int64_t, std::int64_t)  //
    asm("__real__ZNK5plumb2ir7kernels6Window16positions_insideEll");
IndexRange faulty_positions(const Window*, std::int64_t, std::int64_t)  //
    asm("__wrap__ZNK5plumb2ir7kernels6Window16positions_insideEll");

IndexRange faulty_positions(const Window* window, std::int64_t t, std::int64_t count) {
  IndexRange range = honest_positions(window, t, count);
  if (is_spoilt("positions_inside") && range.count() > 1) --range.end;
  return range;
}

EinsumPlan honest(std::string_view, const std::vector<Shape>&)  //
    asm("__real__ZN5plumb2ir7kernels11plan_einsumESt17basic_string_viewIcSt11char_traitsIcEERKSt6vectorINS0_"
        "5ShapeESaIS7_EE");
EinsumPlan faulty(std::string_view, const std::vector<Shape>&)  //
    asm("__wrap__ZN5plumb2ir7kernels11plan_einsumESt17basic_string_viewIcSt11char_traitsIcEERKSt6vectorINS0_"
        "5ShapeESaIS7_EE");

EinsumPlan faulty(std::string_view equation, const std::vector<Shape>& operands) {
  EinsumPlan plan = honest(equation, operands);
  if (is_spoilt("plan_einsum")) plan.steps.back().terms.front().view.strides.front() = 0;
  return plan;
}

Labelled honest(const Labels&, const Shape&)  //
    asm("__real__ZN5plumb2ir7kernels5denseERKSt6vectorIiSaIiEERKNS0_5ShapeE");
Labelled faulty(const Labels&, const Shape&)  //
    asm("__wrap__ZN5plumb2ir7kernels5denseERKSt6vectorIiSaIiEERKNS0_5ShapeE");

Labelled faulty(const Labels& labels, const Shape& extents) {
  Labelled view = honest(labels, extents);
  if (is_spoilt("dense")) view.strides.front() = 0;
  return view;
}

void honest_add(Labelled*, Label, std::int64_t, std::int64_t)  //
    asm("__real__ZN5plumb2ir7kernels8Labelled3addEill");
void faulty_add(Labelled*, Label, std::int64_t, std::int64_t)  //
    asm("__wrap__ZN5plumb2ir7kernels8Labelled3addEill");

void faulty_add(Labelled* view, Label label, std::int64_t extent, std::int64_t stride) {
  honest_add(view, label, extent, is_spoilt("labelled_add") ? 0 : stride);
}

StridedCopy honest_arranged(const Labelled*, DType, const Labels&)  //
    asm("__real__ZNK5plumb2ir7kernels8Labelled8arrangedENS0_5DTypeERKSt6vectorIiSaIiEE");
StridedCopy faulty_arranged(const Labelled*, DType, const Labels&)  //
    asm("__wrap__ZNK5plumb2ir7kernels8Labelled8arrangedENS0_5DTypeERKSt6vectorIiSaIiEE");

StridedCopy faulty_arranged(const Labelled* view, DType dtype, const Labels& to) {
  StridedCopy copy = honest_arranged(view, dtype, to);
  if (is_spoilt("arranged")) copy.axes.front().from = 0;
  return copy;
}

ir::Lines honest_along(const Shape&, std::int64_t) asm("__real__ZN5plumb2ir5alongERKNS0_5ShapeEl");
ir::Lines faulty_along(const Shape&, std::int64_t) asm("__wrap__ZN5plumb2ir5alongERKNS0_5ShapeEl");

ir::Lines faulty_along(const Shape& shape, std::int64_t axis) {
  return honest_along(shape, is_spoilt("along") ? 0 : axis);
}

ir::Lines honest_lines(const Shape&, std::int64_t) asm("__real__ZN5plumb2ir10lines_fromERKNS0_5ShapeEl");
ir::Lines faulty_lines(const Shape&, std::int64_t) asm("__wrap__ZN5plumb2ir10lines_fromERKNS0_5ShapeEl");

ir::Lines faulty_lines(const Shape& shape, std::int64_t axis) {
  return honest_lines(shape, is_spoilt("lines_from") ? 0 : axis);
}

ir::Tensor honest_convert(const ir::TensorView&, DType)  //
    asm("__real__ZN5plumb2ir7convertERKNS0_9BasicViewIKSt4byteEENS0_5DTypeE");
ir::Tensor faulty_convert(const ir::TensorView&, DType)  //
    asm("__wrap__ZN5plumb2ir7convertERKNS0_9BasicViewIKSt4byteEENS0_5DTypeE");

ir::Tensor faulty_convert(const ir::TensorView& x, DType to) {
  ir::Tensor y = honest_convert(x, to);
  if (x.dtype() == DType::f16 && to == DType::f64 && is_spoilt("convert"))
    for (double& number : y.as<double>())
      if (std::abs(number) < 0x1p-14) number = 0;
  return y;
}

ir::Bytes honest_values(const ir::ops::Range*) asm("__real__ZNK5plumb2ir3ops5Range6valuesEv");
ir::Bytes faulty_values(const ir::ops::Range*) asm("__wrap__ZNK5plumb2ir3ops5Range6valuesEv");

ir::Bytes faulty_values(const ir::ops::Range* range) {
  ir::Bytes bytes = honest_values(range);
  if (is_spoilt("range_values")) bytes.back() ^= std::byte{1};
  return bytes;
}

}  // namespace plumb::seams
