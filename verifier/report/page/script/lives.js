// The slots of all pools as rows, and what each holds from when to when.

const idleRowsShown = 64; // of a pool that declares more slots than it uses

class Lives {
  // `least`: in slots of which no more than the least number are used, where that is known.
  constructor(side, least) {
    const {program, lanes} = side;
    this.side = side;
    this.program = program;
    this.least = least;
    this.from = new Float64Array(program.lifeCount);
    this.to = new Float64Array(program.lifeCount);
    this.row = new Int32Array(program.lifeCount);
    this.halved = new Uint8Array(program.lifeCount);   // shares its row with another one
    this.level = new Uint8Array(program.lifeCount);    // half of the row it is drawn in then
    for (let l = 0; l < program.lifeCount; ++l) {
      this.from[l] = lanes.from[program.lifeBirth[l]];
      this.to[l] = this.isOpen(l) ? lanes.stepEnd : lanes.to[program.lifeLast[l]];
      this.row[l] = this.isLeast(l) ? program.lifeLeastSlot[l] : program.lifeSlot[l];
    }
    this.findBlocks(least);
  }

  isLeast(l) { return this.least && this.program.lifeLeastSlot[l] >= 0; }
  isOpen(l) { return (this.program.lifeMarks[l] & 1) === 1; }
  clashes(l) { return this.halved[l] === 1 || this.side.findingsOfLife.has(l); }
  isWitness(l) { return (this.program.lifeMarks[l] & 2) === 2; }

  // A block for each pool that holds something or is declared, by rank; `rows` has the lives of each slot.
  findBlocks(least) {
    const {program} = this;
    const byPool = new Map();
    for (let l = 0; l < program.lifeCount; ++l) {
      if (program.fate[program.lifeBirth[l]] === Fate.never)
        continue;
      const pool = program.lifePool[l];
      if (!byPool.has(pool))
        byPool.set(pool, []);
      byPool.get(pool).push(l);
    }
    this.blocks = program.data.pools.map(([name, rank, declared, fewest], pool) => ({
      pool, name, rank, declared, fewest, lives: byPool.get(pool) ?? [],
    })).filter(block => block.lives.length > 0 || block.declared > 0);
    this.blocks.sort((a, b) => a.rank - b.rank || a.pool - b.pool);
    for (const block of this.blocks)
      this.fill(block, least);
  }

  fill(block, least) {
    let rows = 0;
    for (const l of block.lives)
      rows = Math.max(rows, this.row[l] + 1);
    const whole = least && block.fewest >= 0 ? block.fewest : Math.max(block.declared, 0);
    block.rowCount = Math.max(rows, Math.min(whole, rows + idleRowsShown));
    block.hidden = Math.max(whole - block.rowCount, 0);
    block.rows = new Map(); // a slot that is never used has no entry, and there may be a million of them
    for (const l of block.lives) {
      if (!block.rows.has(this.row[l]))
        block.rows.set(this.row[l], {list: [], reach: []});
      block.rows.get(this.row[l]).list.push(l);
    }
    for (const row of block.rows.values())
      this.order(row, least);
  }

  // By begin; `reach[n]` is the latest end up to the n-th. Two that take no time, and of which one is said to overwrite
  // the other, would hide each other.
  order(row, least) {
    row.list.sort((a, b) => this.from[a] - this.from[b] || a - b);
    let reach = -Infinity;
    let before = -1;
    for (const l of row.list) {
      const hidden = !least && this.from[l] === reach && this.from[before] === this.to[l] && this.clashes(l);
      if (this.from[l] < reach || hidden) {
        this.halved[l] = this.halved[before] = 1;
        this.level[l] = 1 - this.level[before];
      }
      if (this.to[l] >= reach) {
        reach = this.to[l];
        before = l;
      }
      row.reach.push(reach);
    }
  }

  valueOf(l) {
    const birth = this.program.lifeBirth[l];
    const access = this.program.accessesOf(birth).find(
        a => a.writes && a.pool === this.program.lifePool[l] && a.slot === this.program.lifeSlot[l]);
    return access ? access.value : "a value";
  }
}
