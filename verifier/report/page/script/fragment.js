// A place on the page as a URL fragment: #side=base&i=57&f=3&step=2&t=10,20.5&slots=least&q=SendGrad
//
// i: the selected instruction, counted from 0 in file order (base:57 or new:57 where it is not on the side of the
// finding); f: the finding, as numbered in the list; step: of its wait-for cycle, from 1; t: the stretch of time, in
// units; slots, rows, q: switches and the search. All may be left out.

function fragmentOf(app) {
  const {state, view} = app;
  const parts = [];
  const place = state.finding ?? state.selected;
  if (place && app.sides.length > 1 && !place.side.isNext)
    parts.push("side=base");
  if (state.finding) {
    parts.push(`f=${state.finding.finding.number}`);
    if (state.finding.finding.cycle.length > 0)
      parts.push(`step=${state.step + 1}`);
  }
  if (state.selected) {
    const {side, k} = state.selected;
    parts.push(`i=${side === place.side ? "" : side.isNext ? "new:" : "base:"}${k}`);
  }
  if (!view.isFit)
    parts.push(`t=${timeText(view.from)},${timeText(view.to)}`);
  if (state.slots !== app.usualSlots)
    parts.push(`slots=${state.slots}`);
  if (state.rows === "full")
    parts.push("rows=full");
  if (state.query)
    parts.push(`q=${encodeURIComponent(state.query)}`);
  return parts.join("&");
}

function applyFragment(app, text) {
  const given = new URLSearchParams(text);
  const number = key => /^\d{1,9}$/.test(given.get(key) ?? "") ? Number(given.get(key)) : -1;
  const sideOf = name => app.sides.length > 1 && name === "base" ? app.sides[0] : app.sides.at(-1);
  const side = sideOf(given.get("side"));
  app.change({
    slots: ["least", "declared"].includes(given.get("slots")) ? given.get("slots") : app.usualSlots,
    rows: given.get("rows") === "full" ? "full" : "fit",
    selected: null,
    finding: null,
    step: 0,
  });
  app.search(given.get("q") ?? "");
  const stretch = (given.get("t") ?? "").split(",").map(Number);
  if (isStretch(stretch, app.view.end))
    app.view.set(...stretch);
  else
    app.view.fit();
  const finding = side.findings?.[number("f") - 1];
  if (finding)
    app.chooseFinding(side, finding, Math.max(number("step") - 1, 0), false);
  const [, name, index] = /^(?:(base|new):)?(\d{1,9})$/.exec(given.get("i") ?? "") ?? [];
  const at = name ? sideOf(name) : side;
  if (at.program && Number(index) < at.program.count)
    app.select(at, Number(index), !given.has("t"));
}

// Two times that a view of the step can have.
function isStretch([from, to, ...more], end) {
  return more.length === 0 && Number.isFinite(from) && Number.isFinite(to) && from < to && from < end && to > 0 &&
      to - from <= 4 * end;
}
