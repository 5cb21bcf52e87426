#include "parity/power/faults/site.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "ir/passes/widen.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The truth of a segment's output on these inputs.
Numbers evaluated(ir::Executor& reference, const core::Segment& segment, std::size_t output,
                  const std::vector<ir::Tensor>& inputs) {
  const auto input_of = [&](ir::Value fed) {
    const auto place = std::ranges::find(segment.fed, fed) - segment.fed.begin();
    return ir::passes::widen(inputs[static_cast<std::size_t>(place)]);
  };
  return numbers_of(core::evaluate_widened(reference, segment, input_of).outputs[output]);
}

/// The segment with its one node replaced.
core::Segment with_op(const core::Segment& segment, const ir::Op& op) {
  const ir::Node& node = segment.graph.nodes().front();
  core::Segment other{.graph = segment.graph.sources(), .fed = segment.fed, .outputs = {}, .judged = segment.judged};
  other.outputs = other.graph.add_all(node.label, op, node.inputs);
  for (const ir::Value v : other.outputs) other.graph.returns(v);
  return other;
}

}  // namespace

std::size_t Site::columns() const {
  return type.shape.empty() ? elements() : static_cast<std::size_t>(type.shape.back());
}

const ir::Op* Site::op() const {
  return segment.graph.nodes().size() == 1 ? &segment.graph.nodes().front().op : nullptr;
}

std::optional<std::size_t> Site::operand(std::string_view name) const {
  if (op() == nullptr) return {};
  const auto& inputs = segment.graph.nodes().front().inputs;
  const auto names = op()->schema().operands(*op(), inputs.size());
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  return inputs[static_cast<std::size_t>(found - names.begin())];  // values of a segment count its inputs first
}

std::vector<ir::Tensor> Site::inputs() const {
  std::vector<ir::Tensor> all;
  for (const Operand& one : operands) all.push_back(one.now);
  return all;
}

Numbers Site::truth_of(const std::vector<ir::Tensor>& inputs) const {
  return evaluated(reference, segment, output, inputs);
}

std::optional<Numbers> Site::on(const std::vector<ir::Tensor>& inputs) const try {
  return carried(truth_of(inputs));
} catch (const ir::Error&) {
  return {};
}

std::optional<Numbers> Site::by(const ir::Op& other) const try {
  const core::Segment changed = with_op(segment, other);
  if (output >= changed.outputs.size() || changed.graph.type(changed.outputs[output]) != type) return {};
  return carried(evaluated(reference, changed, output, inputs()));
} catch (const ir::Error&) {
  return {};
}

Numbers Site::carried(Numbers other) const {
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double error = got[i] - truth[i];
    if (other[i] == truth[i])
      other[i] = got[i];
    else if (std::isfinite(error))
      other[i] += error;
  }
  return other;
}

void Site::set_tile(std::string_view record) {
  std::vector<std::size_t> extents;
  while (!record.empty()) {
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(record.data(), record.data() + record.size(), extent);
    if (error != std::errc{} || extent == 0) return;  // a record of another form
    extents.push_back(extent);
    record.remove_prefix(static_cast<std::size_t>(end - record.data()));
    if (!record.empty()) record.remove_prefix(1);
  }
  if (extents.size() >= 2) {
    tile_rows = extents[0];
    tile_columns = extents[1];
  }
  if (extents.size() >= 3) slice = extents[2];
}

double noise(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + 0x9E3779B97F4A7C15u;  // SplitMix64
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return std::ldexp(static_cast<double>((bits ^ bits >> 31) >> 11), -52) - 1;
}

Numbers numbers_of(const ir::TensorView& tensor) {
  const ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  const auto numbers = wide.as<double>();
  return {numbers.begin(), numbers.end()};
}

ir::Tensor tensor_of(const ir::TensorType& type, const Numbers& numbers) {
  return ir::convert(ir::Tensor::of(type.shape, numbers), type.dtype);
}

}  // namespace plumb::parity::power::faults
