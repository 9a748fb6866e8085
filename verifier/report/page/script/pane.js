// A schedule as two charts, one above the other: lanes and slots. An unreadable file says why instead.

class Pane {
  constructor(app, side, tooltip) {
    this.app = app;
    this.side = side;
    this.tooltip = tooltip;
    this.charts = [];
    this.root = make("section", {class: "pane"});
    if (app.sides.length > 1)
      this.root.append(paneTitle(side));
    if (side.program)
      this.addCharts();
    else
      this.root.append(errorBox(side.data));
  }

  addCharts() {
    const lanesHost = make("div", {class: "chart lanes"});
    const slotsHost = make("div", {class: "chart slots"});
    this.lanes = new LanesChart(this.app, this.side, lanesHost);
    this.slots = new SlotsChart(this.app, this.side, slotsHost);
    this.charts.push(this.lanes);
    new Pointer(this.app, this.lanes, this.lanesActions());
    this.lanesHost = lanesHost;
    this.root.append(lanesHost);
    if (this.slots.lives.blocks.length > 0) {
      this.charts.push(this.slots);
      new Pointer(this.app, this.slots, this.slotsActions());
      this.root.append(makeSplitter(this), slotsHost);
      this.setShare(null);
    } else
      lanesHost.classList.add("alone");
  }

  // Of the pane's height for the lanes; null: as high as they need, as long as the slots keep a good part.
  setShare(share) {
    this.share = share;
    const {lanesHost} = this;
    lanesHost.style.height = share === null ? `${Math.ceil(this.lanes.naturalHeight * 1.1 + rulerHeight)}px`
                                            : `${share * 100}%`;
    lanesHost.style.maxHeight = share === null ? "62%" : "none";
    this.app.redraw();
  }

  lanesActions() {
    const {app, side, lanes} = this;
    return {
      hover: (x, y, event) => {
        const k = lanes.hit(x, y);
        app.hover(side, k);
        if (k < 0)
          this.tooltip.hide();
        else
          this.tooltip.show(side.program.fullNameOf(k), describeInstruction(side, k), [event.clientX, event.clientY],
                            lanes.otherEnd(k));
      },
      leave: () => {
        app.hover(side, -1);
        this.tooltip.hide();
      },
      click: (x, y) => app.select(side, lanes.hit(x, y), false),
      open: (x, y) => {
        const k = lanes.hit(x, y);
        if (k >= 0)
          zoomTo(app, side, k);
      },
    };
  }

  slotsActions() {
    const {app, side, slots} = this;
    const pointAt = l => {
      slots.hoveredLife = l;
      app.hover(side, l < 0 ? -1 : side.program.lifeBirth[l]);
      app.redraw();
    };
    return {
      hover: (x, y, event) => {
        const l = slots.hit(x, y);
        pointAt(l);
        if (l < 0) {
          this.tooltip.hide();
          return;
        }
        const pool = side.program.poolText(side.program.lifePool[l]);
        this.tooltip.show(`${pool}[${side.program.lifeSlot[l]}] of rank ${side.program.rank[side.program.lifeBirth[l]]}`,
                          describeLife(side, slots.lives, l), [event.clientX, event.clientY]);
      },
      leave: () => {
        pointAt(-1);
        this.tooltip.hide();
      },
      click: (x, y) => {
        const l = slots.hit(x, y);
        app.select(side, l < 0 ? -1 : side.program.lifeBirth[l], l >= 0);
      },
      open: () => {},
    };
  }

  showInstruction(k) {
    if (k < 0 || !this.lanes)
      return;
    this.lanes.layOut();
    const strip = this.lanes.rectOf(k).strip;
    this.lanes.showRows(strip.y - 12, strip.height + 16);
    this.slots.layOut();
    const shown = this.slots.blocksInSight().some(block => block.rank === this.side.program.rank[k]);
    if (!shown)
      this.slots.showRank(this.side.program.rank[k]);
  }

  // The pool of that name of a rank, or the rank's first.
  showPool(name, rank) {
    if (name !== null)
      this.slots?.showPool(name, rank);
    else if (rank >= 0)
      this.slots?.showRank(rank);
  }
}

function zoomTo(app, side, k) {
  const [from, to] = [side.lanes.from[k], side.lanes.to[k]];
  const wide = Math.max(to - from, app.view.typical / 2);
  app.view.set(from - 6 * wide, to + 6 * wide);
  app.select(side, k, false);
}

function paneTitle(side) {
  return make("h2", {}, make("span", {class: "which"}, side.isNext ? "new" : "base"), verdictBadge(side.data.verdict),
              bdi(side.data.file, {class: "file", title: cut(side.data.file)}));
}

function verdictBadge(verdict) {
  const sign = {verified: "✓", rejected: "✕", undecided: "?", invalid: "!"}[verdict];
  return make("span", {class: `verdict ${verdict}`}, `${sign} ${verdict}`);
}

function errorBox({error}) {
  const place = error.line > 0 ? `${error.file}:${error.line}:${error.column}` : error.file;
  return make("div", {class: "unreadable", role: "alert"},
              make("h2", {}, "This file cannot be read; nothing was judged"),
              make("p", {class: "place"}, bdi(place)), make("p", {}, bdi(error.message)),
              error.excerpt ? make("pre", {}, error.excerpt) : null);
}

// Between the charts: drag it, or use the arrow keys.
function makeSplitter(pane) {
  const splitter = make("div", {class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "horizontal",
                                "aria-label": "Height of the timeline; arrow keys change it"});
  const shareAt = y => {
    const {top, height} = pane.root.getBoundingClientRect();
    return Math.min(Math.max((y - top) / height, 0.12), 0.9);
  };
  const middle = () => splitter.getBoundingClientRect().top;
  splitter.addEventListener("pointerdown", event => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener("pointermove", event => {
    if (splitter.hasPointerCapture(event.pointerId))
      pane.setShare(shareAt(event.clientY));
  });
  splitter.addEventListener("keydown", event => {
    const by = {ArrowUp: -24, ArrowDown: 24}[event.key];
    if (!by)
      return;
    event.preventDefault();
    event.stopPropagation();
    pane.setShare(shareAt(middle() + by));
  });
  return splitter;
}
