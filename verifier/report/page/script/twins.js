// Which instruction of one program is which of the other: the same rank, opcode, stage and microbatch, and of several
// that are the same in all this, the one at the same place among them.

function identities(program) {
  const seen = new Map();
  const result = new Map();
  for (let k = 0; k < program.count; ++k) {
    const key = `${program.rank[k]} ${program.opcode[k]} ${program.stage[k]} ${program.microbatch[k]}`;
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    result.set(ordinal === 0 ? key : `${key} ${ordinal}`, k);
  }
  return result;
}

// For each instruction of either program the index of its twin, or -1.
function findTwins(first, second) {
  const ofFirst = new Int32Array(first.count).fill(-1);
  const ofSecond = new Int32Array(second.count).fill(-1);
  const known = identities(first);
  for (const [key, k] of identities(second)) {
    const twin = known.get(key);
    if (twin === undefined)
      continue;
    ofFirst[twin] = k;
    ofSecond[k] = twin;
  }
  return [ofFirst, ofSecond];
}
