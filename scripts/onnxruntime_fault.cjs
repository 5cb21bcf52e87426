// Writes the model that ONNX Runtime makes of a network when it optimises it, with a fault in it or without:
//   node onnxruntime_fault.cjs NODE_MODULES MODEL.onnx OUT.onnx [VALUE FACTOR]
// NODE_MODULES is a folder with onnxruntime-node in it. With VALUE, one that an f32 node of OUT.onnx computes, all that
// read it, and the results, get FACTOR times that. Without, prints the names of values that nodes of both models have.
'use strict';
const fs = require('fs');
const path = require('path');
const { values_of, with_factor } = require('./onnx_bytes.cjs');

const [modules, model, out, value, factor] = process.argv.slice(2);
if (!out || (value !== undefined && !(Number(factor) > 0))) {
  console.error('usage: node onnxruntime_fault.cjs NODE_MODULES MODEL.onnx OUT.onnx [VALUE FACTOR]');
  process.exit(2);
}
const ort = require(path.resolve(modules, 'onnxruntime-node'));

async function run() {
  const options = { logSeverityLevel: 3, intraOpNumThreads: 1, optimizedModelFilePath: out };
  await ort.InferenceSession.create(model, options);
  const optimised = fs.readFileSync(out);
  if (value !== undefined) {
    fs.writeFileSync(out, with_factor(optimised, value, Number(factor)));
    return;
  }
  const ours = new Set(values_of(fs.readFileSync(model)).computed);
  for (const name of values_of(optimised).computed) if (ours.has(name)) console.log(name);
}

run().catch((problem) => {
  console.error(`onnxruntime_fault: ${model}: ${problem.message}`);
  process.exit(1);
});
