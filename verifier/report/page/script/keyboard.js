// Keys, where no field or list has them for itself.

const keyTable = [
  ["← →", "pan"], ["↑ ↓", "scroll the timeline"], ["+ −", "zoom in, out"], ["0", "show all"],
  ["/", "search; Enter and Shift+Enter walk through what is found"], ["n p", "next, previous finding"],
  [". ,", "next, previous step of a wait-for cycle"], ["] [", "next, previous instruction in the lane"],
  ["Enter", "zoom to the selection"], ["m", "to the other end of the message"],
  ["s", "slots as declared, or the least number"], ["r", "fit all ranks, or full rows"],
  ["o", "of two schedules: side by side, or one above the other"], ["t", "light or dark"],
  ["Escape", "forget the selection"], ["?", "this list"],
];

function keyActions(app, actions) {
  const scroll = by => {
    const chart = app.panes.find(pane => pane.lanes)?.lanes;
    if (chart)
      app.scroll(chart, chart.scroll + by);
  };
  const selected = run => () => {
    if (app.state.selected)
      run(app.state.selected);
  };
  return {
    ArrowLeft: () => app.view.pan(-0.1), ArrowRight: () => app.view.pan(0.1),
    ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40),
    "+": () => app.view.zoom(1 / 1.4), "=": () => app.view.zoom(1 / 1.4), "-": () => app.view.zoom(1.4),
    0: () => app.view.fit(), "/": actions.search, n: () => app.nextFinding(1), p: () => app.nextFinding(-1),
    ".": () => app.takeStep(1), ",": () => app.takeStep(-1),
    "]": () => app.nextInLane(1), "[": () => app.nextInLane(-1),
    Enter: selected(({side, k}) => zoomTo(app, side, k)),
    m: selected(({side, k}) => side.program.partner[k] >= 0 && app.select(side, side.program.partner[k])),
    s: actions.slots, r: actions.rows, o: actions.stack, t: actions.theme, Escape: () => app.clear(), "?": actions.help,
  };
}

function listenToKeys(app, actions) {
  const table = keyActions(app, actions);
  addEventListener("keydown", event => {
    const onControl = event.target.closest?.("button, summary, input, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, dialog") ||
        (onControl && ["Enter", " "].includes(event.key)) || !Object.hasOwn(table, event.key))
      return;
    event.preventDefault();
    table[event.key]();
  });
}

function makeHelp() {
  const rows = keyTable.map(([keys, meaning]) => make("tr", {},
      make("th", {scope: "row"}, ...keys.split(" ").map(key => make("kbd", {}, key))), make("td", {}, meaning)));
  const dialog = make("dialog", {class: "help", "aria-label": "Keys"}, make("h2", {}, "Keys"),
                      make("table", {}, make("tbody", {}, ...rows)),
                      make("p", {}, "Drag to pan. The wheel scrolls where there is more below, and zooms where there is " +
                           "not, or with Ctrl; with Shift it pans. The address of the page holds selection, finding, " +
                           "step and view: copy it to show someone this place."),
                      button("close", "Close", () => dialog.close()));
  return dialog;
}
