// Finds speech in samples, chunk by chunk: the network's state stays in the executor's memory, a chunk goes up, and one
// probability comes down. The loop through the host, which follows, must give the same bits.
#include <algorithm>
#include <cstring>
#include <iostream>

#include "ir/formats/tensor_files.hpp"
#include "ir/residency.hpp"
#include "library/model.hpp"
#include "library/open_candidate.hpp"

using namespace plumb::ir;

/// Silero's networks read, at 16 kHz, 512 new samples behind the last 64 of the chunk before.
constexpr std::int64_t fresh = 512, seen = 64, length = seen + fresh;
const Tensor rate = Tensor::of<std::int64_t>({}, {16000});

std::vector<Tensor> chunks_of(const Tensor& samples) {
  std::vector<float> sound(seen);  // silence comes before the first sample
  sound.insert(sound.end(), samples.as<float>().begin(), samples.as<float>().end());
  std::vector<Tensor> chunks;
  for (auto at = sound.cbegin(); sound.cend() - at >= length; at += fresh)
    chunks.push_back(Tensor::of<float>({1, length}, {at, at + length}));
  return chunks;
}

struct Detector {
  const Graph& graph;
  Value sr = value("sr"), state = value("state"), output = value("output"), new_state = value("stateN");

  Value value(std::string_view name) const {
    const std::optional<Value> found = graph.find(name);
    require(found.has_value(), "the network has no value '", name, "'");
    return *found;
  }
};

std::vector<float> resident(const Detector& net, Executor& executor, Executable& network,
                            const std::vector<Tensor>& chunks) {
  Buffer sr = executor.allocate(net.graph.type(net.sr));
  sr.write(rate);
  const auto context = network.context();
  context->bind(net.sr, sr);  // it goes up once
  context->feed(net.new_state, net.state);
  Tensor probability(net.graph.type(net.output));
  std::vector<float> heard;
  for (const Tensor& chunk : chunks) {
    context->submit({{"input", chunk}}).get();
    context->buffer(net.output).read(probability.view());
    heard.push_back(probability.as<float>()[0]);
  }
  std::cout << chunks.size() << " chunks, " << std::ranges::count_if(heard, [](float p) { return p > 0.5f; })
            << " of them speech; state: " << context->how(net.new_state) << "; " << context->traffic().up
            << " bytes up and " << context->traffic().down << " down a chunk\n";
  return heard;
}

std::vector<float> through_host(const Detector& net, Executable& network, const std::vector<Tensor>& chunks) {
  Tensor state(net.graph.type(net.state));
  std::vector<float> heard;
  for (const Tensor& chunk : chunks) {
    Tensors results = network.run({{"input", chunk}, {"sr", rate}, {"state", state}});
    heard.push_back(results.at(net.output).as<float>()[0]);
    state = std::move(results.at(net.new_state));
  }
  return heard;
}

int main(int count, char** arguments) try {
  require(count == 4, "usage: voice MODEL.onnx SAMPLES.npy cpu|vulkan[:DEVICE]");
  const auto file = formats::open_tensors(arguments[2]);
  const std::vector<Tensor> chunks = chunks_of(file->read(file->names().at(0)));
  require(!chunks.empty(), arguments[2], ": fewer than ", fresh, " samples");
  const auto model = plumb::library::read_model(
      arguments[1], {.shapes = {"batch=1", cat("sequence=", length)}, .given = {{"sr", rate}}});
  const Detector net{model.file->graph};
  const auto executor = plumb::library::open_candidate(arguments[3]).executor;
  const auto params = executor->hold(formats::materialise(*model.file, 1));
  const auto network = executor->compile(net.graph, params, {{.wanted = {net.output, net.new_state}}});
  const auto here = resident(net, *executor, *network, chunks), there = through_host(net, *network, chunks);
  const bool is_equal = std::memcmp(here.data(), there.data(), here.size() * sizeof(float)) == 0;
  std::cout << "through the host: " << (is_equal ? "equal bits" : "other bits") << '\n';
  return is_equal ? 0 : 1;
} catch (const Unsupported& reason) {
  std::cout << "not here: " << reason.what() << '\n';
  return 77;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
