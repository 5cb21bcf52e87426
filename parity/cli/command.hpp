// The subcommands of plumb with their help; each declares its flags and returns what to do.
#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace plumb::parity::cli {

/// The action of a subcommand once its flags are parsed; returns the exit code.
using Action = std::function<int()>;

/// Each declares its flags on `app` and returns what to do with them.
Action verify(CLI::App& app);
Action check(CLI::App& app);
Action attack(CLI::App& app);
Action run(CLI::App& app);
Action dump(CLI::App& app);
Action sweep(CLI::App& app);
Action inspect(CLI::App& app);
Action convert(CLI::App& app);
Action export_nodes(CLI::App& app);
Action conformance(CLI::App& app);
Action judge(CLI::App& app);
Action merge(CLI::App& app);
Action campaign(CLI::App& app);
Action report(CLI::App& app);
Action compare(CLI::App& app);
Action drift(CLI::App& app);
Action baseline(CLI::App& app);
Action policy(CLI::App& app);
Action flake(CLI::App& app);
Action bench(CLI::App& app);
Action reduce(CLI::App& app);
Action fuzz(CLI::App& app);
Action fit(CLI::App& app);
Action power(CLI::App& app);
Action search(CLI::App& app);
Action probe(CLI::App& app);
Action plan(CLI::App& app);
Action lint(CLI::App& app);
Action reach(CLI::App& app);
Action calibrate(CLI::App& app);
Action ops(CLI::App& app);
Action devices(CLI::App& app);
Action selfcheck(CLI::App& app);
Action options(CLI::App& app);
Action help(CLI::App& app);
Action completion(CLI::App& app);

struct Command {
  std::string_view name, help;
  Action (*declare)(CLI::App&);
  std::string_view example;
};

inline constexpr Command commands[] = {
    {"verify", "run graphs on the reference and on the device, compare every node, judge, record", verify,
     "plumb verify model.onnx --shape batch=1 --seeds 10 -o results.h5"},
    {"check", "check one op on shapes that kernels get wrong: drawn, computed, judged", check,
     "plumb check --op softmax --attr axis=-1 --dtype f32,f16"},
    {"attack", "judge candidates that cheat: none may pass", attack, "plumb attack --filter memory"},
    {"run", "run a graph on one executor: inputs in, results out", run,
     "plumb run model.onnx --on cpu --load-inputs x.npz -o y.npz"},
    {"dump", "write tensors of chosen nodes from both executors", dump,
     "plumb dump graph.json --nodes '^layer1/' -o tensors.h5"},
    {"sweep", "run a graph at several precisions: error, bound and time, and which nodes may run in f16", sweep,
     "plumb sweep graph.json --budget 1e-3"},
    {"inspect", "show a graph, a model or a results file", inspect, "plumb inspect results.h5"},
    {"convert", "write an ONNX model as a graph file, with its weights beside it", convert,
     "plumb convert model.onnx graph.json"},
    {"export", "write nodes of a graph, with their inputs and outputs, as a graph file or as a test of ONNX",
     export_nodes, "plumb export model.onnx --nodes '^layer1/attn/' --as onnx -o attention"},
    {"conformance", "run ONNX's backend tests on both executors", conformance,
     "plumb conformance /usr/share/libonnx-testdata/node --junit onnx.xml"},
    {"judge", "judge the runs of a results file by a policy, without a device", judge,
     "plumb judge results.h5 --policy policy.toml"},
    {"merge", "write the runs of several results files to one, each once", merge,
     "plumb merge share1.h5 share2.h5 -o all.h5"},
    {"campaign", "share out many tasks among machines: plan, run, gather, status", campaign,
     "plumb campaign run nightly"},
    {"report", "write the reports of verify from its results files: page, Markdown, JUnit, JSON", report,
     "plumb report results.h5 --html report.html --markdown -"},
    {"compare", "hold the tensors of two files to each other: the first that is beyond its limit, and by how much",
     compare, "plumb compare ours.npz theirs.npz --style numpy --rtol 1e-5"},
    {"drift", "say what changed between two results files, and what is worse than chance explains", drift,
     "plumb drift base.h5 now.h5"},
    {"baseline", "keep what drift needs of results files, in a file that is small enough to be committed", baseline,
     "plumb baseline results.h5 -o base.h5"},
    {"policy", "check a policy file", policy, "plumb policy lint policy.toml --results results.h5"},
    {"flake", "run a graph until it is known whether it always gives the same bits", flake,
     "plumb flake graph.json --node merge"},
    {"bench", "time graphs on an executor: latency, the device's and the host's shares, nodes", bench,
     "plumb bench model.onnx --budget 5s --limit p95=4ms"},
    {"reduce", "make the smallest graph that still fails as a given one does", reduce,
     "plumb reduce model.onnx --shape batch=1 --budget 5m -o smaller"},
    {"fuzz", "draw graphs and judge them, to find what is wrong with a device or with the limits", fuzz,
     "plumb fuzz --budget 10m --corpus corpus"},
    {"fit", "fit limits to results files, for a stated rate of false alarms", fit,
     "plumb fit results.h5 -o policy.toml"},
    {"power", "plant faults in every node and say which of them the verdict would catch", power,
     "plumb power graph.json --min-power 0.98"},
    {"search", "look for numbers that bring a graph close to its limits", search,
     "plumb search graph.json --for ratio --budget 5m --keep found"},
    {"probe", "find by experiment how a device rounds", probe, "plumb probe -o device.toml"},
    {"lint", "say what is wrong with a graph that shows without running it: overflow, domain, cancellation", lint,
     "plumb lint model.onnx --shape batch=1 --dtype f16 --range pixels:0,255"},
    {"plan", "show how the device would run a graph: kernels, tiles and memory, and why", plan,
     "plumb plan graph.json --dtype f16"},
    {"reach", "say which kernels graphs reach, and with what: attributes, extents, special numbers (docs/coverage.md)",
     reach, "plumb reach fixtures/ops > reached.jsonl"},
    {"calibrate", "time matrix-product tiles, transfers and submits on the device, and keep what is fastest", calibrate,
     "plumb calibrate --budget 30"},
    {"ops", "list every op, its attributes and which executors run it", ops, "plumb ops --json"},
    {"devices", "list the Vulkan devices, and why a device is refused", devices, "plumb devices"},
    {"selfcheck", "check this installation: driver, caches, reference, device, files, and that its gate can fail",
     selfcheck, "plumb selfcheck --policy ci.toml"},
    {"options", "list every knob, its default and its environment variable", options, "plumb options"},
    {"help", "show the help of a command, or a page of the documentation", help, "plumb help verdict_rules"},
    {"completion", "write the script by which a shell completes commands, flags, labels", completion,
     "plumb completion bash > plumb.bash"},
};

}  // namespace plumb::parity::cli
