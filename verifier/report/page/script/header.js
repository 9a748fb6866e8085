// The top of the page: what this is, the verdict, the search, switches, and what the colours mean.

function makeHeader(app, actions) {
  const main = app.sides.at(-1);
  const search = new SearchBox(app);
  const root = make("header", {}, make("div", {class: "bar"}, brand(), ...titleOf(app, main), make("span", {class: "room"}),
                                       search.root, ...tools(app, actions)));
  if (app.difference)
    root.append(summaryBox(app.difference.summary));
  if (app.judged.length > 0)
    root.append(makeLegend(app));
  return {root, search};
}

// What the difference comes to. "worse: ..." says "worse" once for all that follow and are so too.
function summaryBox([sentence, ...changes]) {
  const word = line => /^\w+: /.exec(line)?.[0] ?? "";
  const lines = changes.map((line, n) => word(line) === word(changes[n - 1] ?? "") ? line.slice(word(line).length) : line);
  const box = make("div", {class: "summary", role: "status", tabindex: "0", "aria-label": "What changed"},
                   make("strong", {}, bdi(sentence)), ...lines.map(line => make("span", {}, bdi(line))));
  const cue = make("span", {class: "cue", "aria-hidden": "true"}, "more below ▾");
  const refresh = () => cue.hidden = box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  box.addEventListener("scroll", refresh);
  new ResizeObserver(refresh).observe(box);
  return make("div", {class: "changes"}, box, cue);
}

function brand() { return make("span", {class: "brand"}, "Plumbline"); }

function titleOf(app, side) {
  if (app.sides.length > 1)
    return [make("h1", {}, "base and new")];
  const {data} = side;
  const facts = [];
  if (side.program) {
    const {program} = data;
    facts.push(`${counted(program.ranks, "rank")}, ${counted(program.stages, "stage")}, ` +
               `${counted(program.microbatches, "microbatch", "microbatches")}`);
    facts.push(data.finishes ? counted(timeText(data.makespan / data.ticksPerUnit), "unit") : "cannot finish");
    if (data.idleShare !== null)
      facts.push(`bubble ${(data.idleShare * 100).toFixed(1)}%`);
    facts.push(`model ${data.model[0][1]}`);
  }
  return [verdictBadge(data.verdict), make("h1", {}, bdi(data.file, {title: cut(data.file)})),
          make("span", {class: "sizes"}, facts.join(" · "))];
}

// Switches show by `aria-pressed` what is on.
function tools(app, actions) {
  const slots = button("least slots", "Show slots as declared, or no more than the least number (s)", actions.slots);
  const rows = button("full rows", "Fit all ranks into view, or give every lane its full height (r)", actions.rows);
  const stack = app.sides.length > 1
      ? button("stack", "Base above new, or side by side (o)", actions.stack) : null;
  app.listeners.push(() => {
    slots.setAttribute("aria-pressed", String(app.state.slots === "least"));
    rows.setAttribute("aria-pressed", String(app.state.rows === "full"));
    stack?.setAttribute("aria-pressed", String(document.body.classList.contains("stacked")));
  });
  const charts = app.judged.length === 0 ? [] : [
    make("span", {class: "group"}, button("−", "Zoom out (-)", () => app.view.zoom(1.4)),
         button("fit", "Show all (0)", () => app.view.fit()), button("+", "Zoom in (+)", () => app.view.zoom(1 / 1.4))),
    make("span", {class: "group"}, slots, rows, stack ?? ""),
  ];
  return [...charts, make("span", {class: "group"}, button("◐", "Light or dark (t)", actions.theme),
                          button("?", "Keys and signs (?)", actions.help))];
}

class SearchBox {
  constructor(app) {
    this.app = app;
    this.input = make("input", {type: "search", placeholder: "Search: 2F3, SendGrad, rank 2 F 5, line 57",
                                "aria-label": "Search for instructions", spellcheck: "false", autocomplete: "off"});
    this.count = make("span", {class: "hits", "aria-live": "polite"});
    this.root = make("span", {class: "search"}, this.input, this.count);
    this.root.hidden = app.judged.length === 0;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => app.search(this.input.value), 120);
    });
    this.input.addEventListener("keydown", event => this.press(event));
    app.listeners.push(() => this.refresh());
  }

  press(event) {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape")
      clearTimeout(this.timer); // a search that is still to come would start the walk again
    if (event.key === "Enter") {
      if (this.input.value !== this.app.state.query)
        this.app.search(this.input.value);
      this.app.nextMatch(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.app.search("");
      this.input.blur();
    }
  }

  refresh() {
    const {query, match} = this.app.state;
    if (document.activeElement !== this.input)
      this.input.value = query;
    const found = this.app.found.length;
    this.count.textContent = query === "" ? "" : found === 0 ? "none" : match < 0 ? `${found}` : `${match + 1} of ${found}`;
  }
}

// What is on this page of kinds and signs.
function makeLegend(app) {
  const kindsHere = new Set(app.judged.flatMap(side => [...side.looks.present]));
  const legend = make("div", {class: "legend", "aria-label": "Legend"});
  const add = (text, draw, title = "") => {
    const canvas = make("canvas", {width: "44", height: "24", "aria-hidden": "true"});
    const entry = make("span", {title}, canvas, text);
    legend.append(entry);
    const paint = () => {
      const pen = canvas.getContext("2d");
      pen.setTransform(2, 0, 0, 2, 0, 0);
      pen.clearRect(0, 0, 22, 12);
      draw(pen);
    };
    app.listeners.push(paint);
  };
  [...kindsHere].sort((a, b) => a - b).forEach(kind => add(kinds[kind].name, pen => drawSwatch(pen, kind)));
  addSigns(app, add);
  return legend;
}

function drawSwatch(pen, kind) {
  const hatch = makeHatches(pen)[kind];
  for (let step = 0; step < 4; ++step) {
    pen.fillStyle = kinds[kind].colors[step];
    pen.fillRect(step * 5.5, 0, 5.5, 12);
  }
  if (hatch) {
    pen.fillStyle = hatch;
    pen.fillRect(0, 0, 22, 12);
  }
}

function addSigns(app, add) {
  const sign = (shape, x) => pen => {
    pen.fillStyle = app.ink.text;
    drawShape(pen, shape, x, 6, 4.5);
  };
  add("send", sign("send", 11));
  add("receive", sign("receive", 11));
  if (app.judged.some(side => side.data.program.stages > side.data.program.ranks))
    add("later stage of its rank", pen => {
      pen.fillStyle = colorText[1];
      pen.fillRect(0, 0, 22, 12);
      pen.fillStyle = "#ffffff";
      pen.fillRect(2, 2, 3, 3);
    });
  if (app.judged.some(side => side.program.hangs)) {
    add("begun, never ends", pen => {
      pen.strokeStyle = app.ink.error;
      pen.lineWidth = 2;
      pen.stroke(new Path2D("M16 1H1v10h15l5-5z"));
    });
    add("never begins", pen => {
      pen.strokeStyle = app.ink.muted;
      pen.setLineDash([3, 2]);
      pen.strokeRect(0.5, 0.5, 21, 11);
      pen.setLineDash([]);
    });
  }
  if (app.judged.some(side => side.overlaps.size > 0))
    add("overlap, drawn one after the other", pen => {
      pen.fillStyle = colorText[1];
      pen.fillRect(0, 0, 11, 9);
      pen.fillStyle = colorText[6];
      pen.fillRect(11, 0, 11, 9);
      drawBracket(pen, app.ink, 0, 22, 10, true, true);
    });
  if (app.judged.some(side => side.findingsOfLife.size > 0))
    add("value not safe in its slot", pen => {
      pen.strokeStyle = app.ink.error;
      pen.lineWidth = 1.5;
      pen.strokeRect(1, 1.5, 20, 9);
    });
  if (app.sides.length > 1)
    add("only in one", pen => {
      pen.fillStyle = app.ink.bar;
      pen.fillRect(0, 0, 22, 12);
      pen.fillStyle = app.ink.only;
      pen.fillRect(0, 9, 22, 3);
      pen.fillRect(0, 0, 22, 1.5);
    });
  add("makes the least number of slots", pen => {
    pen.fillStyle = app.ink.witness;
    pen.fillRect(0, 1, 22, 10);
    pen.fillStyle = app.ink.onWitness;
    pen.fill(new Path2D("M6 3l3 3-3 3-3-3z"));
  });
}
