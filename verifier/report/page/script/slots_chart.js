// Slots below the timeline: a row for each slot, a bar for each value in it, and the values that make the least number.

const slotRowHeight = 14;
const poolTitleHeight = 19;
const emptyRow = {list: [], reach: []};

class SlotsChart extends Chart {
  constructor(app, side, host) {
    super(app, host, `Slots of ${side.program.data.file}: which values they hold, and from when to when.`);
    this.side = side;
    this.program = side.program;
    this.made = {};
  }

  get lives() {
    const least = this.app.state.slots === "least";
    return this.made[least] ??= new Lives(this.side, least);
  }

  layOut() {
    let y = 0;
    for (const block of this.lives.blocks) {
      block.y = y;
      y += poolTitleHeight + block.rowCount * slotRowHeight + 6;
    }
    this.contentHeight = y;
  }

  // All of it, as far as a few pages of paper hold it.
  paperHeight() {
    this.layOut();
    return Math.min(this.contentHeight + rulerHeight, 2400);
  }

  lastTime() { return this.side.lanes.stepEnd; }
  rulerText() { return this.app.state.slots === "least" ? "slots, least" : "slots, declared"; }
  screenY(y) { return rulerHeight + y - this.scroll; }
  blocksInSight() {
    const bottom = this.scroll + this.height;
    return this.lives.blocks.filter(b => b.y < bottom &&
        b.y + poolTitleHeight + b.rowCount * slotRowHeight >= this.scroll);
  }

  // [first, last) of the block's rows that are in sight.
  rowsInSight(block) {
    const top = this.scroll - block.y - poolTitleHeight;
    return [Math.max(0, Math.floor(top / slotRowHeight)),
            Math.min(block.rowCount, Math.ceil((top + this.height) / slotRowHeight))];
  }

  rowY(block, row) { return this.screenY(block.y + poolTitleHeight + row * slotRowHeight); }

  drawContent() {
    this.drawGrid();
    for (const block of this.blocksInSight()) {
      const [first, last] = this.rowsInSight(block);
      this.pen.fillStyle = this.app.ink.line;
      for (let row = first; row < last; ++row)
        this.pen.fillRect(0, this.rowY(block, row) + slotRowHeight - 1, this.width, 1);
      for (let row = first; row < last; ++row)
        this.drawRow(block, row);
      this.drawTitle(block);
    }
  }

  // Counts stay in sight while the chart is panned.
  drawTitle(block) {
    const {pen, app} = this;
    const y = this.screenY(block.y) + poolTitleHeight / 2 + 1;
    const text = this.countsText(block);
    this.font(11, "600");
    const name = pen.measureText(block.name).width;
    this.font(11);
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = app.ink.surface;
    pen.fillRect(gutterWidth, y - 8, name + pen.measureText(text).width + 22, 16);
    this.font(11, "600");
    pen.fillStyle = app.ink.text;
    pen.fillText(block.name, gutterWidth + 8, y);
    this.font(11);
    pen.fillStyle = block.declared >= 0 && block.fewest > block.declared ? app.ink.error : app.ink.muted;
    pen.fillText(text, gutterWidth + 16 + name, y);
  }

  countsText(block) {
    if (!this.program.usedPools.has(block.pool))
      return `declared ${block.declared}, not used`;
    const declared = block.declared >= 0 ? `declared ${block.declared}` : "none declared";
    const least = block.fewest >= 0 ? `least ${block.fewest}` : "least not known";
    const verdict = block.declared < 0 || block.fewest < 0 || block.fewest === block.declared ? ""
        : block.fewest > block.declared ? "  (too few)" : `  (${block.declared - block.fewest} to spare)`;
    return `${declared}, ${least}${verdict}${block.hidden > 0 ? `; ${block.hidden} more unused` : ""}`;
  }

  drawRow(block, row) {
    const {list, reach} = block.rows.get(row) ?? emptyRow;
    const {from, to, level} = this.lives;
    const {view} = this.app;
    const last = firstIndex(list.length, n => from[list[n]] > view.to);
    const covered = [-Infinity, -Infinity]; // of each half
    for (let n = firstIndex(list.length, m => reach[m] >= view.from); n < last; ++n) {
      const l = list[n];
      const x = this.x(from[l]);
      const width = Math.max(this.x(to[l]) - x, 2);
      if (to[l] < view.from || (width < 3 && x + width < covered[level[l]] + 0.5))
        continue; // not in sight, or a hair behind what is there
      covered[level[l]] = Math.max(covered[level[l]], x + width);
      this.drawLife(l, x, this.rowY(block, row), width);
    }
  }

  rectOf(l, x, y, width) {
    const half = this.lives.halved[l];
    const height = half ? (slotRowHeight - 2) / 2 : slotRowHeight - 3;
    return [x, y + 1 + (half && this.lives.level[l] ? height : 0), Math.max(width - 1, 1.5), height];
  }

  // Where it is drawn, whether that is in sight or not.
  rectOfLife(l, block = this.lives.blocks.find(b => b.pool === this.program.lifePool[l])) {
    const x = this.x(this.lives.from[l]);
    return this.rectOf(l, x, this.rowY(block, this.lives.row[l]), Math.max(this.x(this.lives.to[l]) - x, 2));
  }

  drawLife(l, x, y, width) {
    const {pen, app, lives, program} = this;
    const rect = this.rectOf(l, x, y, width);
    const witness = lives.isWitness(l);
    const microbatch = program.lifeMicrobatch[l];
    pen.fillStyle = witness ? app.ink.witness : app.ink.life[microbatch < 0 ? 0 : stepOfMicrobatch[microbatch % 4]];
    pen.fillRect(...rect);
    if (lives.clashes(l)) {
      pen.strokeStyle = app.ink.error;
      pen.lineWidth = 1.5;
      pen.strokeRect(rect[0] + 0.5, rect[1] + 0.5, rect[2] - 1, rect[3] - 1);
    }
    if (this.isMarked(l)) {
      pen.strokeStyle = app.ink.accent;
      pen.lineWidth = 2.5;
      pen.strokeRect(rect[0], rect[1], rect[2], rect[3]);
    }
    this.drawLifeEnds(l, rect, witness);
    this.labelLife(microbatch, rect, witness);
  }

  drawLifeEnds(l, [x, y, width, height], witness) {
    const {pen, app} = this;
    if (this.lives.isOpen(l)) {
      pen.fillStyle = app.ink.error;
      pen.fillRect(x + width - 3, y, 3, height);
    }
    if (witness && width >= 8) {
      pen.fillStyle = app.ink.onWitness;
      pen.beginPath();
      pen.moveTo(x + 5.5, y + height / 2 - 3);
      pen.lineTo(x + 8.5, y + height / 2);
      pen.lineTo(x + 5.5, y + height / 2 + 3);
      pen.lineTo(x + 2.5, y + height / 2);
      pen.fill();
    }
  }

  labelLife(microbatch, [x, y, width, height], witness) {
    const text = String(microbatch);
    const left = Math.max(x, gutterWidth);
    const room = Math.min(x + width, this.width) - left;
    if (microbatch < 0 || height < 9 || room < text.length * 6 + (witness ? 14 : 4))
      return;
    const {pen, app} = this;
    this.font(9.5, witness ? "700" : "");
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = witness ? app.ink.onWitness : app.ink.onLife;
    pen.fillText(text, left + room / 2 + (witness ? 3 : 0), y + height / 2 + 0.5);
  }

  // Belongs to the selected instruction, or is under the pointer.
  isMarked(l) {
    if (this.hoveredLife === l)
      return true;
    const selected = this.app.placeOn(this.side, this.app.state.selected);
    return selected >= 0 && (this.program.lifeBirth[l] === selected || this.program.lifeLast[l] === selected);
  }

  drawGutter() {
    const {pen, app} = this;
    for (const block of this.blocksInSight()) {
      pen.textAlign = "left";
      pen.fillStyle = app.ink.text;
      this.font(11.5, "600");
      pen.fillText(`rank ${block.rank}`, 8, this.screenY(block.y) + poolTitleHeight / 2 + 1);
      pen.textAlign = "right";
      pen.fillStyle = app.ink.muted;
      this.font(9.5);
      const [first, last] = this.rowsInSight(block);
      for (let row = first; row < last; ++row)
        pen.fillText(String(row), gutterWidth - 7, this.rowY(block, row) + slotRowHeight / 2);
    }
  }

  // The life at a point of the canvas, or -1.
  hit(x, y) {
    if (x < gutterWidth || y < rulerHeight)
      return -1;
    const block = this.blocksInSight().find(b => {
      const row = (y - this.rowY(b, 0)) / slotRowHeight;
      return row >= 0 && row < b.rowCount;
    });
    if (!block)
      return -1;
    const row = Math.floor((y - this.rowY(block, 0)) / slotRowHeight);
    const {list, reach} = block.rows.get(row) ?? emptyRow;
    const inside = l => {
      const [left, top, width, height] = this.rectOfLife(l, block);
      return x >= left - 1 && x <= left + width + 1 && (!this.lives.halved[l] || (y >= top && y <= top + height));
    };
    const time = this.timeAt(x + 2);
    const last = firstIndex(list.length, n => this.lives.from[list[n]] > time);
    const first = firstIndex(list.length, n => reach[n] >= this.timeAt(x - 4));
    return list.slice(first, last).reverse().find(inside) ?? -1;
  }

  showPool(name, rank) {
    this.layOut();
    const block = this.lives.blocks.find(b => b.name === name && b.rank === rank);
    if (block)
      this.showRows(block.y, poolTitleHeight + block.rowCount * slotRowHeight);
  }

  showRank(rank) {
    this.layOut();
    const block = this.lives.blocks.find(b => b.rank === rank);
    if (block)
      this.scrollTo(block.y);
  }
}
