// Buffers, params, contexts and fences of the ABI, whose values go by names.
#include <algorithm>

#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"
#include "parity/core/did_you_mean.hpp"

using namespace plumb;

namespace plumb::library::abi {
namespace {

using parity::core::did_you_mean;

/// A box of a tensor of this type; NULL is the whole.
ir::Box box_of(const plumb_box* box, const ir::TensorType& type) {
  if (box == nullptr) return {};
  const plumb_box given = read(box, "box");
  ir::require(given.rank >= 0 && given.rank <= ir::max_rank, "box: rank is ", given.rank);
  ir::require(given.rank > 0 || type.shape.rank() == 0, "box: rank is 0, and the buffer is ", type);
  if (given.rank == 0) return {};
  ir::require(given.starts != nullptr, "box: starts is NULL");
  ir::require(given.extents != nullptr, "box: extents is NULL");
  return {{given.starts, given.starts + given.rank}, {given.extents, given.extents + given.rank}};
}

const ir::Graph& graph_of(const plumb_context& context) { return context.model.file->graph; }

/// The wanted value that the caller calls so.
std::optional<ir::Value> wanted_of(const plumb_context& context, const std::string& name) {
  const auto found = std::ranges::find(context.names, name);
  if (found == context.names.end()) return std::nullopt;
  return context.wanted[static_cast<std::size_t>(found - context.names.begin())];
}

/// The value of the graph with this name; that it is no input, the context says.
ir::Value input_of(const plumb_context& context, const char* name) {
  const std::string input = text_of(name, "input");
  const auto value = graph_of(context).find(input);
  ir::require(value.has_value(), "input: the graph has no value '", input, "'",
              did_you_mean(input, graph_of(context).inputs()));
  return *value;
}

/// The wanted value with this name, or else the graph's; that it is no result, the context says.
ir::Value result_of(const plumb_context& context, const char* name) {
  const std::string result = text_of(name, "result");
  if (const auto wanted = wanted_of(context, result)) return *wanted;
  const auto value = graph_of(context).find(result);
  ir::require(value.has_value(), "result: the graph has no value '", result, "'", did_you_mean(result, context.names));
  return *value;
}

/// The input with this name, else the wanted value, else the graph's; that it is neither, the context says.
ir::Value value_of(const plumb_context& context, const char* text) {
  const std::string name = text_of(text, "value");
  const auto value = graph_of(context).find(name);
  if (value && *value < graph_of(context).inputs().size()) return *value;
  if (const auto wanted = wanted_of(context, name)) return *wanted;
  std::vector<std::string> known = graph_of(context).inputs();
  known.insert(known.end(), context.names.begin(), context.names.end());
  ir::require(value.has_value(), "value: the graph has no value '", name, "'", did_you_mean(name, known));
  return *value;
}

/// Inputs by name, each of them one of the graph's.
ir::Feeds inputs_of(const plumb_context& context, const plumb_tensor* inputs, std::size_t count) {
  ir::Feeds feeds = feeds_of(inputs, count, "inputs");
  for (const auto& one : feeds) {
    const std::string& name = one.first;
    const bool is_known = graph_of(context).find(name).has_value();
    ir::require(is_known, "'", name, "' was given, and is no input of the graph",
                did_you_mean(name, graph_of(context).inputs()));
  }
  return feeds;
}

/// Throws before memory is taken for what cannot fit.
ir::Tensor place_for(const plumb_tensor& into, const ir::Buffer& buffer) {
  const ir::TensorType type = type_of(into, "into");
  ir::require(type.bytes() <= buffer.type().bytes(), buffer.name(), " is read as ", buffer.type(),
              " or less, and was given ", type);
  return ir::Tensor(type);
}

}  // namespace
}  // namespace plumb::library::abi

using library::abi::guarded;
using library::abi::require_handle;
using library::abi::require_place;

plumb_error* plumb_buffer_new(plumb_executor* executor, const plumb_tensor* type, plumb_buffer** buffer) {
  return guarded([&] {
    require_place(buffer, "buffer");
    const plumb_executor& of = require_handle(executor, "executor");
    library::abi::require_sized(type, "type");
    const ir::TensorType made = library::abi::type_of(library::abi::read(type, "type"), "type");
    *buffer = new plumb_buffer{of.opened->executor->allocate(made)};
  });
}

plumb_error* plumb_buffer_type(const plumb_buffer* buffer, plumb_tensor* type) {
  return guarded([&] {
    const plumb_buffer& of = require_handle(buffer, "buffer");
    library::abi::write(library::abi::described(of.buffer.type(), nullptr), type, "type");
  });
}

plumb_error* plumb_buffer_write(plumb_buffer* buffer, const plumb_tensor* from, const plumb_box* box) {
  return guarded([&] {
    ir::Buffer& to = require_handle(buffer, "buffer").buffer;
    library::abi::require_sized(from, "from");
    const ir::Tensor given = library::abi::copy_of(library::abi::read(from, "from"), "from");
    to.write(given, library::abi::box_of(box, to.type()));
  });
}

plumb_error* plumb_buffer_read(const plumb_buffer* buffer, const plumb_box* box, plumb_tensor* into) {
  return guarded([&] {
    const ir::Buffer& from = require_handle(buffer, "buffer").buffer;
    library::abi::require_sized(into, "into");
    const plumb_tensor place = library::abi::read(into, "into");
    ir::Tensor made = library::abi::place_for(place, from);
    library::abi::require_data(place, made.type(), "into");
    from.read(made.view(), library::abi::box_of(box, from.type()));
    library::abi::copy_into(made, place, "into");
  });
}

plumb_error* plumb_buffer_copy(plumb_buffer* to, const plumb_buffer* from, const plumb_box* source,
                               const plumb_box* target) {
  return guarded([&] {
    ir::Buffer& here = require_handle(to, "to").buffer;
    const ir::Buffer& there = require_handle(from, "from").buffer;
    here.copy_from(there, library::abi::box_of(source, there.type()), library::abi::box_of(target, here.type()));
  });
}

plumb_error* plumb_buffer_mapped(plumb_buffer* buffer, plumb_tensor* tensor) {
  return guarded([&] {
    ir::Buffer& of = require_handle(buffer, "buffer").buffer;
    plumb_tensor shown = library::abi::described(of.type(), nullptr);
    shown.data = of.mapped().bytes().data();
    library::abi::write(shown, tensor, "tensor");
  });
}

void plumb_buffer_free(plumb_buffer* buffer) { delete buffer; }

plumb_error* plumb_params_new(plumb_executor* executor, const plumb_tensor* tensors, size_t count,
                              plumb_params** params) {
  return guarded([&] {
    require_place(params, "params");
    const plumb_executor& of = require_handle(executor, "executor");
    const ir::Feeds given = library::abi::feeds_of(tensors, count, "tensors");
    *params = new plumb_params{of.opened, of.opened->executor->hold(given)};
  });
}

plumb_error* plumb_params_buffer(const plumb_params* params, const char* name, plumb_buffer** buffer) {
  return guarded([&] {
    require_place(buffer, "buffer");
    const plumb_params& of = require_handle(params, "params");
    *buffer = new plumb_buffer{of.params->buffer(library::abi::text_of(name, "name"))};
  });
}

plumb_error* plumb_params_set(plumb_params* params, const char* name, const plumb_tensor* value) {
  return guarded([&] {
    const plumb_params& of = require_handle(params, "params");
    library::abi::require_sized(value, "value");
    const ir::Tensor given = library::abi::copy_of(library::abi::read(value, "value"), "value");
    of.params->set(library::abi::text_of(name, "name"), given);
  });
}

void plumb_params_free(plumb_params* params) { delete params; }

plumb_error* plumb_context_new(plumb_executable* executable, plumb_context** context) {
  return guarded([&] {
    require_place(context, "context");
    const plumb_executable& of = require_handle(executable, "executable");
    *context = new plumb_context{of.opened, of.model, of.names, of.wanted, of.executable->context()};
  });
}

plumb_error* plumb_context_bind(plumb_context* context, const char* input, plumb_buffer* from) {
  return guarded([&] {
    const plumb_context& of = require_handle(context, "context");
    of.context->bind(library::abi::input_of(of, input), require_handle(from, "from").buffer);
  });
}

plumb_error* plumb_context_bind_result(plumb_context* context, const char* result, plumb_buffer* to) {
  return guarded([&] {
    const plumb_context& of = require_handle(context, "context");
    of.context->bind_result(library::abi::result_of(of, result), require_handle(to, "to").buffer);
  });
}

plumb_error* plumb_context_feed(plumb_context* context, const char* result, const char* input) {
  return guarded([&] {
    const plumb_context& of = require_handle(context, "context");
    of.context->feed(library::abi::result_of(of, result), library::abi::input_of(of, input));
  });
}

plumb_error* plumb_context_how(plumb_context* context, const char* result, const char** how) {
  return guarded([&] {
    require_place(how, "how");
    plumb_context& of = require_handle(context, "context");
    *how = of.texts.insert(of.context->how(library::abi::result_of(of, result))).first->c_str();
  });
}

plumb_error* plumb_context_buffer(plumb_context* context, const char* value, plumb_buffer** buffer) {
  return guarded([&] {
    require_place(buffer, "buffer");
    const plumb_context& of = require_handle(context, "context");
    *buffer = new plumb_buffer{of.context->buffer(library::abi::value_of(of, value))};
  });
}

plumb_error* plumb_context_traffic(const plumb_context* context, plumb_traffic* traffic) {
  return guarded([&] {
    const ir::Traffic of = require_handle(context, "context").context->traffic();
    plumb_traffic made{};
    made.up = of.up;
    made.down = of.down;
    library::abi::write(made, traffic, "traffic");
  });
}

int plumb_context_blocks(const plumb_context* context) {
  return context != nullptr && context->context->blocks() ? 1 : 0;
}

void plumb_context_free(plumb_context* context) { delete context; }

plumb_error* plumb_submit(plumb_context* context, const plumb_tensor* inputs, size_t count, plumb_fence** fence) {
  return guarded([&] {
    require_place(fence, "fence");
    const plumb_context& of = require_handle(context, "context");
    *fence = new plumb_fence{of.context->submit(library::abi::inputs_of(of, inputs, count))};
  });
}

plumb_error* plumb_wait(const plumb_fence* fence) {
  return guarded([&] { require_handle(fence, "fence").fence.get(); });
}

int plumb_fence_ready(const plumb_fence* fence) { return fence != nullptr && fence->fence.ready() ? 1 : 0; }

plumb_error* plumb_fence_wait(const plumb_fence* fence, double seconds, int32_t* ready) {
  return guarded([&] {
    const plumb_fence& of = require_handle(fence, "fence");
    require_handle(ready, "ready");
    ir::require(seconds >= 0, "seconds: is ", seconds);
    *ready = of.fence.wait(seconds) ? 1 : 0;
  });
}

void plumb_fence_free(plumb_fence* fence) { delete fence; }
