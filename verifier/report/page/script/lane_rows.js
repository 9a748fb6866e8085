// Where on the chart each rank, lane and instruction is, and what is at a point of it.

const laneHeights = {box: 25, messageBox: 15, mark: 13, lane: 1, rank: 9};

class LaneRows extends Chart {
  constructor(app, side, host, label) {
    super(app, host, label);
    this.side = side;
    this.program = side.program;
    this.lanes = side.lanes;
    this.looks = side.looks;
    this.stagesOf = this.findStages();
    this.findStrips();
  }

  // The stages of each rank; one with several needs the stage in its labels.
  findStages() {
    const stages = new Map();
    const {rank, stage, count} = this.program;
    for (let k = 0; k < count; ++k) {
      if (stage[k] < 0)
        continue;
      if (!stages.has(rank[k]))
        stages.set(rank[k], new Set());
      stages.get(rank[k]).add(stage[k]);
    }
    return stages;
  }

  // The strips of each rank, from top to bottom: per lane one for boxes and one for marks, as far as it has them.
  findStrips() {
    this.blocks = Array.from({length: this.program.data.program.ranks}, (_, rank) => ({rank, strips: []}));
    this.boxStrip = [];
    this.markStrip = [];
    this.lanes.lanes.forEach((lane, index) => {
      const block = this.blocks[lane.rank];
      const message = lane.communicator !== "";
      const add = (marks, natural) => {
        const strip = {lane, index, marks, natural, message, block};
        (marks ? this.markStrip : this.boxStrip)[index] = strip;
        block.strips.push(strip);
      };
      if (lane.boxes.length > 0)
        add(false, message ? laneHeights.messageBox : laneHeights.box);
      if (lane.marks.length > 0)
        add(true, laneHeights.mark);
    });
    for (const block of this.blocks) {
      if (block.strips.length === 0)
        block.strips.push(emptyStrip(block));
      block.strips.sort((a, b) => a.message - b.message); // computing on top
    }
    this.naturalHeight = 4;
    for (const block of this.blocks)
      this.naturalHeight += laneHeights.rank + block.strips.reduce((sum, s) => sum + s.natural + laneHeights.lane, 0);
  }

  layOut() {
    const room = this.height - rulerHeight;
    const scale = this.app.state.rows === "full" ? 1 : Math.min(room / this.naturalHeight, 1.2);
    const each = Math.max(room / this.blocks.length, 6); // of a block, where there are too many for their names
    let y = scale < 0.35 ? 0 : 3 * scale;
    for (const block of this.blocks) {
      block.y = y;
      const heights = scale < 0.35 ? this.flatHeights(block, each) : block.strips.map(strip => strip.natural * scale);
      block.strips.forEach((strip, index) => {
        strip.y = y;
        strip.height = heights[index];
        y += strip.height + (scale < 0.35 ? 0 : laneHeights.lane * scale);
      });
      block.height = y - block.y;
      y = scale < 0.35 ? block.y + each : y + laneHeights.rank * scale;
    }
    this.contentHeight = y;
  }

  // Most of the height to computing, what is left to the rest in equal parts.
  flatHeights(block, each) {
    const main = block.strips.filter(strip => !strip.marks && !strip.message).length;
    const rest = block.strips.length - main;
    const small = rest > 0 ? Math.min(0.1 * each + 0.5, 0.4 * each / rest) : 0;
    const large = main > 0 ? (each - 1 - small * rest) / main : 0;
    return block.strips.map(strip => strip.marks || strip.message ? small : large);
  }

  paperHeight() { return Math.min(this.naturalHeight + rulerHeight, 1600); }

  lastTime() { return this.lanes.stepEnd; }

  screenY(y) { return rulerHeight + y - this.scroll; }

  // How far apart marks at one time stand.
  markStep(k) {
    return Math.min(9, this.lanes.markRoom[k] * this.pixelsPerUnit / this.lanes.markCount[k]);
  }

  // Where an instruction is drawn, whether that is in sight or not.
  rectOf(k) {
    const {lanes, program} = this;
    if (lanes.markCount[k] > 0) {
      const strip = this.markStrip[program.lane[k]];
      const middle = this.x(lanes.from[k]) + (lanes.markAt[k] - (lanes.markCount[k] - 1) / 2) * this.markStep(k);
      const half = Math.min(Math.max(this.markStep(k) / 2, 1), strip.height / 2);
      return {x: middle - half, y: this.screenY(strip.y), width: 2 * half, height: strip.height, strip};
    }
    const strip = this.boxStrip[program.lane[k]];
    const height = strip.height / lanes.rows[k];
    const x = this.x(lanes.from[k]);
    return {x, y: this.screenY(strip.y) + lanes.row[k] * height, width: Math.max(this.x(lanes.to[k]) - x, 1), height,
            strip};
  }

  // Where in the window the other end of a message is, if that is in sight.
  otherEnd(k) {
    const partner = this.program.partner[k];
    const rect = partner < 0 ? null : this.rectOf(partner);
    if (!rect || !this.inSight(rect))
      return undefined;
    const {left, top} = this.canvas.getBoundingClientRect();
    return [left + rect.x + rect.width / 2, top + rect.y + rect.height / 2];
  }

  inSight(rect) {
    return rect.x + rect.width >= gutterWidth && rect.x <= this.width && rect.y + rect.height >= rulerHeight &&
        rect.y <= this.height;
  }

  // The instruction at a point of the canvas, or -1.
  hit(x, y) {
    if (x < gutterWidth || y < rulerHeight)
      return -1;
    const content = y - rulerHeight + this.scroll;
    let best = -1;
    let least = 5;
    for (const block of this.blocks) {
      if (content < block.y - 4 || content > block.y + block.height + 4)
        continue;
      for (const strip of block.strips) {
        const off = Math.max(strip.y - content, content - strip.y - strip.height, 0);
        const [k, distance] = off > 4 ? [-1, 0] : this.nearest(strip, x, y);
        if (k >= 0 && distance + off < least) {
          least = distance + off;
          best = k;
        }
      }
    }
    return best;
  }

  nearest(strip, x, y) {
    const list = strip.marks ? strip.lane.marks : strip.lane.boxes;
    const {from} = this.lanes;
    const air = (strip.marks ? 60 : 5) / this.pixelsPerUnit;
    const time = this.timeAt(x);
    const first = strip.marks ? firstIndex(list.length, m => from[list[m]] >= time - air)
                              : firstIndex(list.length, b => strip.lane.reach[b] >= time - air);
    let best = [-1, Infinity];
    for (let b = first; b < list.length && from[list[b]] <= time + air; ++b) {
      const rect = this.rectOf(list[b]);
      const distance = Math.max(rect.x - x, x - rect.x - rect.width, 0) +
          (this.lanes.rows[list[b]] > 1 ? Math.max(rect.y - y, y - rect.y - rect.height, 0) : 0);
      if (distance < best[1])
        best = [list[b], distance];
    }
    return best;
  }
}

// Of a rank that does nothing.
function emptyStrip(block) {
  const lane = {rank: block.rank, communicator: "", boxes: [], marks: [], reach: [], all: []};
  return {lane, index: -1, marks: false, natural: laneHeights.box, message: false, block};
}
