// The column beside the charts: what is selected, what was found, and what was assumed.

class Panel {
  constructor(app) {
    this.app = app;
    this.details = make("div", {class: "details"});
    this.live = make("div", {class: "unseen", role: "status", "aria-live": "polite"});
    this.findings = new FindingList(app);
    this.selection = make("section", {class: "selection", "aria-label": "Selection"}, make("h2", {}, "Selection"),
                          this.details);
    this.scroller = make("div", {class: "scroller"}, this.findings.root, ...app.sides.map(side => aboutBox(app, side)));
    this.root = make("aside", {class: "panel", "aria-label": "Findings and selection"}, this.selection, this.scroller,
                     this.live);
    app.listeners.push(() => this.refresh());
    this.refresh(true);
  }

  refresh(first = false) {
    const {selected} = this.app.state;
    if (first || selected?.k !== this.shown?.k || selected?.side !== this.shown?.side)
      this.showSelection(selected);
    this.findings.refresh();
  }

  showSelection(selected) {
    this.shown = selected;
    this.selection.classList.toggle("empty", !selected);
    refill(this.details, selected ? this.describe(selected) : [hint(this.app)]);
    if (selected)
      this.live.textContent = `Selected ${selected.side.program.fullNameOf(selected.k)}, ` +
          whenItRuns(selected.side.program, selected.k);
  }

  describe({side, k}) {
    const {app} = this;
    const {program} = side;
    const jump = (text, other, title) => other < 0 || other === undefined ? null
        : button(text, `${title}: ${program.fullNameOf(other)}`, () => app.select(side, other), {"data-key": title});
    const lane = side.lanes.lanes[program.lane[k]].all;
    const at = firstIndex(lane.length, n => lane[n] >= k);
    return [
      make("p", {class: "name"}, bdi(program.fullNameOf(k)),
           app.sides.length > 1 ? make("span", {class: "chip"}, side.isNext ? "new" : "base") : null),
      listOf(describeInstruction(side, k, false)),
      make("div", {class: "jumps"}, jump("◂ before", lane[at - 1], "Before it in its lane"),
           jump("after ▸", lane[at + 1], "After it in its lane"),
           jump("other end", program.partner[k], "The other end of the message"),
           ...(side.findingsAt.get(k) ?? []).map(finding => button(`finding ${finding.number}`, finding.message,
                                                                    () => app.chooseFinding(side, finding))),
           ...[...program.waitsOf(k)].slice(0, 3).map(w => jump(`waits for ${program.nameOf(w)}`, w, "Waits for"))),
    ];
  }
}

function hint(app) {
  const text = app.judged.length > 0 ? "Click an instruction, or press ] to walk along a lane. ? lists the keys."
                                     : "There is nothing to select.";
  return make("p", {class: "hint"}, text);
}

// Everything that the verdict rests on.
function aboutBox(app, side) {
  const {data} = side;
  const title = app.sides.length > 1 ? `About the ${side.isNext ? "new" : "base"} file` : "About";
  const box = make("details", {class: "about"}, make("summary", {}, title));
  const lines = [["file", data.file], ["read as", `${data.format}${data.why ? ` (${data.why})` : ""}`],
                 ["verdict", data.verdict]];
  if (side.program)
    lines.push(...aboutProgram(data));
  box.append(listOf(lines));
  if (data.notes?.length > 0)
    box.append(make("h3", {}, "Taken for granted"), bulletList(data.notes));
  const needed = !data.error && (data.notes.length > 0 || data.findings.length === 0);
  box.open = needed && app.sides.length === 1;
  return box;
}

function aboutProgram(data) {
  const {program} = data;
  const lines = [
    ["sizes", [counted(program.ranks, "rank"), counted(program.stages, "stage"),
               counted(program.microbatches, "microbatch", "microbatches"), counted(program.instructions, "instruction"),
               ...(program.replicas > 1 ? [`${program.replicas} replicas`] : [])].join(", ")],
    ["mode", program.mode],
    ["model", data.model.map(([key, value]) => key === "model" ? value : `${key} ${value}`).join(", ")],
    ["times", (data.costs.map(([opcode, units]) => `${opcode.replaceAll("_", " ")} ${units}`).join(", ") ||
                   "everything takes nothing") + "; all else 0. Everything as early as the model allows"],
    ["step takes", data.finishes ? counted(timeText(data.makespan / data.ticksPerUnit), "unit") : "it cannot finish"],
  ];
  if (anyStreams(data))
    lines.push(["picture", "shows lanes that progress on their own; under streams any the device may run them one after " +
                           "another, and everything may happen later"]);
  if (data.idleShare !== null)
    lines.push(["bubble", `${(data.idleShare * 100).toFixed(1)}% of the ranks' time is idle`]);
  return lines;
}

function bulletList(texts) { return make("ul", {}, ...texts.map(text => make("li", {}, bdi(text)))); }

function anyStreams(data) { return data.model.some(([key, value]) => key === "streams" && value === "any"); }
