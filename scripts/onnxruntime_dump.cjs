// Runs one ONNX network by ONNX Runtime on given inputs and writes every value that it computes on the way:
//   node onnxruntime_dump.cjs NODE_MODULES MODEL.onnx INPUTS.npz DUMP.npz [surviving|all]
// NODE_MODULES is a folder with onnxruntime-node in it. DUMP.npz has the inputs and
//   surviving  values of MODEL.onnx that are still in it after ONNX Runtime optimised it, from the optimised model
//   all        every value of MODEL.onnx; they become outputs before the file is optimised, so that less is fused
// It says whether the results have the bits of a run that nobody watches.
'use strict';
const fs = require('fs');
const path = require('path');
const { exposed, values_of } = require('./onnx_bytes.cjs');
const { dtypes, read_npz, write_npz } = require('./npz.cjs');

const [modules, model, given, dump, taps = 'surviving'] = process.argv.slice(2);
if (!dump || !['surviving', 'all'].includes(taps)) {
  console.error('usage: node onnxruntime_dump.cjs NODE_MODULES MODEL.onnx INPUTS.npz DUMP.npz [surviving|all]');
  process.exit(2);
}
const ort = require(path.resolve(modules, 'onnxruntime-node'));

const bits = (tensor) => Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);

async function run() {
  const options = { logSeverityLevel: 3, intraOpNumThreads: 1 };
  const beside = dump.replace(/\.npz$/, ''), optimised = beside + '.optimised.onnx', watched = beside + '.watched.onnx';
  const file = fs.readFileSync(model), ours = values_of(file);
  const plain = await ort.InferenceSession.create(model, { ...options, optimizedModelFilePath: optimised });
  const inputs = {}, tensors = read_npz(given);
  for (const name of plain.inputNames) {
    if (!(name in tensors)) throw new Error(`${given} has no input '${name}'`);
    inputs[name] = new ort.Tensor(tensors[name].type, tensors[name].data, tensors[name].dims);
  }
  const results = await plain.run(inputs);

  const source = taps === 'all' ? file : fs.readFileSync(optimised), theirs = values_of(source);
  const present = new Set([...theirs.computed, ...theirs.stored.keys()]);
  const more = ours.computed.filter((name) => present.has(name) && !ours.results.includes(name));
  // Files of old versions list stored tensors as inputs, too; folding removes these tensors, but not the inputs.
  const lost = theirs.inputs.filter((name) => ours.stored.has(name) && !present.has(name));
  fs.writeFileSync(watched, exposed(source, more, lost.map((name) => ours.stored.get(name))));
  const level = taps === 'all' ? {} : { graphOptimizationLevel: 'disabled' };
  const session = await ort.InferenceSession.create(watched, { ...options, ...level });
  const values = await session.run(inputs);

  const kept = Object.entries(values).filter(([, tensor]) => tensor.type in dtypes);
  write_npz(dump, { ...inputs, ...Object.fromEntries(kept) });
  const same = ours.results.every((name) => bits(results[name]).equals(bits(values[name])));
  console.log(`${kept.length} of ${ours.computed.length} values; results ${same ? 'equal' : 'unlike'} the plain run's`);
  for (const scratch of [optimised, watched]) fs.unlinkSync(scratch);
}

run().catch((problem) => {
  console.error(`onnxruntime_dump: ${model}: ${problem.message}`);
  process.exit(1);
});
