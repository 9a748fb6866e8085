// An instruction, or a value in a slot, in words: [label, text] pairs.

// With the findings about it, where nothing else on the page tells them.
function describeInstruction(side, k, withFindings = true) {
  const {program} = side;
  const lines = [["does", whatItDoes(program, k)], ["time", whenItRuns(program, k)]];
  const overlapped = (side.overlaps.get(k) ?? []).filter(other => other !== k);
  if (overlapped.length > 0)
    lines.push(["overlaps with", overlapped.map(other => program.nameOf(other)).join(", ")]);
  const partner = program.partner[k];
  if (partner >= 0)
    lines.push([side.looks.shapeOf[program.opcode[k]] === "receive" ? "from" : "to", program.fullNameOf(partner)]);
  else if (program.peer[k] >= 0)
    lines.push(["peer", `rank ${program.peer[k]}`]);
  const touched = program.accessesOf(k);
  for (const [label, writes] of [["reads", false], ["writes", true]])
    for (const access of touched.filter(a => a.writes === writes))
      lines.push([label, `${access.slotText}: ${access.value}`]);
  const waits = [...program.waitsOf(k)];
  if (waits.length > 0)
    lines.push(["waits for", waits.slice(0, 4).map(w => program.nameOf(w)).join(", ") +
        (waits.length > 4 ? ` and ${waits.length - 4} more` : "")]);
  if (program.placeOf(k))
    lines.push(["place", program.placeOf(k)]);
  for (const finding of withFindings ? side.findingsAt.get(k) ?? [] : [])
    lines.push([finding.severity, `${finding.number}. ${finding.rule}: ${finding.message}`]);
  if (side.twins && side.twins[k] < 0)
    lines.push(["only", side.isNext ? "in the new schedule" : "in the base"]);
  return lines;
}

function whatItDoes(program, k) {
  const parts = [program.opcodeName(k).replaceAll("_", " "), `rank ${program.rank[k]}`];
  if (program.stage[k] >= 0)
    parts.push(program.stageText(program.stage[k]));
  if (program.microbatch[k] >= 0)
    parts.push(`microbatch ${program.microbatch[k]}`);
  return parts.join(", ");
}

function whenItRuns(program, k) {
  const begin = timeText(program.begin[k]);
  if (program.fate[k] === Fate.never)
    return "never begins";
  if (program.fate[k] === Fate.stuck)
    return `begins at ${begin} and never ends`;
  const takes = program.takes[k];
  return takes === 0 ? `at ${begin}, takes no time` : `${begin} to ${timeText(program.begin[k] + takes)} (${timeText(takes)})`;
}

function describeLife(side, lives, l) {
  const {program} = side;
  const [birth, last] = [program.lifeBirth[l], program.lifeLast[l]];
  const lines = [
    ["holds", lives.valueOf(l)],
    ["time", lives.isOpen(l) ? `from ${timeText(lives.from[l])}, never freed`
                             : `${timeText(lives.from[l])} to ${timeText(lives.to[l])}`],
    ["written by", program.fullNameOf(birth)],
    ["last used by", program.fullNameOf(last)],
  ];
  if (lives.isLeast(l))
    lines.push(["placed", `slot ${lives.row[l]} of the least`]);
  if (lives.isWitness(l))
    lines.push(["witness", "one of the values that can live at once and make the least number"]);
  for (const finding of side.findingsOfLife.get(l) ?? [])
    lines.push([finding.severity, `${finding.number}. ${finding.rule}: ${finding.message}`]);
  if (lives.halved[l] && !side.findingsOfLife.has(l))
    lines.push(["clash", "another value is in this slot meanwhile"]);
  return lines;
}
