// Tensors by name as .npz archives of NumPy (NEP 1). A tensor is an object with type, dims and data, as ONNX Runtime's.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const dtypes = {
  float16: ['<f2', Uint16Array], float32: ['<f4', Float32Array], float64: ['<f8', Float64Array],
  int64: ['<i8', BigInt64Array], int32: ['<i4', Int32Array], int16: ['<i2', Int16Array], int8: ['|i1', Int8Array],
  uint64: ['<u8', BigUint64Array], uint32: ['<u4', Uint32Array], uint16: ['<u2', Uint16Array],
  uint8: ['|u1', Uint8Array], bool: ['|b1', Uint8Array],
};

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

// A .npy file, version 2.0.
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

function from_npy(bytes, name) {
  const wide = bytes[6] > 1;
  const start = wide ? 12 : 10, end = start + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString('latin1', start, end);
  const descr = /'descr': '([^']*)'/.exec(header)?.[1];
  const type = Object.keys(dtypes).find((key) => dtypes[key][0] === descr);
  if (type === undefined || header.includes("'fortran_order': True")) throw new Error(`${name}: cannot read ${header}`);
  const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((e) => e.trim() !== '').map(Number);
  const Numbers = dtypes[type][1], count = dims.reduce((a, b) => a * b, 1);
  const data = bytes.subarray(end, end + count * Numbers.BYTES_PER_ELEMENT);
  return { type, dims, data: new Numbers(Uint8Array.from(data).buffer) };
}

// Of members that are stored or deflated, in archives of less than 4 GiB.
function read_npz(file) {
  const bytes = fs.readFileSync(file), end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error(`${file}: no zip archive`);
  const tensors = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; --left) {
    const method = bytes.readUInt16LE(at + 10), size = bytes.readUInt32LE(at + 20), local = bytes.readUInt32LE(at + 42);
    const [name, extra, comment] = [28, 30, 32].map((k) => bytes.readUInt16LE(at + k));
    const key = bytes.toString('utf8', at + 46, at + 46 + name).replace(/\.npy$/, '');
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const body = bytes.subarray(begin, begin + size);
    tensors[key] = from_npy(method === 0 ? body : zlib.inflateRawSync(body), key);
    at += 46 + name + extra + comment;
  }
  return tensors;
}

module.exports = { dtypes, read_npz, write_npz };
