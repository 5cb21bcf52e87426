#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_case.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::record_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_case;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;
namespace fs = std::filesystem;

class Record : public ::testing::Test {
 protected:
  Record() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("plumb_record_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Record() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "out.h5"; }

  static results::RecordOptions options(results::KeepTensors tensors = results::KeepTensors::never) {
    results::RecordOptions made{.tensors = tensors,
                                .argv = {"/opt/bin/plumb", "verify", "/opt/graphs/small.json", "--out=/opt/x.h5"}};
    made.device = {.uuid = "00ff", .name = "a device", .driver_name = "a driver", .vendor_id = 0x10de};
    made.device.cooperative_shapes.push_back({.m = 16, .n = 16, .k = 16});
    made.environment = {.cpu = "a cpu", .threads = 2, .libraries = {{"eigen", "3.4.0"}}};
    return made;
  }

  static void record(results::Recorder& recorder, Suspect& suspect, std::uint64_t seed) {
    recorder.record(verify_on(suspect, make_case(small_graph, seed), {}, recorder));
  }

  /// One case that passes and one in which "scores" is wrong.
  void record_two(results::RecordOptions with) {
    Suspect honest, wrong = spoiler("scores", [](ir::Tensor&y) { y.as<float>()[13] += 1e-3f; });
    results::Recorder recorder(file(), std::move(with));
    record(recorder, honest, 1);
    record(recorder, wrong, 2);
    recorder.finish();
  }

  static std::vector<results::Node> nodes_of(const ir::hdf5::Store& store) {
    return store.read<results::Node>("/results/nodes", results::node_type()).rows;
  }

  fs::path folder_;
};

TEST_F(Record, HoldsARowForEveryOutputAndPart) {
  record_two(options());
  EXPECT_THAT(results::check_schema(file()), IsEmpty());
  EXPECT_FALSE(fs::exists(file().string() + ".part"));
  const auto store = ir::hdf5::Store::open(file());
  const auto runs = store.read<results::Run>("/runs", results::run_type()).rows;
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].verdict, core::Verdict::passed);
  EXPECT_EQ(runs[1].verdict, core::Verdict::failed);
  EXPECT_EQ(runs[1].seed, 2u);
  EXPECT_EQ(runs[1].first_guilty, 2u);  // after x and w
  EXPECT_EQ(runs[0].graph_id, runs[1].graph_id);
  EXPECT_EQ(store.children("/graph").size(), 1u);
  const auto nodes = nodes_of(store);
  ASSERT_EQ(nodes.size(), 2u * 5u * 3u);
  const results::Node& scores = nodes[15];
  EXPECT_EQ(scores.run, 1u);
  EXPECT_EQ(scores.node, 2u);  // after x and w
  EXPECT_EQ(scores.part, results::Part::local);
  EXPECT_EQ(scores.n, 77u);
  EXPECT_EQ(scores.n_bad, 1u);
  EXPECT_EQ(scores.max_abs_at, 13u);
  EXPECT_NEAR(scores.max_abs, 1e-3, 1e-5);
  EXPECT_GT(scores.ratio_max, 1);
  EXPECT_NEAR(scores.ratio_max * scores.bound_at_max, 1e-3, 1e-5);
  EXPECT_EQ(scores.placement, ir::Placement::gpu);
  EXPECT_EQ(scores.t_dev_ns, 1000u);
  EXPECT_EQ(scores.verdict, core::Verdict::failed);
  EXPECT_EQ(scores.special, cases::Special::none);
  EXPECT_EQ(scores.special_at, results::no_number);
  EXPECT_EQ(nodes[16].special, cases::Special::unknown);  // inherited errors have no class
  const auto top = store.read<results::TopElement>("/results/topk", results::top_element_type()).rows;
  ASSERT_EQ(top.size(), nodes.size() * 8);
  EXPECT_EQ(top[15 * 8].index, 13u);
}

/// A reader of the file has the maps that the run had.
TEST_F(Record, KeepsMapsOfOutputs) {
  Suspect wrong = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] = NAN; });
  cases::CaseResult result;
  {
    results::Recorder recorder(file(), options());
    result = verify_on(wrong, make_case(small_graph), {.maps = cases::KeepMaps::all}, recorder);
    recorder.record(result);
    recorder.finish();
  }
  EXPECT_THAT(results::check_schema(file()), IsEmpty());
  results::ResultsFile read(file());
  const cases::CaseResult stored = results::stored_case(read, read.runs().at(0));
  ASSERT_EQ(stored.nodes.size(), result.nodes.size());
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    EXPECT_TRUE(result.nodes[n].local.map.is_made()) << result.nodes[n].name();
    EXPECT_EQ(stored.nodes[n].local.map, result.nodes[n].local.map) << result.nodes[n].name();
  }
  const compare::RatioMap& map = stored.nodes[0].local.map;  // 7 rows, 11 columns
  EXPECT_EQ(map.extents, (compare::MapExtents{7, 11}));
  EXPECT_EQ(map.at(1, 2), compare::RatioMap::not_finite);
  EXPECT_EQ(std::ranges::count(map.cells, compare::RatioMap::not_finite), 1);
}

TEST_F(Record, SaysNanAndNeverZeroOfWhatWasNotComputed) {
  record_two(options());
  const auto store = ir::hdf5::Store::open(file());
  for (const results::Node& row : nodes_of(store)) {
    if (row.part != results::Part::local) {
      EXPECT_TRUE(std::isnan(row.ref_uncert));
      EXPECT_TRUE(std::isnan(row.ratio_det));
    }
    EXPECT_TRUE(std::isnan(row.amplification) || row.part == results::Part::inherited);
    EXPECT_TRUE(std::isnan(row.blame) || (row.run == 1 && row.part == results::Part::local));  // only where it failed
    EXPECT_EQ(std::isnan(row.vacuity), row.part != results::Part::local);
    EXPECT_EQ(std::isnan(row.ratio_max), row.part != results::Part::local);
    EXPECT_EQ(row.rule, -1);
  }
  const auto run = store.read<results::Run>("/runs", results::run_type()).rows.at(0);
  EXPECT_DOUBLE_EQ(run.alpha, compare::usual_false_alarms);
  EXPECT_EQ(run.first_guilty, results::no_number);
  const auto top = store.read<results::TopElement>("/results/topk", results::top_element_type()).rows;
  const auto inherited = top.at((4 * 3 + 1) * 8);  // nothing is judged of it
  EXPECT_EQ(inherited.index, results::no_number);
  EXPECT_TRUE(std::isnan(inherited.bound));
}

TEST_F(Record, DescribesTheGraphTheDeviceAndTheBuild) {
  record_two(options());
  const auto store = ir::hdf5::Store::open(file());
  const std::string graph = "/graph/" + store.children("/graph").at(0);
  EXPECT_THAT(store.read_text(graph + "/json"), HasSubstr("softmax"));
  const auto nodes = store.read<results::GraphNode>(graph + "/nodes", results::graph_node_type()).rows;
  const auto names = store.read_texts("/names");
  ASSERT_EQ(nodes.size(), 7u);
  EXPECT_EQ(names.at(nodes[0].name_id), "x");
  EXPECT_EQ(results::op_choices().at(nodes[1].op.value), "param");
  EXPECT_EQ(names.at(nodes[2].name_id), "scores");
  EXPECT_EQ(results::op_choices().at(nodes[2].op.value), "matmul");
  EXPECT_EQ(nodes[2].k_reduce, 5u);
  EXPECT_EQ(nodes[2].flops, 2u * 7 * 11 * 5);
  EXPECT_EQ(nodes[2].bytes, 4u * (7 * 5 + 5 * 11 + 7 * 11));
  EXPECT_EQ(nodes[2].dims, (std::array<std::uint64_t, 8>{7, 11}));
  const auto edges = store.read_grid(graph + "/edges");
  EXPECT_EQ(std::vector(edges.begin(), edges.begin() + 12),
            (std::vector<std::uint32_t>{0, 0, 2, 0, 1, 0, 2, 1, 2, 0, 3, 0}));
  const auto device = store.attributes("/device/00ff");
  EXPECT_EQ(device.at("name"), ir::hdf5::StoredValue("a device"));
  EXPECT_EQ(store.read<results::Coopmat>("/device/00ff/coopmat", results::coopmat_type()).rows.at(0).K, 16u);
  EXPECT_EQ(store.attributes("/env/" + store.children("/env").at(0)).at("eigen"), ir::hdf5::StoredValue("3.4.0"));
  EXPECT_EQ(store.attributes("/").at("argv"),
            ir::hdf5::StoredValue(std::vector<std::string>{"plumb", "verify", "small.json", "--out=x.h5"}));
  const auto x = store.attributes("/inputs/0/x");
  EXPECT_EQ(x.at("generator"), ir::hdf5::StoredValue("philox4x32"));
  EXPECT_EQ(x.at("seed"), ir::hdf5::StoredValue(std::uint64_t{1}));
  EXPECT_EQ(x.at("range"), ir::hdf5::StoredValue("mean=0 scale=1"));
}

TEST_F(Record, KeepsTheTensorsThatWereAskedFor) {
  const auto kept = [&](results::KeepTensors which) {
    record_two(options(which));
    const auto store = ir::hdf5::Store::open(file());
    std::vector<std::string> found;
    for (const auto& run : store.children("/tensors"))
      for (const auto& node : store.children("/tensors/" + run)) found.push_back(run + "/" + node);
    return found;
  };
  EXPECT_THAT(kept(results::KeepTensors::never), IsEmpty());
  EXPECT_EQ(kept(results::KeepTensors::fail), std::vector<std::string>{"1/2"});
  EXPECT_EQ(kept(results::KeepTensors::worst).size(), 2u);
  EXPECT_EQ(kept(results::KeepTensors::worst).back(), "1/2");
  EXPECT_EQ(kept(results::KeepTensors::all).size(), 10u);
  const auto store = ir::hdf5::Store::open(file());
  for (const char* one : {"ref", "dev", "bound"}) {
    const auto form = store.form(std::string("/tensors/1/2/0/") + one);
    EXPECT_EQ(form.kind, std::string_view(one) == "dev" ? "f4" : "f8");
    EXPECT_EQ(form.extents, (std::vector<std::uint64_t>{7, 11}));
  }
  EXPECT_EQ(store.form("/inputs/0/x").extents, (std::vector<std::uint64_t>{7, 5}));
}

TEST(RecordedBounds, AreThoseOfEachElement) {
  ir::Tensor limits({ir::DType::f64, {3}});
  std::ranges::copy(std::array{1.0, 2.0, 4.0}, limits.as<double>().begin());
  const compare::Allowed allowed{.rule = compare::Allowed::Rule::within,
                                 .limits = std::make_shared<const compare::Limits>(compare::Limits{limits, limits})};
  const ir::Tensor bounds = results::bounds(allowed, ir::Tensor({ir::DType::f64, {3}}), ir::DType::f32);
  EXPECT_THAT(bounds.as<double>(), ::testing::ElementsAre(1, 2, 4));
}

TEST_F(Record, KnowsHowManyCasesWerePlannedAndWhetherItEnded) {
  const auto said_of = [](const fs::path& path) {
    const auto cut_off = results::ResultsFile(path).cut_off();
    const auto judged = results::judge_file(path, nullptr, policy::today()).findings;
    EXPECT_EQ(judged.size(), cut_off ? 1u : 0u);
    return cut_off ? cut_off->text : "";
  };
  const auto part = fs::path(file().string() + ".part");
  const auto leave = [&](std::optional<std::uint64_t> planned, std::optional<std::uint64_t> later) {
    Suspect honest;
    results::RecordOptions with = options();
    with.planned = planned;
    results::Recorder recorder(file(), with);
    record(recorder, honest, 1);
    if (later) recorder.plan(*later);
    record(recorder, honest, 2);
  };
  leave(200, {});
  EXPECT_THAT(results::check_schema(part), IsEmpty());
  EXPECT_EQ(said_of(part), "cut off: 2 of 200 cases");
  leave(200, 3);
  EXPECT_EQ(said_of(part), "cut off: 2 of 3 cases");
  leave({}, {});
  EXPECT_EQ(said_of(part), "cut off: 2 cases");
  record_two(options());
  EXPECT_EQ(said_of(file()), "");
  // A part to which runs are added is not whole.
  leave(5, {});
  fs::rename(part, file());
  results::RecordOptions more = options();
  more.append = true;
  record_two(more);
  EXPECT_EQ(said_of(file()), "cut off: 2 of 5 cases");
  EXPECT_EQ(results::ResultsFile(file()).runs().size(), 4u);
}

TEST_F(Record, ACaseThatCouldNotRunIsARunToo) {
  results::Recorder recorder(file(), options());
  cases::CaseResult broken;
  broken.subject.name = "gone.json";
  recorder.record(broken);
  recorder.finish();
  EXPECT_THAT(results::check_schema(file()), IsEmpty());
  EXPECT_EQ(ir::hdf5::Store::open(file()).read<results::Run>("/runs", results::run_type()).rows.at(0).verdict,
            core::Verdict::error);
}

TEST_F(Record, ReplacesAnEarlierFileOrAddsToIt) {
  record_two(options());
  record_two(options());
  EXPECT_EQ(ir::hdf5::Store::open(file()).rows("/runs"), 2u);
  auto more = options(results::KeepTensors::all);
  more.append = true;
  record_two(more);
  EXPECT_THAT(results::check_schema(file()), IsEmpty());
  const auto store = ir::hdf5::Store::open(file());
  EXPECT_EQ(store.rows("/runs"), 4u);
  EXPECT_EQ(store.children("/graph").size(), 1u);
  EXPECT_EQ(store.children("/tensors"), (std::vector<std::string>{"2", "3"}));
}

TEST_F(Record, DoesNotReplaceWhatIsNoResultsFile) {
  std::ofstream(file()) << "my thesis";
  EXPECT_THAT(tests::message_of([&] { results::Recorder(file(), options()); }),
              HasSubstr("exists and is not replaced, as it is no results file"));
  std::string text;
  std::getline(std::ifstream(file()), text);
  EXPECT_EQ(text, "my thesis");
}

TEST_F(Record, SaysWhereItCannotWrite) {
  EXPECT_THAT(tests::message_of([&] { results::Recorder(folder_ / "not" / "there.h5", options()); }),
              HasSubstr("not/there.h5: cannot be written: No such file or directory"));
}

TEST_F(Record, LeavesNothingBehindWhenNothingWasRecorded) {
  { const results::Recorder recorder(file(), options()); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Record, ReadsFilesOfOtherMinorVersions) {
  auto fewer = results::run_type();
  std::erase_if(fewer.columns, [](const results::Column& column) { return column.name == "alpha"; });
  auto swapped = std::ranges::find(fewer.columns, "mode", &results::Column::name);
  std::ranges::reverse(swapped->choices);
  {
    auto store = ir::hdf5::Store::create(file());
    store.make_table("/runs", fewer);
    results::Run run;
    run.seed = 7;
    run.mode.value = 0;  // "attribute" there
    run.alpha = 3;
    store.append("/runs", fewer, std::vector{run});
    store.close();
  }
  const auto read = ir::hdf5::Store::open(file()).read<results::Run>("/runs", results::run_type());
  EXPECT_EQ(read.rows.at(0).seed, 7u);
  EXPECT_EQ(read.rows.at(0).mode, core::Mode::attribute);
  EXPECT_TRUE(std::isnan(read.rows.at(0).alpha));
  EXPECT_EQ(std::ranges::count(read.columns, "alpha"), 0);
}

TEST_F(Record, TheCheckFindsWhatIsWrong) {
  EXPECT_THAT(results::check_schema(file()).at(0), HasSubstr("out.h5: cannot be opened: No such file"));
  record_two(options());
  {
    auto store = ir::hdf5::Store::open_to_append(file());
    results::Node stray;
    stray.node = 99;
    stray.rule = 12345;
    store.append("/results/nodes", results::node_type(), std::vector{stray});
    store.close();
  }
  EXPECT_THAT(results::check_schema(file()),
              ::testing::Contains(HasSubstr("/results/topk has 30 rows, /results/nodes 31")));
  EXPECT_THAT(results::check_schema(file()), ::testing::Contains(HasSubstr("there is no node 99 in run 0")));
  EXPECT_THAT(results::check_schema(file()),
              ::testing::Contains(HasSubstr("there is no rule 12345 in the policy of run 0")));
  fs::resize_file(file(), fs::file_size(file()) / 2);
  EXPECT_EQ(results::check_schema(file()).size(), 1u);
}

/// The reader's objection to a file of two runs to which this row was added.
std::string objection_to(const fs::path& file, const results::Node& stray) {
  {
    auto store = ir::hdf5::Store::open_to_append(file);
    store.append("/results/nodes", results::node_type(), std::vector{stray});
    store.close();
  }
  try {
    results::ResultsFile(file).rows();
  } catch (const ir::Error& error) {
    EXPECT_THAT(results::check_schema(file), ::testing::Contains(HasSubstr(error.what())));
    return error.what();
  }
  return "";
}

TEST_F(Record, ARowOfARunThatThereIsNotIsAnError) {
  record_two(options());
  results::Node stray;
  stray.run = 9;
  EXPECT_THAT(objection_to(file(), stray), HasSubstr("/results/nodes[30] is of run 9, and there are 2"));
}

TEST_F(Record, ARunThatIsCalledAnotherIsAnError) {
  record_two(options());
  results::Run stray;
  stray.run = 9;
  {
    auto store = ir::hdf5::Store::open_to_append(file());
    store.append("/runs", results::run_type(), std::vector{stray});
    store.close();
  }
  EXPECT_THAT(results::check_schema(file()), ::testing::Contains(HasSubstr("/runs[2] is called 9")));
  EXPECT_THROW(results::judge_results(file(), nullptr, policy::today()), ir::Error);
}

TEST_F(Record, AValueThatItsEnumDoesNotNameIsAnError) {
  record_two(options());
  results::Node stray;
  stray.part.value = 77;
  EXPECT_THAT(objection_to(file(), stray), HasSubstr("column 'part': row 30 has the value 77"));
}

TEST(ResultsSchema, TheFileIsThatOfTheCode) {
  std::ifstream stream(tests::source_dir() / "schema" / "plumb-results-2.json");
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const auto wanted = fs::path(::testing::TempDir()) / "plumb-results-2.json";
  std::ofstream(wanted) << results::schema_json();
  if (text == results::schema_json()) fs::remove(wanted);
  EXPECT_TRUE(text == results::schema_json()) << "schema/plumb-results-2.json should be as " << wanted;
}

}  // namespace
}  // namespace plumb::parity::record_test
