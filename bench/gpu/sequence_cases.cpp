// Recurrences and the front end of a speech recogniser; bytes count each operand read once and each result written
// once, operations those of the op's definition.

#include <cmath>

#include "bench/gpu/case.hpp"
#include "ir/cost.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/complex_part.hpp"
#include "ir/ops/frame.hpp"
#include "ir/ops/gated_delta_net.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/log_mel.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/mamba2.hpp"
#include "ir/ops/rfft.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/selective_scan.hpp"
#include "ir/ops/window.hpp"

namespace plumb::bench {
namespace {

using ir::DType;
using ir::Fill;

/// A param, or an input, and what it is filled with.
struct Operand {
  std::string name;
  ir::TensorType type;
  Fill fill;
  bool is_input = false;
};

Fill normal(double scale) { return {.scale = scale}; }
Fill uniform(double low, double high) { return {.distribution = ir::Distribution::uniform, .low = low, .high = high}; }

/// One op.
Case of_op(std::string name, ir::Op op, const std::vector<Operand>& operands) {
  Case made{.name = std::move(name)};
  std::vector<ir::Value> inputs;
  for (const Operand& operand : operands) {
    inputs.push_back(operand.is_input ? made.graph.input(operand.name, operand.type)
                                      : made.graph.param(operand.name, operand.type));
    made.fills[operand.name] = operand.fill;
  }
  for (const ir::Value y : made.graph.add_all("y", std::move(op), inputs)) made.graph.returns(y);
  made.bytes = static_cast<double>(ir::bytes_of(made.graph, made.graph.nodes().front()));
  return made;
}

/// The extents of a recurrent network: steps, batch, width of inputs, units.
struct Network {
  std::int64_t steps, batch, inputs, units;
};

/// A recurrent network with biases, and without states that are given: weights are as large as PyTorch draws them. Its
/// steps are kernels of their own, of which each would wait for the timestamp behind the one before if they were timed
/// as those of other ops are: as in a model, the time is from the first kernel to the last, and what is read is fed.
template <class T>
Case network(T op, DType dtype, Network n, Scale scale) {
  const std::string name = ir::cat(T::name, "_", dtype, "_", n.batch, "x", n.steps, "x", n.units,
                                   op.direction == ir::kernels::RecurrentDirection::bidirectional ? "_both_ways" : "");
  if (scale == Scale::small) n = {3, std::min<std::int64_t>(n.batch, 2), 24, 24};
  op.has_bias = true;
  const std::int64_t ways = op.direction == ir::kernels::RecurrentDirection::bidirectional ? 2 : 1;
  const std::int64_t rows = T::gates * n.units;
  const double most = 1 / std::sqrt(static_cast<double>(n.units));
  Case made = of_op(name, op,
                    {{"x", {dtype, {n.steps, n.batch, n.inputs}}, normal(1), true},
                     {"w", {dtype, {ways, rows, n.inputs}}, uniform(-most, most)},
                     {"r", {dtype, {ways, rows, n.units}}, uniform(-most, most)},
                     {"bias", {dtype, {ways, 2 * rows}}, uniform(-most, most)}});
  made.fuse = true;
  made.flops = ir::cost_of(made.graph, made.graph.nodes().front()).flops;
  return made;
}

/// Mamba's layer of `channels`, each with `size` states.
Case selective_scan(std::int64_t steps, std::int64_t channels, std::int64_t size, Scale scale) {
  const std::string name = ir::cat("selective_scan_f32_1x", steps, "x", channels, "x", size);
  if (scale == Scale::small) {
    steps = steps > 1024 ? 200 : 24;
    channels = 20;
  }
  const ir::TensorType by_channel = {DType::f32, {1, steps, channels}}, by_state = {DType::f32, {1, steps, size}};
  return of_op(name, ir::ops::SelectiveScan{.has_skip = true},
               {{"x", by_channel, normal(1)},
                {"delta", by_channel, uniform(0.001, 0.1)},
                {"a", {DType::f32, {channels, size}}, uniform(-16, -1)},
                {"b", by_state, normal(1)},
                {"c", by_state, normal(1)},
                {"d", {DType::f32, {channels}}, normal(1)}});
}

Case mamba2(std::int64_t batch, std::int64_t steps, Scale scale) {
  std::int64_t heads = 24, rows = 64, size = 128;
  const std::string name = ir::cat("mamba2_f32_", batch, "x", steps, "x", heads, "x", rows, "x", size);
  if (scale == Scale::small) {
    batch = 1;
    steps = 70;
    heads = 2;
    rows = 8;
    size = 16;
  }
  const ir::TensorType of_group = {DType::f32, {batch, steps, 1, size}};
  return of_op(name, ir::ops::Mamba2{.has_skip = true},
               {{"x", {DType::f32, {batch, steps, heads, rows}}, normal(1)},
                {"dt", {DType::f32, {batch, steps, heads}}, uniform(0.001, 0.1)},
                {"a", {DType::f32, {heads}}, uniform(-16, -1)},
                {"b", of_group, normal(1)},
                {"c", of_group, normal(1)},
                {"d", {DType::f32, {heads}}, normal(1)}});
}

/// Keys are about as long as normalised ones.
Case gated_delta_net(std::int64_t batch, std::int64_t steps, Scale scale) {
  std::int64_t heads = 16, width = 128;
  const std::string name = ir::cat("gated_delta_net_f32_", batch, "x", steps, "x", heads, "x", width);
  if (scale == Scale::small) {
    steps = std::min<std::int64_t>(steps, 20);
    batch = 1;
    heads = 2;
    width = 16;
  }
  const ir::TensorType lines = {DType::f32, {batch, steps, heads, width}};
  const ir::TensorType by_head = {DType::f32, {batch, steps, heads}};
  const Fill unit = normal(1 / std::sqrt(static_cast<double>(width)));
  return of_op(name, ir::ops::GatedDeltaNet{.has_state = true},
               {{"q", lines, unit},
                {"k", lines, unit},
                {"v", lines, normal(1)},
                {"decay", by_head, uniform(-0.1, -0.001)},
                {"beta", by_head, uniform(0, 1)},
                {"state", {DType::f32, {batch, heads, width, width}}, normal(1)}});
}

/// The input of a speech recogniser (Whisper: 16 kHz, windows of 25 ms every 10 ms, 80 bands): frames to bands.
Case log_mel(std::int64_t signals, Scale scale) {
  const std::int64_t samples = scale == Scale::full ? 480'000 : 1'600, bins = 201, bands = 80;
  Case made{.name = ir::cat("log_mel_f32_", signals, "x480000"), .fuse = true};
  ir::Graph& graph = made.graph;
  const ir::Value audio = graph.param("audio", {DType::f32, {signals, samples}});
  const ir::Value filters = graph.param("filters", {DType::f32, {bands, bins}});
  made.fills["audio"] = normal(0.1);
  made.fills["filters"] = uniform(0, 0.02);
  const ir::Value frames = graph.add("frames", ir::ops::Frame{.size = 400, .hop = 160}, {audio});
  const ir::Value window = graph.add("window", ir::ops::Window{.size = 400}, {});
  const ir::Value windowed =
      graph.add("windowed", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {frames, window});
  const ir::Value spectrum = graph.add("spectrum", ir::ops::Rfft{}, {windowed});
  const ir::Value power =
      graph.add("power", ir::ops::ComplexPart{ir::ops::ComplexPartFunction::norm_squared}, {spectrum});
  graph.returns(graph.add("log_mel", ir::ops::LogMel{}, {power, filters}));
  return made;
}

}  // namespace

std::vector<Case> sequence_cases(Scale scale) {
  std::vector<Case> cases;
  const Network common = {.steps = 256, .batch = 32, .inputs = 512, .units = 512};
  for (const DType dtype : {DType::f32, DType::f16}) cases.push_back(network(ir::ops::Lstm{}, dtype, common, scale));
  cases.push_back(
      network(ir::ops::Lstm{.direction = ir::kernels::RecurrentDirection::bidirectional}, DType::f32, common, scale));
  cases.push_back(network(ir::ops::Gru{.linear_before_reset = true}, DType::f32, common, scale));
  cases.push_back(network(ir::ops::Rnn{}, DType::f32, common, scale));
  cases.push_back(network(ir::ops::Lstm{}, DType::f32, {1000, 1, 64, 64}, scale));
  for (const std::int64_t steps : {512, 2048, 8192, 32768}) cases.push_back(selective_scan(steps, 1536, 16, scale));
  cases.push_back(mamba2(4, 4096, scale));
  cases.push_back(gated_delta_net(1, 4096, scale));
  cases.push_back(gated_delta_net(32, 1, scale));
  for (const std::int64_t signals : {1, 16}) cases.push_back(log_mel(signals, scale));
  return cases;
}

}  // namespace plumb::bench
