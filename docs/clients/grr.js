// A client of GRR: node grr.js EPSILON ITEMS reads an item a line and writes a report a line.
const { randomBytes, randomInt } = require("crypto");
const [odds, d] = [Math.exp(Number(process.argv[2])), Number(process.argv[3])];
const p = odds / (odds + d - 1);

function chance() { // a number in [0, 1) of 53 bits
  return Number(randomBytes(8).readBigUInt64LE() >> 11n) * 2 ** -53;
}

function report(item) {
  if (chance() < p) return item;
  const other = d > 2 ? randomInt(d - 1) : 0;
  return other + (other >= item ? 1 : 0);
}

const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(`${report(Number(line))}\n`));
