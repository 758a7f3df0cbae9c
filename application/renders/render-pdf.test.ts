import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import type { PrintRequest } from '#libs/chromium/printer.ts';
import type { TaskOptions } from '#libs/documents/worker-pool.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import { renderPdf, type RenderPdfDependencies } from './render-pdf.ts';

const requestedAt = new Date('2026-01-02T03:04:05Z');
const requestOf = (change: Partial<RenderRequestedData> = {}): RenderRequestedData => ({
  accountId: 'a',
  keyId: 'k',
  keyType: 'live',
  templateTest: false,
  responseMode: { kind: 'wait' },
  options: {},
  headerFooter: { header: null, footer: null },
  source: { mode: 'CONVERT', inputType: 'html', input: { sha256: 'input', size: 1 } },
  limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: 1024 * 1024 },
  ...change,
});

/** Dependencies whose printer calls `print` and records the requests. */
const dependenciesWith = (print: (request: PrintRequest) => Promise<Uint8Array>) => {
  const asked: PrintRequest[] = [];
  const dependencies = {
    blobs: {
      get: async (sha256: string) =>
        Buffer.from(sha256 === 'logo' ? '<img src="https://example.com/logo.png">' : `<p>${sha256}</p>`),
    },
    preparation: {
      prepare: async ({ data }: { data: Uint8Array }) => ({
        html: Buffer.from(data).toString(),
        classification: scriptFreeClassification,
      }),
    },
    printer: {
      print: async (request: PrintRequest) => {
        asked.push(request);
        return {
          pdf: await print(request),
          pages: 1,
          timings: { waitMs: 1, loadMs: 2, printMs: 3 },
          warnings: [],
          engine: 'Chrome/1',
        };
      },
    },
  } as unknown as RenderPdfDependencies;
  return { dependencies, asked };
};

const small = async () => new Uint8Array(1000);

describe('Rendering a PDF', () => {
  it('has one warning of CSS that is in the document and in a style sheet that it loads', async () => {
    const { dependencies } = dependenciesWith(small);
    const { preparation, printer } = dependencies;
    const ignored = (feature: string, reason: string) => ({ kind: 'feature_ignored' as const, feature, reason });
    const [footnote, leader] = [ignored('float: footnote', 'a'), ignored('leader()', 'b')];
    const ofFooter = ignored('leader()', 'in the footer');
    const withWarnings = {
      ...dependencies,
      preparation: {
        prepare: async (...of: Parameters<typeof preparation.prepare>) => ({
          ...(await preparation.prepare(...of)),
          warnings: [footnote],
        }),
      },
      printer: {
        print: async (request: PrintRequest) => ({
          ...(await printer.print(request)),
          warnings: [leader, footnote, ofFooter],
        }),
      },
    } as unknown as RenderPdfDependencies;
    const { warnings } = await renderPdf(withWarnings, requestOf(), requestedAt);
    expect(warnings).toEqual([footnote, leader, ofFooter]);
  });

  it('uses the account, the date and the limits of the request, and the time that preparation has left', async () => {
    const { dependencies, asked } = dependenciesWith(small);
    const produced = await renderPdf(dependencies, requestOf(), requestedAt);
    expect(produced).toMatchObject({
      pages: 1,
      renderMode: 'static',
      engine: 'Chrome/1',
      durations: { waitMs: 1, loadMs: 2, printMs: 3 },
    });
    expect(asked[0]).toMatchObject({
      html: '<p>input</p>',
      group: 'a',
      requestedAt,
      classification: scriptFreeClassification,
    });
    expect(asked[0]!.limits).toMatchObject({ scriptMs: 5_000, maxPages: 100, maxImages: 50 });
    expect(asked[0]!.limits.processingMs).toBeLessThanOrEqual(30_000);
  });

  it.each([
    [20_000, 10_000],
    [40_000, 0],
  ])('does not count a wait of %i ms for a process as work, but toward the limit of waits', async (waitMs, left) => {
    const { dependencies, asked } = dependenciesWith(small);
    const waits = async (_: unknown, { onStart }: TaskOptions) => {
      clock += waitMs;
      onStart!();
      clock += 3_000;
      return { html: '<p>', classification: scriptFreeClassification };
    };
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock);
    Object.assign(dependencies.preparation, { prepare: waits });
    const { durations } = await renderPdf(dependencies, requestOf(), requestedAt).finally(() => now.mockRestore());
    expect(asked[0]!.limits).toMatchObject({ processingMs: 27_000, waitTimeoutMs: left });
    expect(durations).toMatchObject({ prepareMs: 3_000, waitMs: waitMs + 1 });
  });

  it('does not change the classification for header and footer', async () => {
    const { dependencies, asked } = dependenciesWith(small);
    await renderPdf(
      dependencies,
      requestOf({ headerFooter: { header: null, footer: { sha256: 'logo', size: 1 } } }),
      requestedAt,
    );
    expect(asked[0]).toMatchObject({
      classification: scriptFreeClassification,
      options: { header_html: null, footer_html: expect.stringContaining('logo.png') },
    });
  });

  it('parses large headers and footers in a worker, and small ones in its own process', async () => {
    const { dependencies, asked } = dependenciesWith(small);
    const terms: unknown[] = [];
    Object.assign(dependencies.preparation, {
      parseHeaderFooter: async (_: unknown, given: unknown) => (terms.push(given), { contents: ['read'] }),
    });
    Object.assign(dependencies.blobs, {
      get: async (sha256: string) => Buffer.from(sha256 === 'large' ? 'x'.repeat(10_000) : 'x'),
    });
    await renderPdf(
      dependencies,
      requestOf({ headerFooter: { header: { sha256: 'large', size: 1 }, footer: null } }),
      requestedAt,
    );
    await renderPdf(
      dependencies,
      requestOf({ headerFooter: { header: { sha256: 'small', size: 1 }, footer: null } }),
      requestedAt,
    );
    expect(asked.map(({ headerFooterContents }) => headerFooterContents)).toEqual([['read'], undefined]);
    expect(terms).toMatchObject([{ group: 'a' }]);
  });

  it('reports the size limit of the plan for a PDF above the limit of the browser', async () => {
    const { dependencies } = dependenciesWith(async () => {
      throw ApiError.of('pdf_too_large', 'Too large.', { max_size_mb: 100, generated_size_mb: 120 });
    });
    await expect(renderPdf(dependencies, requestOf(), requestedAt)).rejects.toMatchObject({
      fields: { extra: { max_size_mb: 1, generated_size_mb: 120 } },
    });
    await expect(
      renderPdf(dependencies, requestOf({ limits: { ...requestOf().limits, maxPdfBytes: null } }), requestedAt),
    ).rejects.toMatchObject({ fields: { extra: { max_size_mb: 100 } } });
  });

  it('reports the time limit of the plan, whatever was left for printing, and what to change', async () => {
    const { dependencies } = dependenciesWith(() =>
      Promise.reject(ApiError.of('processing_timeout', 'Not within 28 s.', { timeout_seconds: 28 })),
    );
    await expect(renderPdf(dependencies, requestOf(), requestedAt)).rejects.toMatchObject({
      message: expect.stringMatching(/within 30 s\. Make it smaller, or split it: large images/) as unknown,
      fields: { name: 'processing_timeout', extra: { timeout_seconds: 30 } },
    });
    const page = { url: 'https://example.com/', headers: {}, cookies: {}, sealed: null };
    const source = { ...requestOf().source, page } as ReturnType<typeof requestOf>['source'];
    await expect(renderPdf(dependencies, requestOf({ source }), requestedAt)).rejects.toMatchObject({
      message: expect.stringMatching(/within 30 s\. Its server may be slow/) as unknown,
    });
  });

  it('rejects a PDF above the size limit of the plan, and none without a limit', async () => {
    const { dependencies } = dependenciesWith(async () => new Uint8Array(3 * 1024 * 1024));
    await expect(renderPdf(dependencies, requestOf(), requestedAt)).rejects.toMatchObject({
      fields: { name: 'pdf_too_large', extra: { max_size_mb: 1, generated_size_mb: 3 } },
    });
    const limits = { ...requestOf().limits, maxPdfBytes: null };
    await expect(renderPdf(dependencies, requestOf({ limits }), requestedAt)).resolves.toMatchObject({ pages: 1 });
  });

  it('passes on other errors', async () => {
    const { dependencies } = dependenciesWith(() => Promise.reject(new Error('no browser')));
    await expect(renderPdf(dependencies, requestOf(), requestedAt)).rejects.toThrow('no browser');
  });
});
