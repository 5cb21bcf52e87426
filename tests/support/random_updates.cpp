#include "tests/support/random_updates.hpp"

#include <gmock/gmock.h>

#include <random>

#include "tests/support/cases/movement.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::testing {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using Reduction = ir::kernels::ScatterReduction;

/// An op with operands, and indices of which one is out of range, where the op refuses such.
struct RandomUpdate {
  UpdatedOperand of;
  std::size_t place = 0;  ///< where the indices are among the other operands
  std::optional<Tensor> refused = {};
  std::int64_t wrong = 0;  ///< the index that is out of range
};

class RandomUpdates {
 public:
  explicit RandomUpdates(unsigned seed) : random_(seed) {}

  RandomUpdate next(int kind) {
    switch (kind) {
      case 0:
        return tensor_scatter();
      case 1:
        return dynamic_update_slice();
      case 2:
        return scatter_nd();
      default:
        return scatter_elements();
    }
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool now_and_then() { return pick(0, 3) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[pick(0, static_cast<std::int64_t>(all.size()) - 1)];
  }

  Shape shape(std::int64_t least_rank) {
    Shape made(static_cast<std::size_t>(pick(least_rank, 4)), 1);
    for (std::int64_t& extent : made) extent = pick(1, 6);
    if (now_and_then()) made[static_cast<std::size_t>(pick(0, made.rank() - 1))] = pick(60, 300);
    return made;
  }
  DType dtype(Reduction reduction) {
    if (reduction != Reduction::none) return one_of({DType::i8, DType::u8, DType::i32, DType::i64});
    return one_of({DType::boolean, DType::u8, DType::i16, DType::f16, DType::i32, DType::f32, DType::i64, DType::f64});
  }
  Tensor noise(DType dtype, const Shape& shape) {
    return tests::noise({dtype, shape}, static_cast<unsigned>(random_()));
  }

  /// Numbers of 32 or 64 bits, of which `number` gives each by its place.
  template <class Number>
  Tensor indices(const Shape& shape, const Number& number) {
    Tensor made({one_of({DType::i32, DType::i64}), shape});
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.elements()); ++i) put(made, i, number(i));
    return made;
  }
  static void put(Tensor& indices, std::size_t at, std::int64_t value) {
    if (indices.type().dtype == DType::i64)
      indices.as<std::int64_t>()[at] = value;
    else
      indices.as<std::int32_t>()[at] = static_cast<std::int32_t>(value);
  }

  /// One index, wherever it is, becomes what `wrong` gives for its place.
  template <class Number>
  void refuse(RandomUpdate& update, const Number& wrong) {
    update.refused = update.of.others[update.place];
    const auto at = static_cast<std::size_t>(pick(0, update.refused->type().shape.elements() - 1));
    update.wrong = wrong(at);
    put(*update.refused, at, update.wrong);
  }

  RandomUpdate tensor_scatter() {
    Shape x = shape(2);
    const auto axis = static_cast<std::size_t>(pick(1, x.rank() - 1));
    Shape rows = x;
    x[axis] += 1;  // an update of all of x is no update in place
    rows[axis] = pick(1, x[axis] - 1);
    const std::int64_t last = x[axis] - rows[axis];
    const auto mode = one_of({ir::ops::TensorScatterMode::linear, ir::ops::TensorScatterMode::circular});
    const bool is_linear = mode == ir::ops::TensorScatterMode::linear, has_indices = !now_and_then();
    const DType of = dtype(Reduction::none);
    RandomUpdate made{{"", ir::ops::TensorScatter{static_cast<std::int64_t>(axis), mode, has_indices}, {of, x}, {}}};
    made.of.others.push_back(noise(of, rows));
    if (!has_indices) return made;
    made.place = 1;
    made.of.others.push_back(
        indices({x[0]}, [&](std::size_t) { return is_linear ? pick(0, last) : pick(-2 * x[axis], 2 * x[axis]); }));
    if (is_linear) refuse(made, [&](std::size_t) { return one_of({last + 1, x[axis], std::int64_t{-1}}); });
    return made;
  }

  RandomUpdate dynamic_update_slice() {
    Shape x = shape(1);
    Shape box = x;
    for (std::int64_t& extent : box) extent = pick(1, extent);
    x.front() += 1;
    const DType of = dtype(Reduction::none);
    RandomUpdate made{{"", ir::ops::DynamicUpdateSlice{}, {of, x}, {noise(of, box)}}};
    made.of.others.push_back(indices({x.rank()}, [&](std::size_t k) { return pick(-3, x[k] + 3); }));
    return made;
  }

  Reduction reduction() {
    return one_of({Reduction::none, Reduction::none, Reduction::add, Reduction::multiply, Reduction::minimum,
                   Reduction::maximum});
  }

  RandomUpdate scatter_nd() {
    const Shape x = shape(1);
    const auto tuple = static_cast<std::size_t>(pick(1, x.rank()));
    Shape slices{pick(1, 40)};
    if (now_and_then()) slices.push_back(pick(1, 9));
    Shape of_indices = slices;
    of_indices.push_back(static_cast<std::int64_t>(tuple));
    slices.insert(slices.end(), x.begin() + static_cast<std::ptrdiff_t>(tuple), x.end());
    const Reduction how = reduction();
    const DType of = dtype(how);
    RandomUpdate made{{"", ir::ops::ScatterNd{how}, {of, x}, {}}};
    made.of.others.push_back(indices(of_indices, [&](std::size_t i) { return pick(-x[i % tuple], x[i % tuple] - 1); }));
    made.of.others.push_back(noise(of, slices));
    refuse(made, [&](std::size_t i) { return one_of({x[i % tuple], -x[i % tuple] - 1}); });
    return made;
  }

  RandomUpdate scatter_elements() {
    const Shape x = shape(1);
    const auto axis = static_cast<std::size_t>(pick(0, x.rank() - 1));
    Shape some = x;
    for (std::size_t k = 0; k < some.size(); ++k) some[k] = pick(1, k == axis ? 2 * x[k] : x[k]);
    const Reduction how = reduction();
    const DType of = dtype(how);
    RandomUpdate made{{"", ir::ops::ScatterElements{static_cast<std::int64_t>(axis), how}, {of, x}, {}}};
    made.of.others.push_back(indices(some, [&](std::size_t) { return pick(-x[axis], x[axis] - 1); }));
    made.of.others.push_back(noise(of, some));
    refuse(made, [&](std::size_t) { return one_of({x[axis], -x[axis] - 1}); });
    return made;
  }

  std::mt19937 random_;
};

/// In a buffer that is bound as input and result.
void expect_bound(ir::Executor& executor, const UpdatedGraph& alone, Value y, const RandomUpdate& update,
                  const ir::Feeds& bad, const Tensor& expected) {
  const auto context = executor.compile(alone.graph, {}, {{y}})->context();
  const Tensor& x = alone.feeds.at("x");
  const ir::Buffer both = buffer_of(executor, x);
  context->bind(alone.x, both);
  context->bind_result(y, both);  // An Error says that it is not in place.
  const auto submit = [&](ir::Feeds feeds) {
    feeds.erase("x");
    return tests::message_of([&] { context->submit(feeds).get(); });
  };
  if (update.refused) {
    EXPECT_THAT(submit(bad), ::testing::HasSubstr(ir::cat(update.wrong)));
    EXPECT_TRUE(tests::same_bytes(read(both), x)) << "a refused index changed something";
  }
  EXPECT_EQ(submit(alone.feeds), "");
  EXPECT_TRUE(tests::same_bytes(read(both), expected));
}

/// Over what a node before it computes.
void expect_behind(ir::Executor& executor, const RandomUpdate& update, const ir::Feeds& feeds, const ir::Feeds& bad,
                   const Tensor& expected) {
  UpdatedGraph behind(update.of);
  const Value z = behind.updated(behind.computed());
  const auto executable = executor.compile(behind.graph, {}, {{z}});
  EXPECT_THAT(executable->nodes().back().reason, ::testing::HasSubstr("in place"));
  EXPECT_TRUE(tests::same_bytes(executable->run(feeds).at(z), expected));
  if (!update.refused) return;
  EXPECT_THAT(tests::message_of([&] { executable->run(bad); }), ::testing::HasSubstr(ir::cat(update.wrong)));
  EXPECT_TRUE(tests::same_bytes(executable->run(feeds).at(z), expected)) << "after a run that was refused an index";
}

}  // namespace

void expect_random_updates(ir::Executor& executor, ir::Executor& copying, int count) {
  RandomUpdates updates(7);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const RandomUpdate update = updates.next(i % 4);
    std::string others;
    for (const Tensor& other : update.of.others) others += ir::cat(", ", other.type());
    SCOPED_TRACE(ir::cat(i, ": ", update.of.op.name(), " of ", update.of.x, others));
    UpdatedGraph alone(update.of);
    const Value y = alone.updated(alone.x);
    ir::Feeds feeds = alone.feeds, bad = alone.feeds;
    if (update.refused) bad.insert_or_assign(ir::cat("other", update.place), *update.refused);
    refused += update.refused ? 1 : 0;
    expect_bound(executor, alone, y, update, bad, copying.run(alone.graph, feeds, {y}).at(y));
    const Tensor& x = alone.feeds.at("x");
    feeds.insert_or_assign("x", ir::run_op(copying, ir::ops::Reverse{{0}}, {x}).front());
    expect_behind(executor, update, alone.feeds, bad, copying.run(alone.graph, feeds, {y}).at(y));
  }
  EXPECT_GE(refused, count / 2);
}

}  // namespace plumb::testing
