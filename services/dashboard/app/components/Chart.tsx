import { type ReactElement, Suspense } from 'react';
import { lazyComponent } from '../api/load-code.ts';
import type { ChartProps, ChartSeries } from './chart/UplotChart.tsx';
import { Loading } from './notices.tsx';

export type { ChartProps, ChartSeries };

const UplotChart = lazyComponent(() => import('./chart/UplotChart.tsx'), 'UplotChart');

/** A chart over time. Its library is loaded when the first chart is shown. The content below does not move then. */
export const Chart = (props: ChartProps): ReactElement => (
  <div className="chart" style={{ minHeight: `calc(${props.height ?? 200}px + var(--legend-height))` }}>
    <Suspense fallback={<Loading />}>
      <UplotChart {...props} />
    </Suspense>
  </div>
);
