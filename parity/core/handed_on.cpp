// Executors and executables that hand on what they are asked.
#include "parity/core/handed_on.hpp"

#include "ir/residency.hpp"

namespace plumb::parity::core {

std::unique_ptr<ir::Executable> HandedOn::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                  const ir::Capture& capture) {
  return of_.compile(graph, params, capture);
}

ir::Buffer HandedOn::allocate(const ir::TensorType& type) { return of_.allocate(type); }

ir::Buffer HandedOn::import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) {
  return of_.import(std::move(memory), std::move(owner), how);
}

std::unique_ptr<ir::Executable> HandedOn::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                       const ir::CompileOptions& options) {
  return of_.compile(graph, std::move(params), options);
}

std::unique_ptr<ir::Context> HandedOnExecutable::context() { return of_->context(); }

}  // namespace plumb::parity::core
