// Opens a dump, and reads single tensors from it, transposed where a map says so.
#include "parity/foreign/dump_file.hpp"

#include <algorithm>
#include <cstring>

#include "parity/core/candidate_error.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::foreign {
namespace {

/// The tensor as NumPy transposes it: axis i of the result is axis axes[i] of x.
ir::Tensor transposed(const ir::Tensor& x, const std::vector<std::int64_t>& axes, ir::TensorType type) {
  const auto strides = x.shape().strides();
  std::vector<std::size_t> steps;
  for (const std::int64_t axis : axes)
    steps.push_back(static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]));
  ir::Tensor made(std::move(type));
  const std::size_t size = ir::info(made.dtype()).bytes, rank = axes.size();
  std::vector<std::int64_t> at(rank, 0);
  std::size_t from = 0;
  const auto count = static_cast<std::size_t>(made.elements());
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(made.bytes().data() + k * size, x.bytes().data() + from * size, size);
    for (std::size_t axis = rank; axis-- > 0;) {
      from += steps[axis];
      if (++at[axis] < made.shape()[axis]) break;
      from -= steps[axis] * static_cast<std::size_t>(at[axis]);
      at[axis] = 0;
    }
  }
  return made;
}

/// Finds the tensors below the prefix: their names as stored, and without it.
std::vector<std::pair<std::string, std::string>> below(const std::vector<std::string>& names, const DumpOptions& by) {
  std::vector<std::pair<std::string, std::string>> found;  // as stored, without the prefix
  for (const std::string& prefix : {by.prefix + '/', by.prefix}) {
    for (const std::string& name : names)
      if (name.starts_with(prefix) && name.size() > prefix.size()) found.emplace_back(name, name.substr(prefix.size()));
    if (!found.empty()) return found;
  }
  std::vector<std::string> heads;
  for (const std::string& name : names)
    if (const std::string head = name.substr(0, name.find('/')); std::ranges::find(heads, head) == heads.end())
      if (heads.size() < 64) heads.push_back(head);
  ir::fail(by.path, ": no tensor has a name below '", by.prefix, "'", nearest(by.prefix, heads));
}

}  // namespace

DumpFile::DumpFile(const DumpOptions& options, const Names& names) {
  open(options);
  pairs = pair_by_name(names, offered_, options.map);
  notes_.insert(notes_.end(), pairs.notes.begin(), pairs.notes.end());
}

void DumpFile::open(const DumpOptions& options) {
  constexpr std::size_t most_noted = 20;
  file_ = ir::formats::open_tensors(options.path);
  const std::vector<std::string> names = file_->names();
  ir::require(!file_->contains("") || names.size() != 1, options.path,
              ": holds one tensor without a name; a candidate's tensors stand in .npz or .h5");
  std::vector<std::pair<std::string, std::string>> found;
  if (options.prefix.empty())
    for (const std::string& name : names) found.emplace_back(name, name);
  else
    found = below(names, options);
  std::size_t absent = 0;
  for (const auto& [stored, name] : found) try {
      offered_.push_back({name, file_->type(stored)});
      stored_.push_back(stored);
    } catch (const ir::Error& error) {
      if (++absent <= most_noted) notes_.push_back(ir::cat("'", name, "' counts as absent: ", error.what()));
    }
  if (absent > most_noted)
    notes_.push_back(ir::cat(core::terminal::counted(absent - most_noted, "more tensor"), " cannot be read"));
}

ir::TensorType DumpFile::type(const Paired& paired) const {
  ir::TensorType type = offered_[paired.tensor].type;
  for (std::size_t k = 0; k < paired.transpose.size(); ++k)
    type.shape[k] = offered_[paired.tensor].type.shape[static_cast<std::size_t>(paired.transpose[k])];
  return type;
}

ir::Tensor DumpFile::read(const Paired& paired) const {
  ir::Tensor found = read(paired.tensor);
  return paired.transpose.empty() ? std::move(found) : transposed(found, paired.transpose, type(paired));
}

ir::Tensor input_of(const DumpFile& dump, const std::string& path, const ir::Graph& graph, ir::Value input,
                    const Paired& paired) try {
  const std::string name = graph.name(input);
  require_receivable(name, dump.type(paired), graph.type(input));
  return received(name, dump.read(paired), graph.type(input));
} catch (const core::CandidateError& error) {
  ir::fail(path, ": the dump's input ", error.what());
}

}  // namespace plumb::parity::foreign
