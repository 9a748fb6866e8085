// Builds the page from the data in it.

const data = JSON.parse(document.getElementById("data").textContent);
const app = new App(data);
const theme = new Theme(app);
const help = makeHelp();
const actions = {
  slots: () => app.change({slots: app.state.slots === "least" ? "declared" : "least"}),
  rows: () => app.change({rows: app.state.rows === "full" ? "fit" : "full"}),
  stack: () => {
    if (app.sides.length > 1)
      document.body.classList.toggle("stacked");
    app.changed();
  },
  theme: () => theme.toggle(),
  help: () => help.open ? help.close() : help.showModal(),
  search: () => header.search.input.focus(),
};
const header = makeHeader(app, actions);
const tooltip = new Tooltip();
app.panes = app.sides.map(side => new Pane(app, side, tooltip));
const panel = new Panel(app);
new Paper(app, theme, panel);
document.title = `${app.sides.map(side => shortName(side.data.file)).join(" and ")} - Plumbline`;
document.body.classList.toggle("two", app.sides.length > 1);
document.body.prepend(header.root, make("main", {}, make("div", {class: "panes"}, ...app.panes.map(pane => pane.root)),
                                        panel.root), help);
listenToKeys(app, actions);
keepAddress(app);
addEventListener("resize", () => app.redraw());
app.changed();

// The address follows the state, a moment later; a changed address is followed at once.
function keepAddress(on) {
  let written = null;
  let timer = 0;
  const follow = () => {
    const text = location.hash.slice(1);
    if (text !== written)
      applyFragment(on, text);
  };
  follow();
  on.listeners.push(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = fragmentOf(on);
      if (written !== location.hash.slice(1))
        history.replaceState(null, "", `#${written}`);
    }, 150);
  });
  addEventListener("hashchange", follow);
}

// For tests and for curious people: what is shown, read only.
window.plumbline = Object.freeze({
  state() {
    const place = at => at && {side: app.sides.indexOf(at.side), k: at.k, name: at.side.program.fullNameOf(at.k)};
    const {finding, step, query, match, slots, rows, selected, hovered} = app.state;
    return {
      frames: app.frames, frameTime: app.frameTime, from: app.view.from, to: app.view.to, end: app.view.end,
      selected: place(selected), hovered: place(hovered), step, query, match, slots, rows, found: app.found.length,
      finding: finding && {side: app.sides.indexOf(finding.side), number: finding.finding.number},
      theme: document.documentElement.dataset.theme, listed: app.listed.length, instructions: app.sides.map(side => side.program?.count ?? 0),
    };
  },
  // Where an instruction is on the screen, in pixels of the window.
  positionOf(side, k) {
    const {lanes} = app.panes[side];
    const rect = lanes.rectOf(k);
    const {left, top} = lanes.canvas.getBoundingClientRect();
    return {x: left + rect.x + rect.width / 2, y: top + rect.y + rect.height / 2};
  },
  // Likewise the bar of a value in its slot.
  barOf(side, l) {
    const {slots} = app.panes[side];
    const [x, y, width, height] = slots.rectOfLife(l);
    const {left, top} = slots.canvas.getBoundingClientRect();
    return {x: left + x, y: top + y, width, height, microbatch: app.sides[side].program.lifeMicrobatch[l]};
  },
  ticks(side) { return app.panes[side].lanes.ticks(); },
  column(side, key) { return Array.from(app.sides[side].program[key]); },
  find(side, query) { return findInstructions(app.sides[side].program, query); },
});
