// Ranks as rows, time as columns: how lanes.js and lane_rows.js look. What is marked on top of it: overlay.js.

class LanesChart extends LaneRows {
  constructor(app, side, host) {
    super(app, side, host,
          `Timeline of ${side.program.data.file}. Arrow keys pan, plus and minus zoom, [ and ] select.`);
    this.strips = new Strips();
    this.stageOrder = new Map();
    for (const [rank, stages] of this.stagesOf)
      this.stageOrder.set(rank, new Map([...stages].sort((a, b) => a - b).map((stage, order) => [stage, order])));
  }

  rulerText() { return anyStreams(this.side.data) ? "time, own streams" : "time in units"; }

  drawContent() {
    this.drawNever();
    this.drawGrid();
    this.buckets = Array.from({length: colorCount}, () => []);
    this.waits = Array.from({length: colorCount}, () => []);
    this.texts = [];
    this.chunkMarks = [];
    this.marksToDraw = [];
    this.outlines = [];
    this.overlapped = [];
    this.strips.begin(Math.round(this.plotWidth * this.ratio), this.app.ink.surfaceRgb);
    for (const block of this.blocks) {
      if (block.y + block.height < this.scroll || block.y > this.scroll + this.height)
        continue;
      for (const strip of block.strips)
        strip.marks ? this.drawMarks(strip) : this.drawBoxes(strip);
    }
    this.flush();
    this.drawOverlapped();
    drawOverlay(this);
  }

  // The part of the chart behind the last event.
  drawNever() {
    if (!this.program.hangs)
      return;
    const {pen, app} = this;
    const x = this.x(this.lanes.stepEnd);
    pen.fillStyle = app.ink.never;
    pen.fillRect(x, 0, this.width, this.height);
    pen.fillStyle = app.ink.error;
    pen.fillRect(Math.round(x) - 1, 0, 2, this.height);
  }

  drawBoxes(strip) {
    const {lane} = strip;
    const {from} = this.lanes;
    const first = firstIndex(lane.boxes.length, b => lane.reach[b] > this.app.view.from);
    const last = firstIndex(lane.boxes.length, b => from[lane.boxes[b]] > this.app.view.to);
    if ((last - first) * (strip.height < 8 ? 24 : 3) > this.plotWidth)
      this.drawFar(strip, lane.boxes, first, last);
    else
      for (let b = first; b < last; ++b)
        this.addBox(lane.boxes[b]);
  }

  // Of very many it is enough to look at some: sixteen for each pixel.
  drawFar(strip, list, first, last) {
    const {from, to} = this.lanes;
    const scale = this.pixelsPerUnit * this.ratio;
    const start = this.app.view.from;
    const stride = Math.max(1, Math.floor((last - first) / (this.plotWidth * this.ratio * 16)));
    for (let b = first; b < last; b += stride) {
      const k = list[b];
      const x0 = (from[k] - start) * scale;
      const x1 = strip.marks ? x0 + 1 : (to[k] - start) * scale;
      const fate = this.program.fate[k];
      if (fate === Fate.ended)
        this.strips.add(x0, x1, colorRgb, (this.looks.color[k] | 1) * 3, this.looks.isMessage(k) && !strip.marks ? 0.45 : 1);
      else
        this.strips.add(x0, x1, fate === Fate.stuck ? this.app.ink.errorRgb : this.app.ink.lineRgb, 0);
      this.noteOutline(k);
    }
    this.strips.paint(this.pen, gutterWidth, this.screenY(strip.y), this.plotWidth, strip.height);
  }

  addBox(k) {
    const rect = this.rectOf(k);
    const {x, y, height} = rect;
    const width = rect.width > 4 ? rect.width - 1 : rect.width;
    this.noteOutline(k);
    if (this.program.fate[k] === Fate.never)
      this.drawNeverBox(k, x, y, width, height);
    else
      (this.looks.isMessage(k) ? this.waits : this.buckets)[this.looks.color[k]].push(x, y, width, height);
    if (this.program.fate[k] === Fate.stuck)
      this.outlines.push(["stuck", k]);
    else if (width >= 9 && height >= 10)
      this.addChunkMarks(k, x, y);
    if (height >= 8 && this.side.overlaps.has(k))
      this.overlapped.push(k);
    this.addLabel(k, x, width, y, height);
  }

  // A bracket below computations that are one unit.
  drawOverlapped() {
    const {pen, app} = this;
    for (const k of this.overlapped) {
      const members = this.side.overlaps.get(k);
      const rect = this.rectOf(k);
      const next = members[members.indexOf(k) + 1];
      const right = next === undefined ? rect.x + rect.width - 1 : this.rectOf(next).x;
      drawBracket(pen, app.ink, rect.x, right, rect.y + rect.height, k === members[0], next === undefined);
    }
  }

  // Of a rank with several stages: a square for each of its stages before this one.
  addChunkMarks(k, x, y) {
    const order = this.program.stage[k] < 0 || this.looks.isMessage(k) ? 0
        : this.stageOrder.get(this.program.rank[k]).get(this.program.stage[k]);
    for (let mark = 0; mark < Math.min(order, 3); ++mark)
      this.chunkMarks.push(x + 2 + 4 * mark, y + 2, k);
  }

  flushChunkMarks() {
    const {pen, chunkMarks} = this;
    for (let m = 0; m < chunkMarks.length; m += 3) {
      pen.fillStyle = colorIsDark[this.looks.color[chunkMarks[m + 2]]] ? "#ffffff" : "#1a1a1a";
      pen.fillRect(chunkMarks[m], chunkMarks[m + 1], 3, 3);
    }
  }

  drawNeverBox(k, x, y, width, height) {
    const {pen, app} = this;
    pen.strokeStyle = app.ink.muted;
    pen.lineWidth = 1;
    pen.setLineDash([3, 2]);
    if (width > 3)
      pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    else
      pen.strokeRect(x + 0.5, y + 0.5, 0, height - 1);
    pen.setLineDash([]);
  }

  // Full where there is room, else the microbatch alone.
  addLabel(k, x, width, y, height) {
    if (height < 10 || width < 9)
      return;
    const microbatch = this.program.microbatch[k];
    const several = (this.stagesOf.get(this.program.rank[k])?.size ?? 0) > 1;
    const kind = this.looks.kindOf(k);
    const shape = this.looks.isMessage(k) ? {send: "▴", receive: "▾"}[this.looks.shapeOf[this.program.opcode[k]]] ?? "" : "";
    const number = microbatch < 0 ? "" : String(microbatch);
    const short = shape + kind.letter + number;
    const full = (several && this.program.stage[k] >= 0 && kind.letter
                      ? this.program.stageInReplica(this.program.stage[k]) : "") + short;
    const left = Math.max(x, gutterWidth);
    const room = Math.min(x + width, this.width) - left - 3;
    const per = Math.min(height * 0.55, 11) * 0.62;
    const text = [full, short, number].find(candidate => candidate !== "" && candidate.length * per <= room);
    if (text !== undefined)
      this.texts.push([text, left + (room + 3) / 2, y + height / 2 + 0.5, height, k]);
  }

  drawMarks(strip) {
    const {lane} = strip;
    const {from} = this.lanes;
    const air = 60 / this.pixelsPerUnit;
    const first = firstIndex(lane.marks.length, m => from[lane.marks[m]] > this.app.view.from - air);
    const last = firstIndex(lane.marks.length, m => from[lane.marks[m]] > this.app.view.to + air);
    if ((last - first) * 4 > this.plotWidth || strip.height < 4)
      this.drawFar(strip, lane.marks, first, last);
    else
      for (let m = first; m < last; ++m) {
        this.marksToDraw.push(lane.marks[m]);
        this.noteOutline(lane.marks[m]);
      }
  }

  noteOutline(k) {
    if (this.side.twins && this.side.twins[k] < 0)
      this.outlines.push(["only", k]);
    if (this.side.matches && this.side.matches[k])
      this.outlines.push(["match", k]);
  }

  flush() {
    this.flushWaits();
    this.flushBoxes();
    this.flushChunkMarks();
    this.flushTexts();
    for (const k of this.marksToDraw)
      this.drawMark(k);
  }

  // A message under way, or one that waits for its other end: pale, so that computing stands out.
  flushWaits() {
    const {pen} = this;
    this.waits.forEach((rects, color) => {
      pen.fillStyle = colorText[color];
      pen.globalAlpha = 0.24;
      for (let r = 0; r < rects.length; r += 4)
        pen.fillRect(rects[r], rects[r + 1], rects[r + 2], rects[r + 3]);
      pen.globalAlpha = 1;
      for (let r = 0; r < rects.length; r += 4)
        pen.fillRect(rects[r], rects[r + 1] + rects[r + 3] - 2, rects[r + 2], 2);
    });
  }

  flushBoxes() {
    const {pen, buckets} = this;
    buckets.forEach((rects, color) => {
      pen.fillStyle = colorText[color];
      for (let r = 0; r < rects.length; r += 4)
        pen.fillRect(rects[r], rects[r + 1], rects[r + 2], rects[r + 3]);
    });
    buckets.forEach((rects, color) => {
      const hatch = this.hatches[color >> 2];
      if (!hatch)
        return;
      pen.fillStyle = hatch;
      for (let r = 0; r < rects.length; r += 4)
        if (rects[r + 2] >= 5 && rects[r + 3] >= 7)
          pen.fillRect(rects[r], rects[r + 1], rects[r + 2], rects[r + 3]);
    });
  }

  // A plate of the box's own colour keeps the hatch off the letters.
  flushTexts() {
    const {pen, app} = this;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    let size = 0;
    for (const [text, x, y, height, k] of this.texts) {
      const wanted = Math.min(Math.round(height * 0.55), 11);
      if (wanted !== size)
        this.font(size = wanted, "500");
      const never = this.program.fate[k] === Fate.never;
      const pale = never || this.looks.isMessage(k);
      if (!pale && this.looks.kindOf(k).hatch) {
        const half = text.length * size * 0.31 + 1;
        pen.fillStyle = colorText[this.looks.color[k]];
        pen.fillRect(x - half, y - size * 0.55, 2 * half, size * 1.05);
      }
      pen.fillStyle = pale ? (never ? app.ink.muted : app.ink.text) : colorIsDark[this.looks.color[k]] ? "#ffffff" : "#1a1a1a";
      pen.fillText(text, x, y);
    }
  }

  // Sends point up and away, receives down and in, everything else is a square.
  drawMark(k) {
    const {pen} = this;
    const rect = this.rectOf(k);
    const shape = this.looks.shapeOf[this.program.opcode[k]];
    const half = Math.min(rect.width / 2, 4.5);
    const x = rect.x + rect.width / 2;
    const y = rect.y + rect.height / 2;
    pen.fillStyle = colorText[this.looks.color[k]];
    if (half < 2) {
      pen.fillRect(x - half, rect.y, 2 * half, rect.height);
      return;
    }
    drawShape(pen, shape, x, y, half);
  }

  drawGutter() {
    const {pen} = this;
    pen.textAlign = "left";
    const every = Math.ceil(11 / (this.blocks[0]?.height || 11));
    this.blocks.forEach((block, index) => {
      if (block.y + block.height < this.scroll || block.y > this.scroll + this.height || index % every !== 0)
        return;
      this.drawRankName(block);
    });
  }

  drawRankName(block) {
    const {pen, app} = this;
    const y = this.screenY(block.y);
    const stages = [...this.stagesOf.get(block.rank) ?? []].map(stage => this.program.stageInReplica(stage));
    const tall = block.height >= 26;
    const middle = tall ? y + 8 : Math.max(y + block.height / 2, rulerHeight + 6);
    pen.fillStyle = app.ink.text;
    this.font(block.height >= 12 ? 12 : 9, "600");
    pen.fillText(`rank ${block.rank}`, 8, middle);
    if (!tall)
      return;
    pen.fillStyle = app.ink.muted;
    this.font(10.5);
    if (stages.length > 0)
      this.gutterText((stages.length > 1 ? "stages " : "stage ") + stages.join(", "), 8, y + 21, gutterWidth - 16);
    this.drawLaneNames(block, y);
  }

  drawLaneNames(block, top) {
    const {pen} = this;
    pen.textAlign = "right";
    for (const strip of block.strips) {
      const y = this.screenY(strip.y) + strip.height / 2;
      if (strip.message && strip.height >= 10 && y > top + 27 && strip === block.strips.find(s => s.index === strip.index))
        this.gutterText(strip.lane.communicator, gutterWidth - 7, y, gutterWidth - 30);
    }
    pen.textAlign = "left";
  }
}

// A piece of it; its ends have feet.
function drawBracket(pen, ink, left, right, y, isFirst, isLast) {
  for (const [color, air] of [[ink.surface, 1], [ink.text, 0]]) {
    pen.fillStyle = color;
    pen.fillRect(left, y - 1 - air, right - left, 2 + air);
    if (isFirst)
      pen.fillRect(left, y - 5 - air, 2 + air, 5 + air);
    if (isLast)
      pen.fillRect(right - 2 - air, y - 5 - air, 2 + air, 5 + air);
  }
}

function drawShape(pen, shape, x, y, half) {
  pen.beginPath();
  if (shape === "send") {
    pen.moveTo(x - half, y + half);
    pen.lineTo(x + half, y + half);
    pen.lineTo(x, y - half);
  } else if (shape === "receive") {
    pen.moveTo(x - half, y - half);
    pen.lineTo(x + half, y - half);
    pen.lineTo(x, y + half);
  } else {
    pen.rect(x - half * 0.75, y - half * 0.75, half * 1.5, half * 1.5);
  }
  pen.fill();
}
