#include "parity/studies/conformance/conformance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "parity/studies/conformance/conformance_report.hpp"
#include "tests/parity/suspect.hpp"

namespace plumb::parity::conformance_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Suspect;

constexpr auto doubled = R"({"format": "plumb.graph/1", "why": "x + x",
  "inputs": {"x": {"type": "f32[3]", "values": [1, 2, 4]}},
  "nodes": [{"label": "y", "op": "binary", "function": "add", "inputs": ["x", "x"]}],
  "results": {"y": {"values": [2, 4, 8]}}})";

/// A suite of models whose names say how they behave.
class Conformance : public ::testing::Test {
 protected:
  Conformance()
      : root_(fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~Conformance() override { fs::remove_all(root_); }

  void add(const std::string& name, int data_sets = 1) const {
    fs::create_directories(root_ / name);
    std::ofstream(root_ / name / "model.onnx") << name;
    for (int k = 0; k < data_sets; ++k) fs::create_directories(root_ / name / ("test_data_set_" + std::to_string(k)));
  }

  static studies::conformance::SuiteReader reader() {
    return {.subject =
                [](const studies::conformance::SuiteCase& one) {
                  const bool is_random = one.name.find("random") != std::string::npos;
                  return studies::conformance::SuiteReader::Subject{"Add",
                                                                    is_random ? "its expected output is random" : ""};
                },
            .read =
                [](const studies::conformance::SuiteCase& one, const fs::path& data) {
                  if (one.name.find("unknown") != std::string::npos) throw ir::Unsupported("no op 'Unknown'");
                  if (one.name.find("damaged") != std::string::npos) throw ir::Error("not a model");
                  auto file = ir::formats::parse_graph(doubled, ".");
                  if (one.name.find("zeros") != std::string::npos) {
                    file.sources["x"] = ir::Tensor::of<float>({3}, {0, 0, 0});
                    file.expected["y"] = ir::Tensor::of<double>({3}, {0, 0, 0});
                  }
                  if (one.name.find("wrong") != std::string::npos && data.filename() == "test_data_set_1")
                    file.expected.at("y").as<double>()[1] = 4.1;
                  if (one.name.find("qlinearmatmul") != std::string::npos) {
                    file.expected.clear();
                    file.given_outputs["y"] = ir::Tensor::of<float>({3}, {2, 4, 9});
                  }
                  return file;
                }};
  }

  studies::conformance::ConformanceResult run(const std::string& name, ir::Executor* device) const {
    ref_cpu::CpuExecutor reference;
    verify::FillOptions fill;
    fill.expected_within = cases::Closeness();
    for (const studies::conformance::SuiteCase& one : studies::conformance::find_suite(root_))
      if (one.name == name)
        return studies::conformance::run_conformance(
            one, reader(), {.reference = reference, .candidate = device, .why_not = "there is no device"}, fill);
    throw std::runtime_error("no such case: " + name);
  }

  fs::path root_;
};

TEST_F(Conformance, FindsEveryModelWithItsDataInOrder) {
  add("b/test_two", 2);
  add("a/test_one");
  const auto cases = studies::conformance::find_suite(root_);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].name, "a/test_one");
  EXPECT_EQ(cases[1].name, "b/test_two");
  ASSERT_EQ(cases[1].data.size(), 2u);
  EXPECT_EQ(cases[1].data[1].filename(), "test_data_set_1");
  const auto alone = studies::conformance::find_suite(root_ / "a/test_one");
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].name, "test_one");
}

TEST_F(Conformance, RefusesWhatIsNoSuite) {
  EXPECT_THROW(studies::conformance::find_suite(root_), ir::Error);
  EXPECT_THROW(studies::conformance::find_suite(root_ / "nothing"), ir::Error);
}

TEST_F(Conformance, AnHonestDevicePasses) {
  add("test_add");
  Suspect honest;
  const auto result = run("test_add", &honest);
  EXPECT_EQ(result.cpu.standing, studies::conformance::Standing::passed) << result.cpu.why;
  EXPECT_EQ(result.gpu.standing, studies::conformance::Standing::passed) << result.gpu.why;
  EXPECT_EQ(result.op, "Add");
}

TEST_F(Conformance, ADeviceThatIsWrongFailsAlone) {
  add("test_add");
  Suspect suspect;
  suspect.tamper = [](const ir::Node&, ir::Tensor& y) { y.as<float>()[2] = 9; };
  const auto result = run("test_add", &suspect);
  EXPECT_EQ(result.cpu.standing, studies::conformance::Standing::passed) << result.cpu.why;
  EXPECT_EQ(result.gpu.standing, studies::conformance::Standing::failed);
  EXPECT_THAT(result.gpu.why, HasSubstr("y (binary)"));
}

TEST_F(Conformance, WhatTheSuiteExpectsCountsInEveryDataSet) {
  add("test_wrong", 2);
  Suspect honest;
  const auto result = run("test_wrong", &honest);
  EXPECT_EQ(result.cpu.standing, studies::conformance::Standing::failed);
  EXPECT_EQ(result.gpu.standing, studies::conformance::Standing::failed);
  EXPECT_THAT(result.cpu.why, HasSubstr("not what the file expects"));
}

TEST_F(Conformance, WhatIsDisputedIsJudgedByTheTruthAlone) {
  const std::string disputed = "node/test_qlinearmatmul_2D_int8_float32", other = "test_qlinearmatmul_2D";
  add(disputed);
  add(other);
  Suspect suspect;
  EXPECT_EQ(run(disputed, &suspect).gpu.standing, studies::conformance::Standing::out_of_scope);
  EXPECT_THAT(run(disputed, &suspect).gpu.why, HasSubstr("QLinearMatMul saturates"));
  EXPECT_EQ(run(other, &suspect).gpu.standing, studies::conformance::Standing::failed);
  suspect.tamper = [](const ir::Node&, ir::Tensor& y) { y.as<float>()[2] = 9; };
  EXPECT_EQ(run(disputed, &suspect).cpu.standing, studies::conformance::Standing::out_of_scope);
  EXPECT_EQ(run(disputed, &suspect).gpu.standing,
            studies::conformance::Standing::failed);  // the file's expectation is wrong
}

TEST_F(Conformance, ExpectationsThatAreAllZeroProveNothing) {
  add("test_zeros");
  Suspect honest;
  EXPECT_EQ(run("test_zeros", &honest).gpu.standing, studies::conformance::Standing::mistrusted);
}

TEST_F(Conformance, HostFallbackIsNotTheDevices) {
  add("test_add");
  Suspect suspect;
  suspect.on_host = {"y"};
  EXPECT_EQ(run("test_add", &suspect).gpu.standing, studies::conformance::Standing::unsupported);
}

TEST_F(Conformance, NothingRunsWithoutADeviceButTheCpu) {
  add("test_add");
  const auto result = run("test_add", nullptr);
  EXPECT_EQ(result.cpu.standing, studies::conformance::Standing::passed) << result.cpu.why;
  EXPECT_EQ(result.gpu.standing, studies::conformance::Standing::unsupported);
  EXPECT_EQ(result.gpu.why, "there is no device");
}

TEST_F(Conformance, WhatCannotBeJudgedIsNeverPassed) {
  add("test_unknown");
  add("test_damaged");
  add("test_random");
  add("test_no_data", 0);
  Suspect honest;
  EXPECT_EQ(run("test_unknown", &honest).cpu.standing, studies::conformance::Standing::unsupported);
  EXPECT_EQ(run("test_damaged", &honest).gpu.standing, studies::conformance::Standing::failed);
  EXPECT_EQ(run("test_random", &honest).gpu.standing, studies::conformance::Standing::out_of_scope);
  EXPECT_EQ(run("test_no_data", &honest).cpu.standing, studies::conformance::Standing::unsupported);
}

TEST(ConformanceReport, EveryFormatSaysWhatFailed) {
  const std::vector<studies::conformance::ConformanceResult> results = {
      {.name = "test_add",
       .op = "Add",
       .cpu = {studies::conformance::Standing::passed},
       .gpu = {studies::conformance::Standing::failed, "1 < 2 & \"so\""}},
      {.name = "test_add_bcast",
       .op = "Add",
       .cpu = {studies::conformance::Standing::passed},
       .gpu = {studies::conformance::Standing::passed}},
      {.name = "test_det",
       .op = "Det",
       .cpu = {studies::conformance::Standing::unsupported, "no Det"},
       .gpu = {studies::conformance::Standing::unsupported, "no Det"}}};
  EXPECT_EQ(studies::conformance::count(results, studies::conformance::Standing::passed).cpu, 2u);
  EXPECT_EQ(studies::conformance::count(results, studies::conformance::Standing::failed).gpu, 1u);
  const auto table = studies::conformance::conformance_table(results);
  EXPECT_THAT(table, HasSubstr("Add"));
  EXPECT_THAT(table, HasSubstr("all"));
  const studies::conformance::ConformanceContext context{"a suite", "a device"};
  const auto page = studies::conformance::conformance_markdown(results, context);
  EXPECT_THAT(page, HasSubstr("## failed\n\n* test_add (gpu): 1 < 2"));
  EXPECT_THAT(page, HasSubstr("## unsupported\n\n* test_det (both): no Det"));
  const auto json = nlohmann::json::parse(conformance_json(results, context));
  EXPECT_EQ(json["totals"]["failed"]["gpu"], 1);
  EXPECT_EQ(json["cases"][2]["cpu"]["why"], "no Det");
  const auto xml = studies::conformance::conformance_junit(results);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"gpu\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("failed: 1 &lt; 2 &amp; &quot;so&quot;"));
}

}  // namespace
}  // namespace plumb::parity::conformance_test
