// Runs Silero's voice activity detector by ONNX Runtime over samples, chunk by chunk, in a loop that carries the state:
//   node resident_voice.cjs NODE_MODULES MODEL.onnx SAMPLES.f32 FOLDER COUNT
// SAMPLES.f32 has numbers of 32 bits at 16 kHz. Writes to FOLDER
//   speech.npz               the samples, which docs/example/voice.cpp reads
//   chunks/K.in.npz, .out.npz   of COUNT chunks, spread over all: what went in, the state too, and what came out
// and says how many chunks it ran, and how many of them are speech. NODE_MODULES is a folder with onnxruntime-node.
'use strict';
const fs = require('fs');
const path = require('path');
const { write_npz } = require('./npz.cjs');

const [modules, model, file, folder, count] = process.argv.slice(2);
if (!count) {
  console.error('usage: node resident_voice.cjs NODE_MODULES MODEL.onnx SAMPLES.f32 FOLDER COUNT');
  process.exit(2);
}
const ort = require(path.resolve(modules, 'onnxruntime-node'));

// As the package's lib.js has it: a chunk is 512 new samples behind the last 64 of the chunk before.
const rate = 16000, fresh = 512, before = 64;

async function run() {
  const samples = new Float32Array(Uint8Array.from(fs.readFileSync(file)).buffer);
  const chunks = Math.floor(samples.length / fresh);
  const padded = new Float32Array(before + samples.length);
  padded.set(samples, before);
  const kept = new Set(Array.from({ length: Number(count) }, (_, k) => Math.floor((k * chunks) / Number(count))));
  fs.mkdirSync(path.join(folder, 'chunks'), { recursive: true });
  write_npz(path.join(folder, 'speech.npz'), { samples: { type: 'float32', dims: [samples.length], data: samples } });

  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3, intraOpNumThreads: 1 });
  const sr = new ort.Tensor('int64', BigInt64Array.of(BigInt(rate)), []);
  let state = new ort.Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]), speech = 0;
  for (let k = 0; k < chunks; ++k) {
    const data = padded.slice(k * fresh, (k + 1) * fresh + before);
    const inputs = { input: new ort.Tensor('float32', data, [1, data.length]), state, sr };
    const results = await session.run(inputs);
    if (kept.has(k)) {
      const name = path.join(folder, 'chunks', String(k).padStart(5, '0'));
      write_npz(`${name}.in.npz`, inputs);
      write_npz(`${name}.out.npz`, results);
    }
    if (results.output.data[0] > 0.5) ++speech;
    state = results.stateN;
  }
  console.log(`${chunks} chunks, ${speech} of them speech`);
}

run().catch((problem) => {
  console.error(`resident_voice: ${model}: ${problem.message}`);
  process.exit(1);
});
