// What is marked on top of the lanes: findings, the search, the selection, arrows of messages and of wait-for cycles.

function drawOverlay(chart) {
  for (const [what, k] of chart.outlines)
    drawOutline(chart, what, k);
  drawPins(chart);
  const {app, side} = chart;
  const finding = app.findingOf(side);
  const inCycle = finding?.cycle.length > 0;
  const selected = app.placeOn(side, app.state.selected);
  if (selected >= 0) {
    drawFrame(chart, selected, app.ink.accent, 2.5);
    if (!inCycle)
      drawMessage(chart, selected, app.ink.accent);
  }
  if (finding)
    inCycle ? drawCycle(chart, finding) : drawRelated(chart, finding);
  const hovered = app.placeOn(side, app.state.hovered);
  if (hovered >= 0) {
    drawFrame(chart, hovered, app.ink.text, 1.5);
    drawMessage(chart, hovered, app.ink.text);
  }
}

function drawOutline(chart, what, k) {
  const {pen, app} = chart;
  const rect = chart.rectOf(k);
  if (!chart.inSight(rect))
    return;
  if (what === "stuck")
    drawStuck(chart, rect);
  else if (what === "match") {
    pen.strokeStyle = app.ink.match;
    pen.lineWidth = 2;
    pen.strokeRect(rect.x - 1, rect.y - 1, rect.width + 1, rect.height + 2);
  } else {
    pen.fillStyle = app.ink.only;
    pen.fillRect(rect.x, rect.y + rect.height - 3, Math.max(rect.width - 1, 1.5), 3);
    pen.fillRect(rect.x, rect.y, Math.max(rect.width - 1, 1.5), 1.5);
  }
}

// Open to the right: it has begun and waits for ever.
function drawStuck(chart, rect) {
  const {pen, app} = chart;
  const right = rect.x + rect.width;
  pen.strokeStyle = app.ink.error;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(right - 6, rect.y + 1);
  pen.lineTo(rect.x + 1, rect.y + 1);
  pen.lineTo(rect.x + 1, rect.y + rect.height - 1);
  pen.lineTo(right - 6, rect.y + rect.height - 1);
  pen.lineTo(right, rect.y + rect.height / 2);
  pen.lineTo(right - 6, rect.y + 1);
  pen.stroke();
}

function drawFrame(chart, k, color, width) {
  const {pen, app} = chart;
  const rect = chart.rectOf(k);
  if (!chart.inSight(rect))
    return;
  pen.lineWidth = width + 2;
  pen.strokeStyle = app.ink.surface;
  const w = Math.max(rect.width, 3);
  pen.strokeRect(rect.x - 1, rect.y - 1, w + 1, rect.height + 2);
  pen.lineWidth = width;
  pen.strokeStyle = color;
  pen.strokeRect(rect.x - 1, rect.y - 1, w + 1, rect.height + 2);
}

// From the send to the receive, whichever of them is named.
function drawMessage(chart, k, color) {
  const partner = chart.program.partner[k];
  if (partner < 0)
    return;
  const receives = chart.looks.shapeOf[chart.program.opcode[k]] === "receive";
  drawArrow(chart, receives ? partner : k, receives ? k : partner, color, 2);
  drawFrame(chart, partner, color, 1.5);
}

function centerOf(rect) {
  return [rect.x + Math.min(rect.width, 24) / 2, rect.y + rect.height / 2];
}

// A bow between two instructions with a head at the second.
function drawArrow(chart, source, target, color, width) {
  const {pen, app} = chart;
  const [x0, y0] = centerOf(chart.rectOf(source));
  const [x1, y1] = centerOf(chart.rectOf(target));
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 4)
    return;
  const bend = Math.min(length * 0.25, 40);
  const [nx, ny] = [-(y1 - y0) / length, (x1 - x0) / length];
  const [mx, my] = [(x0 + x1) / 2 - nx * bend, (y0 + y1) / 2 - ny * bend];
  for (const [stroke, size] of [[app.ink.surface, width + 3], [color, width]]) {
    pen.strokeStyle = pen.fillStyle = stroke;
    pen.lineWidth = size;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.quadraticCurveTo(mx, my, x1, y1);
    pen.stroke();
  }
  const angle = Math.atan2(y1 - my, x1 - mx);
  const head = 5 + width * 1.5;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - head * Math.cos(angle - 0.4), y1 - head * Math.sin(angle - 0.4));
  pen.lineTo(x1 - head * Math.cos(angle + 0.4), y1 - head * Math.sin(angle + 0.4));
  pen.fill();
}

// A numbered pin for each finding; where they crowd, the numbers give way.
function drawPins(chart) {
  const {app, side} = chart;
  const taken = new Map();
  const chosen = app.findingOf(side);
  const findings = side.findings.filter(finding => finding.instruction >= 0);
  for (const finding of [...findings].sort((a, b) => (b === chosen) - (a === chosen))) {
    const rect = chart.rectOf(finding.instruction);
    if (!chart.inSight(rect))
      continue;
    const x = rect.x + Math.min(rect.width, 24) / 2;
    const row = Math.round(rect.y);
    const near = (rect.strip.height < 6 && finding !== chosen) || (taken.get(row) ?? []).some(other => Math.abs(other - x) < 15);
    if (!near)
      taken.set(row, [...taken.get(row) ?? [], x]);
    drawFrame(chart, finding.instruction, severityInk(app, finding), 2);
    drawPin(chart, finding, x, rect.y - 1, near ? "" : String(finding.number), finding === chosen);
  }
}

function severityInk(app, finding) {
  return finding.severity === "error" ? app.ink.error : finding.severity === "warning" ? app.ink.warning : app.ink.muted;
}

// Errors are discs, warnings triangles.
function drawPin(chart, finding, x, y, text, chosen) {
  const {pen, app} = chart;
  const half = text === "" ? 3.5 : chosen ? 9 : 7.5;
  const top = Math.max(y - half, rulerHeight + half);
  pen.fillStyle = severityInk(app, finding);
  pen.strokeStyle = app.ink.surface;
  pen.lineWidth = 1.5;
  pen.beginPath();
  if (finding.severity === "error")
    pen.arc(x, top, half, 0, 2 * Math.PI);
  else {
    pen.moveTo(x, top - half * 1.1);
    pen.lineTo(x + half * 1.15, top + half * 0.8);
    pen.lineTo(x - half * 1.15, top + half * 0.8);
    pen.closePath();
  }
  pen.fill();
  pen.stroke();
  if (text === "")
    return;
  chart.font(text.length > 2 ? 7.5 : 9, "700");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = app.ink.onSeverity;
  pen.fillText(text, x, top + (finding.severity === "error" ? 0.5 : 1.5));
}

// A small lettered or numbered tag beside an instruction.
function drawTag(chart, k, text, color) {
  const {pen, app} = chart;
  const rect = chart.rectOf(k);
  if (!chart.inSight(rect))
    return;
  const width = 8 + 5.5 * text.length;
  const x = Math.max(rect.x - width / 2, gutterWidth);
  const y = rect.y + rect.height - 5;
  pen.fillStyle = color;
  pen.fillRect(x, y, width, 13);
  pen.fillStyle = app.ink.onSeverity;
  chart.font(9.5, "700");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, x + width / 2, y + 7);
}

// The other places a finding speaks of, lettered as in the list.
function drawRelated(chart, finding) {
  finding.related.forEach((related, index) => {
    if (related.instruction < 0)
      return;
    drawFrame(chart, related.instruction, chart.app.ink.accent, 2);
    drawTag(chart, related.instruction, letterOf(index), chart.app.ink.accent);
  });
}

function letterOf(index) {
  return index < 26 ? String.fromCharCode(97 + index) : String(index + 1);
}

// All steps as thin arrows, the one that is told as a thick one.
function drawCycle(chart, finding) {
  const {app} = chart;
  const steps = finding.cycle;
  const current = app.state.step;
  steps.forEach((step, index) => {
    const next = steps[(index + 1) % steps.length];
    if (index !== current && step.instruction >= 0 && next.instruction >= 0)
      drawArrow(chart, step.instruction, next.instruction, app.ink.muted, 1.25);
  });
  steps.forEach((step, index) => {
    if (step.instruction >= 0 && steps.length <= 60)
      drawTag(chart, step.instruction, String(index + 1), index === current ? app.ink.error : app.ink.mutedFill);
  });
  const step = steps[current];
  const next = steps[(current + 1) % steps.length];
  if (!step || step.instruction < 0 || next.instruction < 0)
    return;
  drawArrow(chart, step.instruction, next.instruction, app.ink.error, 3);
  drawFrame(chart, step.instruction, app.ink.error, 2.5);
  drawTag(chart, step.instruction, String(current + 1), app.ink.error);
}
