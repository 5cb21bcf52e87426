#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::ir::from_onnx {

/// A tensor of a Draft, or a sequence of them.
using Ref = std::size_t;

/// A graph that is being read. Unlike ir::Graph it takes params at any time, knows the
/// numbers of what follows from the file alone, and lets names come late; `finish` makes
/// the Graph of what the results need.
class Draft {
 public:
  /// Elements of a tensor that is computed while a file is read, whether it tells of shapes or not.
  static constexpr std::int64_t most_shape_elements = 4096;

  explicit Draft(const formats::OnnxOptions& options) : options_(&options) {}

  /// An input; `given` (or null) are the numbers it will be fed.
  Ref input(std::string name, TensorType type, const Tensor* given);
  /// A tensor whose numbers are known. With a name it is a tensor of the file.
  Ref known(Tensor tensor, std::string name = {});

  /// Applies an op. With small operands that are all known the results are known, too.
  /// Throws Unsupported when the op does not take these dtypes, Error when it refuses.
  std::vector<Ref> add(const std::string& label, const Op& op, const std::vector<Ref>& operands);

  /// A sequence of tensors, whose length is known while the file is read.
  Ref sequence(std::vector<Ref> elements);
  /// The elements of a sequence, or null when `ref` is a tensor.
  const std::vector<Ref>* elements(Ref ref) const;

  /// Throws Unsupported when `ref` is a sequence.
  const TensorType& type(Ref ref) const;
  /// The numbers, or null when they depend on the inputs.
  const Tensor* value(Ref ref) const { return tensors_.at(ref).value.get(); }
  /// The numbers, also where they follow from given inputs, which are `pinned` by that.
  /// Tensors of any size are computed for that, as long as they and the work are little together.
  const Tensor* resolve(Ref ref);
  const std::set<std::string>& pinned() const { return pinned_; }
  /// The inputs without given numbers that a tensor follows from, in order.
  std::vector<Ref> unknown_inputs(Ref ref) const;
  const std::string& name(Ref ref) const { return tensors_.at(ref).name; }

  /// How many tensors there are: those with higher numbers are newer.
  std::size_t size() const { return tensors_.size(); }
  /// Gives a tensor the file's name for it; the last one counts. A further result of a node keeps the node's.
  void name(Ref ref, const std::string& name);

  /// The graph that computes these results, of which [k] is called names[k]: a value of another name gets a node that
  /// hands it on. The numbers move into it: afterwards the draft is of no use. Returns the values that tensors became.
  std::vector<std::optional<Value>> finish(const std::vector<Ref>& results, const std::vector<std::string>& names,
                                           formats::GraphFile& file);

 private:
  struct Step {
    std::string label;
    Op op;
    std::vector<Ref> operands, results;
    bool named = false;
    bool needed = false;
  };
  enum class Kind { input, known, result, sequence };
  struct Entry {
    Kind kind;
    TensorType type;
    std::shared_ptr<Tensor> value;
    std::string name;
    std::size_t step = 0, output = 0;
    const Tensor* given = nullptr;                ///< an input's
    std::shared_ptr<const Tensor> resolved = {};  ///< a result that given inputs settle
    bool unresolvable = false;
    bool needed = false;
    bool is_result = false;
    std::vector<Ref> elements = {};  ///< a sequence's

    const Tensor* numbers() const { return value ? value.get() : resolved ? resolved.get() : given; }
  };
  class Emitter;

  /// Known, resolved or given numbers, or null.
  const Tensor* numbers(Ref ref) const { return tensors_.at(ref).numbers(); }
  bool folds(const Op& op, const std::vector<Ref>& operands, const TensorTypes& types) const;
  bool is_resolvable(const std::set<std::size_t>& steps) const;
  void mark_needed(const std::vector<Ref>& results);

  const formats::OnnxOptions* options_;
  std::deque<Entry> tensors_;  ///< converters keep references to types while they add
  std::vector<Step> steps_;
  std::set<std::string> pinned_;
};

}  // namespace plumb::ir::from_onnx
