// An executor that keeps the last two graphs that it compiled, so that many seeds compile once.
#include "parity/verify/compile_once.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::parity::verify {
namespace {

std::string key_of(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture) {
  std::string key = ir::formats::graph_json(graph);
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v)
    key += ir::cat('\n', ir::raw::hash_bytes(ir::fed(graph, params, v).bytes()));
  for (const ir::Value v : capture.wanted) key += ir::cat(' ', v);
  if (capture.as_plain) key += " as plain";
  if (capture.marks_bools) key += " with marked bools";
  return key + (capture.surviving ? " and what survives" : "");
}

}  // namespace

std::unique_ptr<ir::Executable> CompileOnce::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  constexpr std::size_t most = 2;
  std::string key = key_of(graph, params, capture);
  const auto found = std::ranges::find(kept_, key, &Kept::key);
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
  } else {
    if (kept_.size() == most) kept_.erase(kept_.begin());  // before the device has to hold another
    auto made = HandedOn::compile(graph, params, capture);
    kept_.push_back({std::move(key), std::move(made)});
  }
  return std::make_unique<core::HandedOnExecutable>(kept_.back().executable);
}

}  // namespace plumb::parity::verify
