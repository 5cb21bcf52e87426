// Runs one ONNX network by ONNX Runtime on inputs made from a seed and writes what went in and what came out:
//   node trained_models.cjs NODE_MODULES MODEL.onnx OUT_FOLDER [SEED]
// writes OUT_FOLDER/in.npz and out.npz. NODE_MODULES is a folder with onnxruntime-node in it.
'use strict';
const fs = require('fs');
const path = require('path');
const { dtypes, write_npz } = require('./npz.cjs');

const [modules, model, folder, seed = '1'] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node trained_models.cjs NODE_MODULES MODEL.onnx OUT_FOLDER [SEED]');
  process.exit(2);
}
const ort = require(path.resolve(modules, 'onnxruntime-node'));

// Extents that files leave open, by the file, or the beginning of its name, and the input. What is not here is 1.
const extents = {
  'ch_PP-OCRv4_det_infer': { x: [1, 3, 64, 96] },
  'ch_PP-OCRv4_rec_infer': { x: [1, 3, 48, 96] },
  'ch_ppocr_mobile_v2.0_cls_infer': { x: [1, 3, 48, 192] },
  melspectrogram: { input: [1, 4000] },
  silero_vad: { input: [1, 512] },
  encoder_in_primitives: { x: [2, 10, 32] },
  two_rates: { x: [2, 4] },
};
// Integers that a network reads, by the name of its input, element by element; the last one is repeated.
const integers = { sr: [16000n], shape: [4n, 2n] };
// Where numbers of an input lie, as [mean, deviation]; [0, 1] otherwise.
const scales = { melspectrogram: [0, 3000], embedding_model: [3, 1.5], silero_vad: [0, 0.1] };

// A generator of 32 bits by a Weyl sequence and the finaliser of MurmurHash3.
let state = Number(seed) >>> 0;
function word() {
  state = (state + 0x9e3779b9) >>> 0;
  let z = state;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}
const uniform = () => (word() + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

// The file's part of a table whose keys are beginnings of file names.
function of_file(table) {
  const name = path.basename(model, '.onnx');
  const key = Object.keys(table).find((k) => name.startsWith(k));
  return key === undefined ? undefined : table[key];
}

function made(input) {
  const shape = of_file(extents)?.[input.name] ?? input.shape.map((e) => (typeof e === 'number' ? e : 1));
  const count = shape.reduce((a, b) => a * b, 1);
  const [mean, deviation] = of_file(scales) ?? [0, 1];
  const [, Numbers] = dtypes[input.type];
  const data = new Numbers(count);
  for (let i = 0; i < count; ++i) {
    if (input.type.startsWith('float')) data[i] = mean + deviation * normal();
    else data[i] = integers[input.name]?.at(i) ?? (input.type === 'int64' ? 1n : 1);
  }
  return new ort.Tensor(input.type, data, shape);
}

async function run() {
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3, intraOpNumThreads: 1 });
  const inputs = {};
  for (const input of session.inputMetadata) inputs[input.name] = made(input);
  const outputs = await session.run(inputs);
  fs.mkdirSync(folder, { recursive: true });
  write_npz(path.join(folder, 'in.npz'), inputs);
  write_npz(path.join(folder, 'out.npz'), outputs);
  const shown = (tensors) => Object.entries(tensors).map(([n, t]) => `${n} ${t.type}[${t.dims}]`).join(', ');
  console.log(`${shown(inputs)} -> ${shown(outputs)}`);
}

run().catch((problem) => {
  console.error(`trained_models: ${model}: ${problem.message}`);
  process.exit(1);
});
