// Results files are for the tools that people have: h5py and h5dump.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ir/passes/convert_dtype.hpp"
#include "parity/results/record_hdf5.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::record_tools_test {
namespace {

namespace fs = std::filesystem;

bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

class RecordTools : public ::testing::Test {
 protected:
  RecordTools() : folder_(fs::path(::testing::TempDir()) / "plumb_record_tools"), file_(folder_ / "out.h5") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    results::Recorder recorder(
        file_, {.tensors = results::KeepTensors::all, .argv = {"plumb", "verify"}, .device = {.uuid = "00ff"}});
    testing::Suspect honest, wrong = testing::spoiler("scores", [](ir::Tensor&y) { y.as<float>()[13] += 1; });
    wrong.describe = [](const ir::Node& node, ir::NodeReport& report) {
      if (node.label == "scores") report.sums = {{.accumulator = ir::DType::f16, .levels = {{}}}};
    };
    const cases::Case subject = testing::make_case(testing::small_graph);
    recorder.record(testing::verify_on(honest, subject, {}, recorder));
    recorder.record(testing::verify_on(wrong, subject, {}, recorder));
    for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16}) {
      auto half = std::make_shared<ir::formats::GraphFile>(*subject.file);
      half->graph = ir::passes::as_dtype(half->graph, dtype);
      const cases::Case narrow{
          .name = "half", .file = half, .feeds = ir::passes::as_dtype(subject.feeds, dtype), .dtype = dtype};
      recorder.record(testing::verify_on(honest, narrow, {}, recorder));
    }
    recorder.finish();
  }
  ~RecordTools() override { fs::remove_all(folder_); }

  fs::path folder_, file_;
};

constexpr auto script = R"(
import json
import numpy as np, h5py
f = h5py.File("out.h5", "r")
assert f.attrs["schema"] == "plumb.results" and f.attrs["schema_version"].startswith("2.")
assert list(f.attrs["argv"]) == ["plumb", "verify"]
names = f["names"].asstr()[:]
rows, runs = f["results/nodes"][:], f["runs"][:]
assert len(runs) == 4 and len(rows) == 4 * 5 * 3
parts = h5py.check_enum_dtype(f["results/nodes"].dtype["part"])
verdicts = h5py.check_enum_dtype(f["results/nodes"].dtype["verdict"])
local = rows[rows["part"] == parts["local"]]
failed = local[local["verdict"] == verdicts["failed"]]
assert len(failed) == 1 and failed["run"][0] == 1 and failed["max_abs_at"][0] == 13
assert abs(failed["max_abs"][0] - 1) < 1e-5
graph = f["graph"][names[runs["graph_id"][1]]]
node = graph["nodes"][:][failed["node"][0]]
assert names[node["name_id"]] == "scores" and list(node["dims"][:2]) == [7, 11]
ops = {v: k for k, v in h5py.check_enum_dtype(graph["nodes"].dtype["op"]).items()}
assert ops[node["op"]] == "matmul"
accumulators = {v: k for k, v in h5py.check_enum_dtype(f["results/nodes"].dtype["accumulation"]).items()}
assert names[failed["kernel_id"][0]] == "kernel_of_scores" and names[failed["tile_id"][0]] == ""
assert accumulators[failed["accumulation"][0]] == "f16" and accumulators[local["accumulation"][1]] == "none"
product = json.loads(graph["sums"].asstr()[failed["tree"][0]])
assert product["node"] == "scores" and product["unit"] == {"kind": "separate", "accumulator": "f16"}
own = rows["part"] == 0
assert (rows["ref_uncert"][own] > 0).any() and np.isnan(rows["ref_uncert"][~own]).all()
assert (runs["alpha"] == 1e-6).all() and (runs["n_limits"] == 77 + 77 + 55).all() and (runs["lambda"] > 5).all()
assert (local["lambda"] == runs["lambda"][0]).all() and np.isnan(rows["sigma_max"][~own]).all()
assert failed["sigma_max"][0] > failed["lambda"][0] and failed["ratio_certain"][0] > 1
ulps = f["results/hist_ulp"]
assert ulps.shape == (60, 64) and ulps.chunks == (1024, 64) and ulps.compression == "gzip"
assert ulps.compression_opts == 4 and ulps.shuffle and ulps.fletcher32
assert ulps.dims[1][0].name == "/results/ulp_edges", "the dimension scale is attached"
assert h5py.h5ds.is_scale(f["results/ulp_edges"].id) and f["results/ulp_edges"].attrs["units"] == "ulp"
units = dict(zip(rows.dtype.names, f["results/nodes"].attrs["units"]))
assert units["t_dev_ns"] == "ns" and units["max_ulp"] == "ulp" and units["n"] == "1"
assert f["results/topk"].shape == (60, 8)
first = int(failed["node"][0])
dev = f[f"tensors/1/{first}/0/dev"]
ref = f[f"tensors/1/{first}/0/ref"]
assert dev.dtype == "<f4" and ref.dtype == "<f8" and abs(dev[1, 2] - ref[1, 2] - 1) < 1e-5
bound = f[f"tensors/1/{first}/0/bound"]
assert (bound[:] > 0).all() and dev.attrs["layout"] == "row_major"
assert f[f"tensors/2/{first}/0/dev"].dtype == "<f2"
bf = f[f"tensors/3/{first}/0/dev"]
assert bf.dtype == "<u2" and bf.attrs["encoding"] == "bfloat16"
wide = (bf[:].astype(np.uint32) << 16).view(np.float32)
assert np.allclose(wide, f[f"tensors/3/{first}/0/ref"][:], rtol=2**-7)
assert f["inputs/0/x"].shape == (7, 5) and f["inputs/0/x"].attrs["generator"] == "philox4x32"
try:
    import pandas as pd
    columns = {n: rows[n] for n in rows.dtype.names}
    d = pd.DataFrame(columns)
    assert d[d.part == 0].nlargest(1, "ratio_max").run.iloc[0] == 1
except ImportError:
    pass
)";

TEST_F(RecordTools, H5pyReadsEverything) {
  std::ofstream(folder_ / "script.py") << script;
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (!succeeds(python + " -c 'import numpy, h5py' 2>/dev/null")) continue;
    EXPECT_TRUE(succeeds("cd '" + folder_.string() + "' && " + python + " script.py"));
    return;
  }
  GTEST_SKIP() << "no Python with h5py: python3-h5py is not installed";
}

TEST_F(RecordTools, H5dumpPrintsTheNames) {
  if (!succeeds("h5dump --version > /dev/null 2>&1")) GTEST_SKIP() << "no h5dump: hdf5-tools is not installed";
  const std::string dump = "cd '" + folder_.string() + "' && h5dump ";
  EXPECT_TRUE(succeeds(dump + "out.h5 > all.txt"));
  EXPECT_TRUE(succeeds(dump + "-d /runs out.h5 > runs.txt && grep -q attribute runs.txt && grep -q failed runs.txt"));
  EXPECT_TRUE(succeeds(dump + "-d /results/nodes out.h5 > nodes.txt && grep -q inherited nodes.txt"));
}

}  // namespace
}  // namespace plumb::parity::record_tools_test
