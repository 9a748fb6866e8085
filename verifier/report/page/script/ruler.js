// Times along the top of a chart.

// Round numbers, at least `room` apart, that lie in the view.
function ticksOf(view, pixelsPerUnit, room) {
  const least = room / pixelsPerUnit;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= least * 0.999);
  const ticks = [];
  for (let k = Math.ceil(Math.max(view.from, 0) / step); k * step <= view.to && ticks.length < 1000; ++k)
    ticks.push(k * step);
  return ticks;
}
