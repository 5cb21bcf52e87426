// Joins the rows of steps behind those of the prompt.
#include "parity/cli/decoding/decoded_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/decoding.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

/// Tensors [B, rows, ..] one behind the other along the rows.
ir::Tensor joined(const std::vector<const ir::Tensor*>& parts) {
  ir::Shape shape = parts.front()->shape();
  const auto batch = static_cast<std::size_t>(shape[0]);
  shape[1] = 0;
  for (const ir::Tensor* const part : parts) shape[1] += part->shape()[1];
  ir::Tensor all({parts.front()->dtype(), shape});
  std::size_t at = 0;
  for (std::size_t b = 0; b < batch; ++b)
    for (const ir::Tensor* const part : parts) {
      const std::size_t bytes = part->bytes().size() / batch;
      std::ranges::copy(part->bytes().subspan(b * bytes, bytes), all.bytes().subspan(at).begin());
      at += bytes;
    }
  return all;
}

std::string how_of(const ir::Decoded& decoded) {
  std::size_t in_place = 0;
  std::string others;
  for (const auto& [name, tensor] : decoded.caches) {
    const std::string& how = decoded.how.at(name);
    if (how == "in place")
      ++in_place;
    else
      others += fmt::format("; {} by {}", name, how);
  }
  return fmt::format("{} of {} in place{}; a step moved {} bytes up and {} down", in_place,
                     core::terminal::counted(decoded.caches.size(), "cache"), others, decoded.traffic.up,
                     decoded.traffic.down);
}

}  // namespace

DecodedResults decode_case(ir::Executor& executor, const cases::Case& prompt, const ir::Graph& step,
                           std::int64_t steps) {
  const ir::DecoderGraphs graphs{prompt.file->graph, step};
  ir::Decoded decoded;
  std::string how;
  try {
    decoded = ir::decode(executor, graphs, prompt.feeds, steps);
    how = how_of(decoded);
  } catch (const ir::Unsupported&) {  // one that has no contexts runs it so, and any other says the same again
    decoded = ir::decode_through_host(executor, graphs, prompt.feeds, steps);
    how = "caches passed through the host";
  }
  std::vector<const ir::Tensor*> logits = {&decoded.prompt_logits}, tokens;
  for (const ir::Tensor& one : decoded.logits) logits.push_back(&one);
  for (const ir::Tensor& one : decoded.tokens) tokens.push_back(&one);
  DecodedResults results{.named = {{"logits", joined(logits)}, {"tokens.next", joined(tokens)}}, .how = std::move(how)};
  for (auto& [name, tensor] : decoded.caches) results.named.insert_or_assign(name + ".next", std::move(tensor));
  return results;
}

}  // namespace plumb::parity::cli
