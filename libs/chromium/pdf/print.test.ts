import { expect, test } from 'vitest';
import { maxResponseBytes } from '../cdp/connection.ts';
import type { Page } from '../browsers/page.ts';
import { apiErrorFieldsOf, requestFor } from '../testing/printing.ts';
import { openSimulatedPage } from '../testing/simulated-page.ts';
import { geometryOf } from './page-geometry.ts';
import { noHeaderFooterTemplates } from './parameters.ts';
import { printPage } from './print.ts';

test('a PDF of more than 100 MB is refused with its size', async () => {
  const { session, answer } = openSimulatedPage();
  const geometry = geometryOf({ width: 210, height: 297 }, { top: 20, bottom: 20, left: 15, right: 15 });
  const printing = printPage({ session } as Page, requestFor('<p>x'), noHeaderFooterTemplates, geometry);
  answer(1, { data: Buffer.alloc(maxResponseBytes, 'A').toString('latin1') });
  const { name, extra } = await apiErrorFieldsOf(printing as Promise<never>);
  expect([name, extra]).toEqual(['pdf_too_large', { max_size_mb: 100, generated_size_mb: expect.any(Number) }]);
  expect(extra['generated_size_mb']).toBeCloseTo(100, 1);
});
