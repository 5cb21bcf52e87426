// Joins the rows of steps behind those of the prompt.
#include "parity/cli/decoding/decoded_results.hpp"

#include "ir/decoding.hpp"

namespace plumb::parity::cli {

DecodedResults decode_case(ir::Executor& executor, const cases::Case& prompt, const ir::Graph& step,
                           std::int64_t steps) {
  const ir::DecoderGraphs graphs{prompt.file->graph, step};
  ir::Decoded decoded;
  std::string how;
  try {
    decoded = ir::decode(executor, graphs, prompt.feeds, steps);
    how = ir::how_text(decoded);
  } catch (const ir::Unsupported&) {  // one that has no contexts runs it so, and any other says the same again
    decoded = ir::decode_by_host(executor, graphs, prompt.feeds, steps);
    how = "caches passed through the host";
  }
  std::vector<const ir::Tensor*> logits = {&decoded.prompt_logits}, tokens;
  for (const ir::Tensor& one : decoded.logits) logits.push_back(&one);
  for (const ir::Tensor& one : decoded.tokens) tokens.push_back(&one);
  DecodedResults results{.named = {{"logits", ir::joined_rows(logits)}, {"tokens.next", ir::joined_rows(tokens)}},
                         .how = std::move(how)};
  for (auto& [name, tensor] : decoded.caches) results.named.insert_or_assign(name + ".next", std::move(tensor));
  return results;
}

}  // namespace plumb::parity::cli
