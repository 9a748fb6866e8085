// The findings: a button each, in the order of the report; the chosen one shows its source, other places and cycle.

class FindingList {
  constructor(app) {
    this.app = app;
    this.items = new Map();
    const groups = groupsOf(app);
    app.listed = groups.flatMap(group => group.entries);
    this.root = make("section", {class: "findings", "aria-label": "Findings"},
                     make("h2", {}, "Findings ", make("span", {class: "count"}, countText(app))));
    app.sides.forEach(side => this.addOpenQuestions(side));
    app.sides.forEach(side => this.addCutRules(side));
    for (const group of groups)
      this.addGroup(group);
    if (app.listed.length === 0)
      this.root.append(make("p", {class: "hint"}, emptyText(app)));
    this.root.addEventListener("keydown", event => this.walk(event));
  }

  addOpenQuestions(side) {
    const {undecided} = side.data;
    if (undecided?.length > 0)
      this.root.append(make("h3", {class: "open"}, `Questions left open${ofFile(this.app, side)}`), bulletList(undecided));
  }

  addCutRules(side) {
    for (const [rule, count] of side.data.dropped ?? [])
      this.root.append(make("p", {class: "cut"}, `${count} more of ${rule} not shown${ofFile(this.app, side)}`));
  }

  addGroup({title, className, entries}) {
    if (entries.length === 0)
      return;
    if (title)
      this.root.append(make("h3", {class: className}, `${title} (${entries.length})`));
    const list = make("ol", {class: className});
    for (const entry of entries)
      list.append(this.makeItem(entry, className));
    this.root.append(list);
  }

  makeItem({side, finding, before}, className) {
    const place = placeIn(side, finding);
    const head = make("button", {type: "button", class: "finding", "aria-expanded": "false",
                                 onclick: () => this.toggle(side, finding)},
                      make("span", {class: `pin ${finding.severity}`, "aria-hidden": "true"}, String(finding.number)),
                      make("span", {class: "text"},
                           make("span", {class: "rule"}, `${finding.severity} ${finding.rule}`),
                           className ? make("span", {class: `chip ${className}`}, className) : null,
                           place ? make("span", {class: "place"}, bdi(place)) : null,
                           make("span", {class: "message"}, bdi(finding.message))));
    const more = make("div", {class: "more", hidden: true});
    this.items.set(finding, {head, more, side});
    // The same finding of the base, which can be chosen there, unfolds here.
    if (before)
      this.items.set(before, {head, more, side: this.app.sides[0]});
    return make("li", {}, head, more);
  }

  toggle(side, finding) {
    if (this.items.get(this.app.state.finding?.finding)?.head === this.items.get(finding).head)
      this.app.change({finding: null, step: 0});
    else
      this.app.chooseFinding(side, finding);
  }

  refresh() {
    const chosen = this.app.state.finding?.finding ?? null;
    if (chosen === this.chosen && this.step === this.app.state.step)
      return;
    const before = this.items.get(this.chosen);
    if (before && chosen !== this.chosen) {
      before.head.setAttribute("aria-expanded", "false");
      before.more.hidden = true;
    }
    const item = this.items.get(chosen);
    const moved = chosen !== this.chosen;
    this.chosen = chosen;
    this.step = this.app.state.step;
    if (!item)
      return;
    item.head.setAttribute("aria-expanded", "true");
    item.more.hidden = false;
    refill(item.more, this.tellMore(item.side, chosen));
    if (moved)
      item.head.parentElement.scrollIntoView({block: "nearest"});
  }

  // For paper, which shows all of every finding.
  unfoldAll(unfolded) {
    for (const {side, finding, before} of this.app.listed) {
      const shown = before && before === this.chosen ? before : finding;
      if (shown === this.chosen && shown.cycle.length === 0)
        continue; // looks the same on paper
      const item = this.items.get(shown);
      const open = unfolded || shown === this.chosen;
      item.more.hidden = !open;
      refill(item.more, open ? this.tellMore(item.side, shown) : []);
    }
  }

  tellMore(side, finding) {
    const parts = [];
    if (finding.excerpt)
      parts.push(make("pre", {}, finding.excerpt));
    if (finding.cycle.length > 0)
      parts.push(this.app.printing ? wholeCycle(finding) : cycleBox(this.app, finding));
    if (finding.related.length > 0)
      parts.push(make("ul", {class: "related"},
                      ...finding.related.map((related, index) => relatedItem(this.app, side, related, index))));
    const rule = side.data.rules[finding.rule];
    if (rule)
      parts.push(make("p", {class: "remedy"}, make("b", {}, `${rule[0]}. `), rule[1]));
    return parts;
  }

  // Up and down walk along the buttons.
  walk(event) {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const heads = [...this.root.querySelectorAll("button.finding")];
    const at = heads.indexOf(document.activeElement);
    if (!by || at < 0)
      return;
    event.preventDefault();
    event.stopPropagation();
    heads[Math.min(Math.max(at + by, 0), heads.length - 1)].focus();
  }
}

function ofFile(app, side) { return app.sides.length > 1 ? ` (${side.isNext ? "new" : "base"} file)` : ""; }

// "20 of 300" where not all are kept; of two files the same finding may be missing twice.
function countText(app) {
  const listed = app.listed.length;
  const missing = app.sides.flatMap(side => side.data.dropped ?? []).reduce((sum, [, count]) => sum + count, 0);
  if (missing === 0)
    return String(listed);
  return app.sides.length > 1 ? `${listed}, and more not shown` : `${listed} of ${listed + missing}`;
}

function emptyText(app) {
  if (app.judged.length === 0)
    return "Nothing was judged.";
  const open = app.judged.some(side => side.data.undecided.length > 0);
  return open ? "No fault was found, but not everything could be decided." : "Nothing was found.";
}

// All of one file, or of two: what is new, what stays, what is gone.
function groupsOf(app) {
  const entriesOf = (side, keep = () => true) =>
      side.findings.filter((_, index) => keep(index)).map(finding => ({side, finding}));
  if (!app.difference)
    return [{title: "", className: "", entries: entriesOf(app.sides[0])}];
  const [base, next] = app.sides;
  const added = new Set(app.difference.added);
  const fixed = new Set(app.difference.fixed);
  const beforeOf = new Map(app.difference.same.map(([before, after]) => [next.findings[after], base.findings[before]]));
  const still = entriesOf(next, index => !added.has(index)).map(
      entry => ({...entry, before: beforeOf.get(entry.finding)}));
  return [
    {title: "New", className: "new", entries: entriesOf(next, index => added.has(index))},
    {title: "Still there", className: "", entries: still},
    {title: "Fixed", className: "fixed", entries: entriesOf(base, index => fixed.has(index))},
  ];
}

// Of a place in the schedule itself the line is enough.
function placeIn(side, {file, line, column}) {
  if (line <= 0)
    return "";
  return file === side.data.file ? `line ${line}:${column}` : `${shortName(file)}:${line}:${column}`;
}

function shortName(file) { return file.slice(file.lastIndexOf("/") + 1); }

function relatedItem(app, side, related, index) {
  const place = placeIn(side, related);
  const text = make("span", {}, bdi(related.message), place ? make("span", {class: "place"}, bdi(` ${place}`)) : null);
  const letter = make("span", {class: "letter", "aria-hidden": "true"}, letterOf(index));
  const head = related.instruction < 0 ? make("p", {}, letter, text)
      : make("button", {type: "button", onclick: () => app.select(side, related.instruction)}, letter, text);
  return make("li", {}, head, related.excerpt ? make("pre", {}, related.excerpt) : null);
}

// The wait-for cycle, a step at a time.
function cycleBox(app, finding) {
  const steps = finding.cycle;
  const at = app.state.step;
  const step = steps[at];
  return make("div", {class: "cycle", role: "group", "aria-label": "Wait-for cycle"},
              make("div", {class: "steps"},
                   button("◂ previous", "Previous step of the cycle", () => app.takeStep(-1), {"data-key": "previous"}),
                   make("span", {"aria-live": "polite"}, `step ${at + 1} of ${steps.length}`),
                   button("next ▸", "Next step of the cycle", () => app.takeStep(1), {"data-key": "next"})),
              make("p", {}, bdi(step.message)), step.excerpt ? make("pre", {}, step.excerpt) : null,
              make("p", {class: "hint"}, at + 1 < steps.length ? `and that is step ${at + 2}`
                                                               : "and that is step 1 again: none of them can go on"));
}

// All its steps, for paper.
function wholeCycle(finding) {
  return make("ol", {class: "cycle"}, ...finding.cycle.map(
      step => make("li", {}, bdi(step.message), step.excerpt ? make("pre", {}, step.excerpt) : null)));
}
