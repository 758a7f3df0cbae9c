import { type ReactElement, Suspense } from 'react';
import { lazyComponent } from '../api/load-code.ts';
import { Loading } from './notices.tsx';
import type { PdfViewProps } from './pdf/PdfPages.tsx';

const PdfPages = lazyComponent(() => import('./pdf/PdfPages.tsx'), 'PdfPages');

/** The pages of a PDF. The library for it is loaded when it is first shown. */
export const PdfView = (props: PdfViewProps): ReactElement => (
  <Suspense fallback={<Loading />}>
    <PdfPages {...props} />
  </Suspense>
);
