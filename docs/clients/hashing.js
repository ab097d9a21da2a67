// A client of local hashing: node hashing.js d g p < items > reports.csv
const { randomBytes, randomInt } = require("crypto");

function bucket(item, seed, g) {
  let h = (seed + 374761397 + Math.imul(3266489917, item)) >>> 0;
  h = Math.imul(668265263, (h << 17) | (h >>> 15));
  h = Math.imul(2246822519, h ^ (h >>> 15));
  h = Math.imul(3266489917, h ^ (h >>> 13));
  return Number((BigInt((h ^ (h >>> 16)) >>> 0) * BigInt(g)) >> 32n);
}

function chance() { // a number in [0, 1) of 53 bits
  return Number(randomBytes(8).readBigUInt64LE() >> 11n) * 2 ** -53;
}

function report(item, g, p) {
  const seed = randomBytes(4).readUInt32LE();
  let value = bucket(item, seed, g);
  if (chance() >= p) {
    const other = g > 2 ? randomInt(g - 1) : 0;
    value = other + (other >= value ? 1 : 0);
  }
  return { seed, value };
}

if (require.main === module) {
  const [g, p] = process.argv.slice(3).map(Number);
  console.log("seed,value");
  for (const line of require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const { seed, value } = report(Number(line), g, p);
    console.log(`${seed},${value}`);
  }
}

module.exports = { bucket, report };
