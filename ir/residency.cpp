// Boxes as contiguous stretches, the checks of buffers, and what executors without residency answer.
#include "ir/residency.hpp"

namespace plumb::ir {
namespace {

[[noreturn]] void has_none(std::string_view who, std::string_view what) {
  throw Unsupported(cat(who, " has no ", what));
}

/// Stretches of two boxes of one shape, cut where either is.
std::vector<Memory::Piece> pieces(const std::vector<Stretch>& from, const std::vector<Stretch>& to) {
  std::vector<Memory::Piece> pieces;
  for (std::size_t f = 0, t = 0; f < from.size() && t < to.size();) {
    const std::size_t begin = std::max(from[f].in_box, to[t].in_box);
    const std::size_t end_from = from[f].in_box + from[f].bytes, end_to = to[t].in_box + to[t].bytes;
    const std::size_t end = std::min(end_from, end_to);
    pieces.push_back({from[f].in_tensor + begin - from[f].in_box, to[t].in_tensor + begin - to[t].in_box, end - begin});
    f += end == end_from ? 1 : 0;
    t += end == end_to ? 1 : 0;
  }
  return pieces;
}

bool boxes_meet(const Shape& shape, const Box& a, const Box& b) {
  if (a.starts.empty() || b.starts.empty()) return shape.elements() > 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (a.starts[axis] + a.extents[axis] <= b.starts[axis] || b.starts[axis] + b.extents[axis] <= a.starts[axis])
      return false;
  return true;
}

std::string text(const Box& box) { return cat("box of ", Shape(box.extents), " from ", Shape(box.starts)); }

bool is_whole(const Box& box) { return box.starts.empty() && box.extents.empty(); }

/// Whether that is the type of the box.
bool fits(const TensorType& given, const TensorType& tensor, const Box& box) {
  const std::vector<std::int64_t>& extents = is_whole(box) ? tensor.shape : box.extents;
  return given.dtype == tensor.dtype && std::ranges::equal(given.shape, extents);
}

/// Stretches of one call. Their memory stays with the thread, so that a loop of calls allocates nothing, unless there
/// are very many.
class Stretches {
 public:
  Stretches() : all(std::move(kept())) {}
  ~Stretches() {
    if (all.capacity() <= most) kept() = std::move(all);
  }
  Stretches(const Stretches&) = delete;

  std::vector<Stretch> all;

 private:
  static constexpr std::size_t most = 4096;
  static std::vector<Stretch>& kept() {
    thread_local std::vector<Stretch> kept;
    return kept;
  }
};

}  // namespace

std::vector<Stretch> stretches(const TensorType& type, const Box& box) {
  std::vector<Stretch> all;
  find_stretches(type, box, all);
  return all;
}

void find_stretches(const TensorType& type, const Box& box, std::vector<Stretch>& all) {
  all.clear();
  if (is_whole(box)) {
    if (type.bytes() > 0) all.push_back({0, 0, type.bytes()});
    return;
  }
  constexpr auto most = static_cast<std::size_t>(max_rank);
  const std::size_t rank = type.shape.size();
  if (rank > most || box.starts.size() != rank || box.extents.size() != rank)
    fail(type, " has no ", text(box), ", which has another rank");
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t start = box.starts[axis], extent = box.extents[axis];
    const bool lies_inside =
        start >= 0 && extent >= 0 && start <= type.shape[axis] && extent <= type.shape[axis] - start;
    if (!lies_inside) fail(type, " has no ", text(box), ", which leaves it along axis ", axis);
  }
  if (std::ranges::count(box.extents, 0) > 0) return;  // the other axes may be too long to be multiplied
  // Axes that are whole at the end of the shape are one run with the axis before them.
  std::size_t outer = rank;
  while (outer > 0 && box.extents[outer - 1] == type.shape[outer - 1]) --outer;
  if (outer > 0) --outer;
  std::array<std::int64_t, most> strides{}, at{};
  std::int64_t count = 1, length = 1, first = 0;
  for (std::size_t axis = rank; axis-- > 0;) {
    strides[axis] = axis + 1 == rank ? 1 : strides[axis + 1] * type.shape[axis + 1];
    (axis < outer ? count : length) *= box.extents[axis];
    first += box.starts[axis] * strides[axis];
  }
  const std::size_t element = info(type.dtype).bytes, bytes = static_cast<std::size_t>(length) * element;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = first;
    for (std::size_t axis = 0; axis < outer; ++axis) offset += at[axis] * strides[axis];
    all.push_back({static_cast<std::size_t>(offset) * element, static_cast<std::size_t>(i) * bytes, bytes});
    for (std::size_t axis = outer; axis-- > 0;) {
      if (++at[axis] < box.extents[axis]) break;
      at[axis] = 0;
    }
  }
}

TensorType type_of(const TensorType& tensor, const Box& box) {
  return is_whole(box) ? tensor : TensorType{tensor.dtype, Shape(box.extents)};
}

Buffer::Buffer(std::shared_ptr<Memory> memory, TensorType type, std::string name, std::shared_ptr<Traffic> traffic)
    : memory_(std::move(memory)),
      label_(std::make_shared<const Label>(Label{std::move(type), std::move(name)})),
      traffic_(std::move(traffic)) {}

void Buffer::find_stretches_of(const Box& box, std::vector<Stretch>& all) const {
  try {
    find_stretches(type(), box, all);
  } catch (const Error& error) {
    fail(name(), ": ", error.what());
  }
}

void Buffer::require_writable() const {
  const std::string refusal = memory_->refusal();
  require(refusal.empty(), name(), " is not written: ", refusal);
}

MutableView Buffer::mapped() {
  require_writable();
  return {type(), memory_->mapped()};
}

void Buffer::write(const TensorView& from, const Box& box) {
  require_writable();
  Stretches to;
  find_stretches_of(box, to.all);
  if (!fits(from.type(), type(), box))
    fail(name(), " is written as ", type_of(type(), box), ", and was given ", from.type());
  memory_->write(from.bytes(), to.all);
  if (traffic_) traffic_->up += from.bytes().size();
}

void Buffer::read(const MutableView& into, const Box& box) const {
  Stretches from;
  find_stretches_of(box, from.all);
  if (!fits(into.type(), type(), box))
    fail(name(), " is read as ", type_of(type(), box), ", and was given ", into.type());
  memory_->read(into.bytes(), from.all);
  if (traffic_) traffic_->down += into.bytes().size();
}

void Buffer::copy_from(const Buffer& from, const Box& source, const Box& target) {
  require_writable();
  std::vector<Stretch> there, here;
  from.find_stretches_of(source, there);
  find_stretches_of(target, here);
  const TensorType given = type_of(from.type(), source), wanted = type_of(type(), target);
  require(given == wanted, name(), " is written as ", wanted, ", and ", from.name(), " gives ", given);
  require(from.memory_->place() == memory_->place(), name(), " and ", from.name(), " are of two executors");
  require(from.memory_ != memory_ || !boxes_meet(type().shape, source, target), name(),
          " is copied onto itself, and the boxes meet");
  memory_->copy(*from.memory_, pieces(there, here));
}

ParamNames replaceable_params(const Graph& graph, const CompileOptions& options) {
  const auto& params = graph.params();
  ParamNames names;
  for (const std::string& name : options.replaceable) {
    if (name == "*") {
      names.insert(params.begin(), params.end());
      continue;
    }
    require(std::ranges::count(params, name) > 0, "param '", name,
            "' is to be replaceable, and the graph has none such");
    names.insert(name);
  }
  for (const Value v : options.capture.wanted)
    require(!graph.is_source(v) || !names.contains(graph.name(v)), "param '", graph.name(v),
            "' is wanted as a result, and cannot be replaceable as well");
  return names;
}

void Params::set(std::string_view name, const TensorView& value) {
  const Buffer held = buffer(name);
  require(value.type() == held.type(), held.name(), " is ", held.type(), ", and was given ", value.type());
  {
    const std::scoped_lock held_by_us(reading_);
    std::erase_if(readers_, [](const Reader& reader) { return reader.program.expired(); });
    for (const Reader& reader : readers_)
      require(!reader.fixed.contains(name), held.name(),
              " stays as it is: an executable was compiled without naming it as replaceable, and may have folded it");
  }
  replace(name, value);  // which waits for runs
}

void Params::keep_for(std::weak_ptr<const void> program, const Graph& graph, const ParamNames& replaceable) {
  const std::scoped_lock held_by_us(reading_);
  std::erase_if(readers_, [](const Reader& reader) { return reader.program.expired(); });
  ParamNames fixed(graph.params().begin(), graph.params().end());
  for (const std::string& name : replaceable) fixed.erase(name);
  readers_.push_back({std::move(program), std::move(fixed)});
}

std::unique_ptr<Context> Executable::context() { has_none("this executable", "contexts"); }
bool Executable::has_contexts() const { has_none("this executable", "contexts"); }
std::uint64_t Executable::bytes() const { has_none("this executable", "count of its bytes"); }
std::uint64_t Executable::identity() const { has_none("this executable", "identity"); }
Buffer Executor::allocate(const TensorType&) { has_none(name(), "buffers"); }
std::shared_ptr<Params> Executor::hold(const Feeds&) { has_none(name(), "params that executables share"); }
Buffer Executor::import(MutableView, std::shared_ptr<void>, Import) { has_none(name(), "imported buffers"); }
std::unique_ptr<Executable> Executor::compile_held(const Graph&, std::shared_ptr<Params>, const CompileOptions&) {
  has_none(name(), "params that executables share");
}

}  // namespace plumb::ir
