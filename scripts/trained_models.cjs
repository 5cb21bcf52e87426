// Runs one ONNX network by ONNX Runtime on inputs made from a seed and writes what went in and what came out:
//   node trained_models.cjs NODE_MODULES MODEL.onnx OUT_FOLDER [SEED]
// writes OUT_FOLDER/in.npz and out.npz. NODE_MODULES is a folder with onnxruntime-node in it.
'use strict';
const fs = require('fs');
const path = require('path');

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
};
// Integers that a network reads, by the name of its input.
const integers = { sr: 16000n };
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

const dtypes = {
  float32: ['<f4', Float32Array], float64: ['<f8', Float64Array], int64: ['<i8', BigInt64Array],
  int32: ['<i4', Int32Array], uint8: ['|u1', Uint8Array], int8: ['|i1', Int8Array], bool: ['|b1', Uint8Array],
};

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
    else data[i] = integers[input.name] ?? (input.type === 'int64' ? 1n : 1);
  }
  return new ort.Tensor(input.type, data, shape);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

// A .npy file, version 2.0 (NumPy's NEP 1).
function npy(tensor) {
  const dims = tensor.dims.length === 1 ? `${tensor.dims[0]},` : tensor.dims.join(', ');
  const text = `{'descr': '${dtypes[tensor.type][0]}', 'fortran_order': False, 'shape': (${dims}), }`;
  const header = text.padEnd(Math.ceil((text.length + 13) / 64) * 64 - 13) + '\n';
  const start = Buffer.alloc(12);
  start.write('\x93NUMPY\x02\x00', 'latin1');
  start.writeUInt32LE(header.length, 8);
  const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  return Buffer.concat([start, Buffer.from(header, 'latin1'), data]);
}

// A zip archive whose members are stored as they are.
function write_npz(file, tensors) {
  const parts = [], directory = [];
  let offset = 0;
  for (const [key, tensor] of Object.entries(tensors)) {
    const name = Buffer.from(key + '.npy'), body = npy(tensor);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2); // names are UTF-8
    common.writeUInt16LE(0x21, 8); // 1980-01-01
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, body);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, entry, name);
    offset += 30 + name.length + body.length;
  }
  const listed = Buffer.concat(directory), end = Buffer.alloc(22), count = Object.keys(tensors).length;
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  fs.writeFileSync(file, Buffer.concat([...parts, listed, end]));
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
