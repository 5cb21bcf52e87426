// Models of ONNX as bytes of protobuf: which values they name, and how more of these become outputs.
'use strict';

// Fields of a message of protobuf, in order: [number, bytes or whole number].
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
  };
  while (at < bytes.length) {
    const key = varint(), kind = key & 7;
    if (kind === 0) {
      yield [Math.floor(key / 8), varint()];
      continue;
    }
    const size = { 1: 8, 5: 4 }[kind] ?? varint();
    yield [Math.floor(key / 8), bytes.subarray(at, at + size)];
    at += size;
  }
}

const of_number = (bytes, wanted) => [...fields(bytes)].filter(([n]) => n === wanted).map(([, value]) => value);
const texts = (bytes, number) => of_number(bytes, number).map(String);

// Names of values that a model's nodes compute, of its inputs and results; tensors that it stores, by name.
function values_of(bytes) {
  const members = (number) => of_number(bytes, 7).flatMap((graph) => of_number(graph, number));
  return {
    computed: members(1).flatMap((node) => texts(node, 2)).filter((name) => name !== ''),
    inputs: members(11).flatMap((input) => texts(input, 1)),
    results: members(12).flatMap((result) => texts(result, 1)),
    stored: new Map(members(5).map((tensor) => [texts(tensor, 8)[0], tensor])),
  };
}

function delimited(number, bytes) {
  const size = [];
  let left = bytes.length;
  for (; left >= 128; left = Math.floor(left / 128)) size.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size, left]), bytes]);
}

// The model with more outputs and tensors. A second field `graph` is merged into the first; nothing else changes.
function exposed(bytes, names, tensors) {
  const outputs = names.map((name) => delimited(12, delimited(1, Buffer.from(name))));
  const graph = Buffer.concat([...outputs, ...tensors.map((tensor) => delimited(5, tensor))]);
  return Buffer.concat([bytes, delimited(7, graph)]);
}

// The model in which whoever reads `value` gets `factor` times what was computed, an f32 number. The node that computes
// it gets another name of the same length in place; a Mul and the factor are added. Nodes need no order there.
function with_factor(bytes, value, factor) {
  const changed = Buffer.from(bytes), values = values_of(changed);
  const taken = new Set([...values.computed, ...values.inputs, ...values.stored.keys()]);
  const letter = [...'~!@%&=+0123456789'].find((one) => !taken.has(one + value.slice(1)));
  const node = of_number(changed, 7).flatMap((graph) => of_number(graph, 1))
    .find((one) => texts(one, 2).includes(value));
  if (node === undefined || letter === undefined) throw new Error(`no node computes '${value}'`);
  for (const output of of_number(node, 2)) if (String(output) === value) output.write(letter, 0);
  const number = Buffer.alloc(4);
  number.writeFloatLE(factor);
  const text = (field, words) => delimited(field, Buffer.from(words));
  const factor_name = 'factor of ' + value;
  const multiply = Buffer.concat([text(1, letter + value.slice(1)), text(1, factor_name), text(2, value), text(4, 'Mul')]);
  const tensor = Buffer.concat([Buffer.from([16, 1]), text(8, factor_name), delimited(9, number)]);
  return Buffer.concat([changed, delimited(7, Buffer.concat([delimited(1, multiply), delimited(5, tensor)]))]);
}

module.exports = { exposed, values_of, with_factor };
