// Prompts and steps: caches stay in one buffer each, which both graphs write in place; tokens, and states of which a
// run makes a new one, are swapped.
#include "ir/decoding.hpp"

#include <algorithm>

namespace plumb::ir {
namespace {

constexpr std::string_view tokens_name = "tokens", logits_name = "logits", behind = ".next";
constexpr std::string_view in_place = "in place", swapped = "swap";

Value input_of(const Graph& graph, std::string_view name) {
  const auto found = graph.find(name);
  require(found && *found < graph.inputs().size(), "a decoder's graph has an input '", name, "', and this has none");
  return *found;
}

Value result_of(const Graph& graph, const std::string& name) {
  const auto found = graph.find(name);
  require(found && std::ranges::count(graph.results(), *found) > 0, "a decoder's graph has a result '", name,
          "', and this has none");
  return *found;
}

/// The inputs of a graph that it returns again as `name.next`, each with that result.
std::vector<std::pair<Value, Value>> carried_inputs(const Graph& graph) {
  std::vector<std::pair<Value, Value>> pairs;
  for (Value input = 0; input < graph.inputs().size(); ++input) {
    const auto next = graph.find(graph.name(input) + std::string(behind));
    const bool is_returned = next && std::ranges::count(graph.results(), *next) > 0;
    if (is_returned && graph.type(*next) == graph.type(input)) pairs.emplace_back(input, *next);
  }
  return pairs;
}

/// The values of the two graphs that both ways need.
struct Wiring {
  const DecoderGraphs& graphs;
  std::vector<std::string> caches = {};
  Value prompt_tokens, prompt_logits, prompt_next, tokens, logits, next;

  explicit Wiring(const DecoderGraphs& of)
      : graphs(of),
        prompt_tokens(input_of(of.prefill, tokens_name)),
        prompt_logits(result_of(of.prefill, std::string(logits_name))),
        prompt_next(result_of(of.prefill, cat(tokens_name, behind))),
        tokens(input_of(of.step, tokens_name)),
        logits(result_of(of.step, std::string(logits_name))),
        next(result_of(of.step, cat(tokens_name, behind))) {
    input_of(of.step, "write_at");
    for (const auto& [input, result] : carried_inputs(of.step)) {
      if (input == tokens) continue;
      const std::string& name = of.step.name(input);
      const TensorType &is = of.prefill.type(input_of(of.prefill, name)), &wanted = of.step.type(input);
      require(is == wanted, "cache '", name, "' is ", is, " of the prompt's graph, and ", wanted, " of the step's");
      require(of.prefill.type(result_of(of.prefill, name + std::string(behind))) == is, "cache '", name,
              "' is not handed on");
      caches.push_back(name);
    }
    require(of.prefill.type(prompt_next) == of.step.type(tokens) && of.step.type(next) == of.step.type(tokens),
            "tokens that are drawn are ", of.step.type(next), ", and a step reads ", of.step.type(tokens));
  }

  std::int64_t prompt_length() const { return graphs.prefill.type(prompt_tokens).shape.back(); }
};

Feeds part_of(const Feeds& feeds, const std::vector<std::string>& names) {
  Feeds part;
  for (const std::string& name : names) part.emplace(name, feeds.at(name));
  return part;
}

Tensor read(const Buffer& buffer) {
  Tensor tensor(buffer.type());
  buffer.read(tensor.view());
  return tensor;
}

/// Says that what a run makes of a cache is what the next one reads, and binds it to memory that both graphs use where
/// runs write it in place. The others lie where the context swaps them.
std::map<std::string, Buffer> feed_caches(Executor& executor, Context& context, const Wiring& wiring,
                                          const Feeds& feeds) {
  const Graph& graph = wiring.graphs.step;
  std::map<std::string, Buffer> bound;
  for (const std::string& name : wiring.caches) {
    const Value input = input_of(graph, name), result = result_of(graph, name + std::string(behind));
    context.feed(result, input);
    if (context.how(result) != in_place) continue;
    const Buffer buffer = executor.allocate(graph.type(input));
    bound.emplace(name, buffer).first->second.write(feeds.at(name));
    context.bind(input, buffer);
  }
  return bound;
}

/// Binds those of the prompt's graph.
void bind_caches(Context& context, const Graph& graph, const std::map<std::string, Buffer>& caches) {
  for (const auto& [name, buffer] : caches) {
    const Value input = input_of(graph, name);
    context.bind(input, buffer);
    context.feed(result_of(graph, name + std::string(behind)), input);
  }
}

/// Inputs of a step beside params, tokens and caches: write_at behind the tokens that the caches have, and the number
/// of its draw. `step` counts from 1.
Feeds inputs_of_step(const Feeds& feeds, std::int64_t prompt_tokens, std::int64_t step) {
  Tensor at = feeds.at("write_at");
  for (std::int32_t& row : at.as<std::int32_t>()) row += static_cast<std::int32_t>(prompt_tokens + step - 1);
  Feeds inputs{{"write_at", std::move(at)}};
  if (const auto first = feeds.find("draw"); first != feeds.end()) {
    Tensor draw = first->second;
    draw.as<std::uint32_t>()[0] += static_cast<std::uint32_t>(step);
    inputs.emplace("draw", std::move(draw));
  }
  return inputs;
}

}  // namespace

Tensor joined_rows(const std::vector<const Tensor*>& parts) {
  Shape shape = parts.front()->shape();
  const auto batch = static_cast<std::size_t>(shape[0]);
  shape[1] = 0;
  for (const Tensor* const part : parts) shape[1] += part->shape()[1];
  Tensor all({parts.front()->dtype(), shape});
  std::size_t at = 0;
  for (std::size_t b = 0; b < batch; ++b)
    for (const Tensor* const part : parts) {
      const std::size_t bytes = part->bytes().size() / batch;
      std::ranges::copy(part->bytes().subspan(b * bytes, bytes), all.bytes().subspan(at).begin());
      at += bytes;
    }
  return all;
}

std::string how_text(const Decoded& decoded) {
  std::size_t places = 0, swaps = 0;
  std::string others;
  for (const auto& [name, tensor] : decoded.caches) {
    const std::string& how = decoded.how.at(name);
    places += how == in_place ? 1 : 0;
    swaps += how == swapped ? 1 : 0;
    if (how != in_place && how != swapped) others += cat("; ", name, " by ", how);
  }
  const std::string by_swap = swaps > 0 ? cat("; ", swaps, " by swap") : "";
  return cat(places, " of ", decoded.caches.size(), decoded.caches.size() == 1 ? " cache" : " caches", " in place",
             by_swap, others, "; a step moved ", decoded.traffic.up, " bytes up and ", decoded.traffic.down, " down");
}

Decoded decode(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps) {
  const Wiring wiring(graphs);
  const auto params = executor.hold(part_of(feeds, graphs.prefill.params()));
  const auto compile = [&](const Graph& graph) {
    return executor.compile(graph, params, CompileOptions{{graph.results()}});
  };
  Decoded decoded;
  const auto next = compile(graphs.step)->context();
  const auto caches = feed_caches(executor, *next, wiring, feeds);
  next->feed(wiring.next, wiring.tokens);
  {
    const auto first = compile(graphs.prefill)->context();
    bind_caches(*first, graphs.prefill, caches);
    Feeds rest = part_of(feeds, graphs.prefill.inputs());
    for (const auto& [name, buffer] : caches) rest.erase(name);
    first->submit(rest).get();
    decoded.prompt_logits = read(first->buffer(wiring.prompt_logits));
    decoded.tokens.push_back(read(first->buffer(wiring.prompt_next)));
    next->buffer(wiring.tokens).copy_from(first->buffer(wiring.prompt_next));
    for (const std::string& name : wiring.caches)
      if (!caches.contains(name))
        next->buffer(input_of(graphs.step, name))
            .copy_from(first->buffer(result_of(graphs.prefill, name + std::string(behind))));
  }
  for (std::int64_t step = 1; step <= steps; ++step) {
    next->submit(inputs_of_step(feeds, wiring.prompt_length(), step)).get();
    decoded.logits.push_back(read(next->buffer(wiring.logits)));
    decoded.tokens.push_back(read(next->buffer(wiring.next)));
    decoded.traffic = next->traffic();
  }
  for (const auto& [input, result] : carried_inputs(graphs.step))
    decoded.how.emplace(graphs.step.name(input), next->how(result));
  for (const std::string& name : wiring.caches)
    decoded.caches.emplace(name, read(next->buffer(input_of(graphs.step, name))));
  return decoded;
}

DecodingByHost::DecodingByHost(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds)
    : executor_(executor),
      graphs_(graphs),
      feeds_(feeds),
      caches_(Wiring(graphs).caches),
      inputs_(part_of(feeds, graphs.prefill.inputs())) {}

/// Hands tokens and caches on; the logits.
Tensor DecodingByHost::take(const Graph& graph, Tensors results) {
  decoded_.tokens.push_back(results.at(result_of(graph, cat(tokens_name, behind))));
  inputs_.insert_or_assign(std::string(tokens_name), decoded_.tokens.back());
  for (const std::string& name : caches_)
    inputs_.insert_or_assign(name, std::move(results.at(result_of(graph, name + std::string(behind)))));
  const auto prompt = graphs_.prefill.type(input_of(graphs_.prefill, tokens_name)).shape.back();
  for (auto& [name, tensor] : inputs_of_step(feeds_, prompt, std::ssize(decoded_.tokens)))
    inputs_.insert_or_assign(name, std::move(tensor));
  return std::move(results.at(result_of(graph, std::string(logits_name))));
}

void DecodingByHost::run() {
  if (step_ != nullptr) {
    decoded_.logits.push_back(take(graphs_.step, step_->run(inputs_)));
    return;
  }
  const Graph& graph = graphs_.prefill;
  decoded_.prompt_logits = take(graph, executor_.compile(graph, feeds_, {graph.results()})->run(inputs_));
  step_ = executor_.compile(graphs_.step, feeds_, {graphs_.step.results()});
}

Decoded DecodingByHost::finish() {
  for (const std::string& name : caches_) decoded_.caches.emplace(name, std::move(inputs_.at(name)));
  return std::move(decoded_);
}

Decoded decode_by_host(Executor& executor, const DecoderGraphs& graphs, const Feeds& feeds, std::int64_t steps) {
  DecodingByHost decoding(executor, graphs, feeds);
  for (std::int64_t run = 0; run <= steps; ++run) decoding.run();
  return decoding.finish();
}

}  // namespace plumb::ir
