/** A line of a plot. */
export interface PlotLine {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What a plot shows; both axes are linear and start at 0. */
export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly PlotLine[];
}

const [WIDTH, HEIGHT] = [720, 420];
const MARGIN = { top: 40, right: 150, bottom: 50, left: 60 };
const COLOURS = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#9d755d', '#72b7b2', '#e45756', '#bab0ac'];

/** @returns an SVG document */
export function renderPlot({ title, xLabel, yLabel, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  const xEnd = niceCeiling(points.reduce((end, [x]) => Math.max(end, x), 0));
  const yEnd = niceCeiling(points.reduce((end, [, y]) => Math.max(end, y), 0));
  const left = (x: number) => MARGIN.left + (x / xEnd) * (WIDTH - MARGIN.left - MARGIN.right);
  const top = (y: number) => HEIGHT - MARGIN.bottom - (y / yEnd) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(MARGIN.left, 24, title, 'font-size="15"'),
    ...ticks.map((tick) => grid(left(tick * xEnd), top(0), left(tick * xEnd), top(yEnd))),
    ...ticks.map((tick) => grid(left(0), top(tick * yEnd), left(xEnd), top(tick * yEnd))),
    ...ticks.map((tick) => text(left(tick * xEnd), top(0) + 18, round(tick * xEnd), 'text-anchor="middle"')),
    ...ticks.map((tick) => text(left(0) - 8, top(tick * yEnd) + 4, round(tick * yEnd), 'text-anchor="end"')),
    text((left(0) + left(xEnd)) / 2, HEIGHT - 12, xLabel, 'text-anchor="middle"'),
    text(16, top(yEnd / 2), yLabel, `text-anchor="middle" transform="rotate(-90 16 ${top(yEnd / 2)})"`),
    ...lines.flatMap((line, index) => {
      const colour = COLOURS[index % COLOURS.length]!;
      const path = line.points.map(([x, y]) => `${left(x).toFixed(1)},${top(y).toFixed(1)}`).join(' ');
      const key = MARGIN.top + 18 * index + 8;
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${path}"/>`,
        `<rect x="${left(xEnd) + 14}" y="${key - 4}" width="14" height="4" fill="${colour}"/>`,
        text(left(xEnd) + 34, key + 3, line.name),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function grid(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#ddd"/>`;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  const escaped = content.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The next 1, 2, 4, 5 or 8 times a power of ten. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * power).find((end) => end >= value * (1 - 1e-9))!;
}
