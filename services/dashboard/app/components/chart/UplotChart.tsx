import { type ReactElement, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisTimes } from './axis-times.ts';

export type ChartSeries = {
  label: string;
  values: readonly (number | null)[];
  /** A token of the style sheet without `--`. Default: accent. */
  color?: 'accent' | 'danger' | 'warning' | 'info' | 'success' | 'text-3';
  kind?: 'line' | 'bars';
};

export type ChartProps = {
  /** What the chart shows; read out with its figures as a table. */
  label: string;
  /** ISO times, or days YYYY-MM-DD; one for each value. */
  times: readonly string[];
  series: readonly ChartSeries[];
  /** In pixels. */
  height?: number;
  format?: (value: number) => string;
};

const colorOf = (element: Element, token: string): string => {
  // A canvas does not understand light-dark(), so the browser computes the colour.
  const probe = document.createElement('span');
  probe.style.color = `var(--${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

const seconds = (time: string): number => Date.parse(time) / 1000;

const withAlpha = (color: string, alpha: number): string => `color-mix(in srgb, ${color} ${alpha * 100}%, transparent)`;

/** The values without a neighbour, which no line shows. */
const loneValues = ({ data }: uPlot, index: number): number[] =>
  Array.from(data[index] ?? []).flatMap((value, at, values) =>
    typeof value === 'number' && typeof values[at - 1] !== 'number' && typeof values[at + 1] !== 'number' ? [at] : [],
  );

/** Half an interval more on both sides, so that the first and the last bar are whole. */
const paddedRange =
  (times: readonly string[]) =>
  (_: uPlot, min: number, max: number): uPlot.Range.MinMax => {
    const interval = times.length < 2 ? 3_600 : seconds(times[1]!) - seconds(times[0]!);
    return [min - interval / 2, max + interval / 2];
  };

const optionsOf = (element: Element, { times, series, height = 200, format = String }: ChartProps): uPlot.Options => {
  const text = colorOf(element, 'text-3');
  const grid = { stroke: colorOf(element, 'border'), width: 1 };
  const isDaily = times[0]?.length === 10;
  const timesOf = axisTimes(isDaily);
  const hasBars = series.some(({ kind }) => kind === 'bars');
  const bars = uPlot.paths.bars?.({ size: [0.7, 48], radius: 0.2 });
  return {
    width: element.clientWidth || 300,
    height,
    legend: { live: true },
    cursor: { y: false, points: { size: 6 } },
    hooks: { setLegend: [({ root, legend }) => root.classList.toggle('chart-idle', typeof legend.idx !== 'number')] },
    scales: {
      ...(hasBars ? { x: { range: paddedRange(times) } } : {}),
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        stroke: text,
        grid: { show: false },
        ticks: grid,
        font: '11px system-ui',
        size: 32,
        values: (_, ticks, _axis, _space, increment) => timesOf(ticks, increment),
      },
      {
        stroke: text,
        grid,
        ticks: { show: false },
        font: '11px system-ui',
        size: 56,
        values: (_, ticks) => ticks.map((tick) => format(tick)),
      },
    ],
    series: [
      {
        value: (_, at) =>
          at === null
            ? ''
            : new Date(at * 1000).toLocaleString(
                undefined,
                isDaily ? { dateStyle: 'medium', timeZone: 'UTC' } : { dateStyle: 'medium', timeStyle: 'short' },
              ),
      },
      ...series.map(({ label, color = 'accent', kind = 'line' }): uPlot.Series => {
        const stroke = colorOf(element, color);
        return {
          label,
          stroke,
          width: kind === 'bars' ? 0 : 1.75,
          fill: withAlpha(stroke, kind === 'bars' ? 0.85 : 0.1),
          points: { show: false, size: 7, fill: stroke, ...(kind === 'line' ? { filter: loneValues } : {}) },
          value: (_, value) => (value === null ? '–' : format(value)),
          ...(kind === 'bars' && bars ? { paths: bars } : {}),
        };
      }),
    ],
    ...(isDaily ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), 'UTC') } : {}),
  };
};

const Figures = ({ label, times, series, format = String }: ChartProps): ReactElement => (
  // A table alone does not become as small as this class makes it.
  <div className="visually-hidden">
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <td />
          {series.map((one) => (
            <th key={one.label} scope="col">
              {one.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, index) => (
          <tr key={time}>
            <th scope="row">{time}</th>
            {series.map((one) => (
              <td key={one.label}>{one.values[index] === null ? '–' : format(one.values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

export const UplotChart = (props: ChartProps): ReactElement => {
  const frame = useRef<HTMLDivElement>(null);
  const pointer = useRef({ left: -1, top: -1 });
  useEffect(() => {
    const element = frame.current!;
    const colors = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => window.matchMedia(query));
    const data = [props.times.map(seconds), ...props.series.map(({ values }) => [...values])] as uPlot.AlignedData;
    // New figures do not take away those that the reader points at.
    const draw = (): uPlot => {
      const options = optionsOf(element, props);
      const ready = (drawn: uPlot): void => drawn.setCursor(pointer.current);
      return new uPlot({ ...options, hooks: { ...options.hooks, ready: [ready] } }, data, element);
    };
    const remove = (): void => {
      const { left = -1, top = -1 } = chart.cursor;
      pointer.current = { left, top };
      chart.destroy();
    };
    let chart = draw();
    const redraw = (): void => {
      remove();
      chart = draw();
    };
    for (const query of colors) query.addEventListener('change', redraw);
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== chart.width && element.clientWidth > 0)
        chart.setSize({ width: element.clientWidth, height: props.height ?? 200 });
    });
    observer.observe(element);
    return () => {
      for (const query of colors) query.removeEventListener('change', redraw);
      observer.disconnect();
      remove();
    };
  }, [props.times, props.series, props.height]);
  return (
    <figure aria-label={props.label}>
      <div ref={frame} aria-hidden="true" />
      <Figures {...props} />
    </figure>
  );
};
