// The state of the page, and what may change it. Everything else draws it or asks for a change.

class App {
  constructor(data) {
    this.difference = data.difference ?? null;
    this.sides = data.sides.map((side, index) => new Side(side, index === data.sides.length - 1));
    this.judged = this.sides.filter(side => side.program);
    if (this.judged.length === 2)
      [this.sides[0].twins, this.sides[1].twins] = findTwins(this.sides[0].program, this.sides[1].program);
    this.state = {selected: null, hovered: null, finding: null, step: 0, query: "", match: -1, slots: this.usualSlots,
                  rows: "fit"};
    this.found = [];  // [side, instruction] of the search
    this.panes = [];
    this.listeners = [];
    this.frames = 0;
    this.frameTime = 0;
    const end = Math.max(...this.judged.map(side => side.lanes.end), this.judged.length > 0 ? 0 : 1);
    const typical = Math.min(...this.judged.map(side => side.lanes.typical));
    this.view = new TimeView(end, Number.isFinite(typical) ? typical : 1, () => this.changed());
  }

  // Where nothing is declared, each value may have a slot of its own, and the least number says more.
  get usualSlots() {
    const declared = this.judged.some(side => side.data.pools.some(([, , count]) => count >= 0));
    return declared || this.judged.length === 0 ? "declared" : "least";
  }

  // A change of what is shown; the listeners tell it to the panel and to the address.
  changed() {
    this.redraw();
    this.listeners.forEach(listener => listener());
  }

  change(patch) {
    Object.assign(this.state, patch);
    this.changed();
  }

  redraw() {
    if (this.asked)
      return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.drawNow(devicePixelRatio || 1);
    });
  }

  drawNow(ratio) {
    const start = performance.now();
    for (const pane of this.panes)
      for (const chart of pane.charts)
        chart.draw(ratio);
    this.frameTime = performance.now() - start;
    if (this.frames++ === 0)
      performance.mark("plumbline-drawn");
  }

  // Both panes of a difference scroll together.
  scroll(chart, top) {
    for (const pane of this.panes)
      for (const other of pane.charts)
        if (other.constructor === chart.constructor)
          other.scrollTo(top);
    this.redraw();
  }

  // The index on `side` of a selected or hovered instruction: itself or its twin, or -1.
  placeOn(side, place) {
    if (!place)
      return -1;
    return place.side === side ? place.k : place.side.twins ? place.side.twins[place.k] : -1;
  }

  findingOf(side) {
    return this.state.finding?.side === side ? this.state.finding.finding : null;
  }

  hover(side, k) {
    const {hovered} = this.state;
    if (k < 0 ? hovered === null : hovered?.side === side && hovered.k === k)
      return;
    this.state.hovered = k < 0 ? null : {side, k};
    this.redraw();
  }

  select(side, k, reveal = true) {
    this.state.selected = k < 0 ? null : {side, k};
    if (k >= 0 && reveal)
      this.reveal(side, k);
    this.changed();
  }

  // Brings an instruction, and its twin, into sight.
  reveal(side, k) {
    this.view.reveal(side.lanes.from[k], side.lanes.to[k]);
    for (const pane of this.panes)
      pane.showInstruction(this.placeOn(pane.side, {side, k}));
  }

  chooseFinding(side, finding, step = 0, reveal = true) {
    this.state.finding = {side, finding};
    this.state.step = Math.min(step, Math.max(finding.cycle.length - 1, 0));
    const k = finding.cycle[this.state.step]?.instruction ?? finding.instruction;
    if (k >= 0)
      this.select(side, k, reveal);
    else {
      this.state.selected = null;
      const name = finding.pool < 0 ? null : side.program.poolText(finding.pool);
      this.panes.forEach(pane => pane.showPool(name, finding.rank));
      this.changed();
    }
  }

  // To the next step of the chosen cycle, or the one before.
  takeStep(by) {
    const {finding, step} = this.state;
    const steps = finding?.finding.cycle.length ?? 0;
    if (steps > 0)
      this.chooseFinding(finding.side, finding.finding, (step + by + steps) % steps);
  }

  // Along the list of findings as it is shown.
  nextFinding(by) {
    const list = this.listed ?? [];
    if (list.length === 0)
      return;
    const chosen = this.state.finding?.finding;
    const at = chosen ? list.findIndex(({finding, before}) => finding === chosen || before === chosen) : -1;
    const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length;
    this.chooseFinding(list[next].side, list[next].finding);
  }

  // Along the lane of the selected instruction, in the order in which it is issued.
  nextInLane(by) {
    const {selected} = this.state;
    const side = selected?.side ?? this.judged.at(-1);
    if (!side)
      return;
    const lane = selected ? side.lanes.lanes[side.program.lane[selected.k]].all : side.lanes.lanes[0]?.all ?? [];
    const at = selected ? firstIndex(lane.length, n => lane[n] >= selected.k) + by : 0;
    if (at >= 0 && at < lane.length)
      this.select(side, lane[at]);
  }

  // Half a character, which a field may hold, has no place in an address.
  search(text) {
    const query = text.replace(/\p{Surrogate}/gu, "\uFFFD");
    this.state.query = query;
    this.state.match = -1;
    this.found = [];
    for (const side of this.judged) {
      const found = findInstructions(side.program, query);
      side.matches = found.length > 0 ? new Uint8Array(side.program.count) : null;
      for (const k of found) {
        side.matches[k] = 1;
        this.found.push([side, k]);
      }
    }
    this.changed();
  }

  nextMatch(by) {
    const n = this.found.length;
    if (n === 0)
      return;
    this.state.match = this.state.match < 0 ? (by > 0 ? 0 : n - 1) : (this.state.match + by + n) % n;
    this.select(...this.found[this.state.match]);
  }

  clear() {
    this.change({selected: null, finding: null, step: 0});
  }
}
