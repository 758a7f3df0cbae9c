import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { plans } from '#contracts/plans.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { Message } from '#libs/bus/port.ts';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import { createPreviews, type PreviewMessage, previewTaskOf, type TemplateToPreview } from './preview.ts';
import { renderPreview } from './render-preview.ts';

const now = new Date('2026-03-01T12:00:00Z');
const settings = { locale: 'de-AT', timeZone: 'Europe/Vienna', pdfRetentionMinutes: null };
const account = { id: 'A1', plan: 'business', overrides: {}, settings } as unknown as AccountDocument;
const template: TemplateToPreview = {
  content: '<p>{{x}}</p>',
  variables: [],
  default_options: { page_size: 'A5', footer_html: 'below' },
  data: '{"x":1}',
  options: { scale: 0.5 },
};
const taskOf = (changes: Partial<TemplateToPreview> = {}) =>
  previewTaskOf({ account, keyId: 'K1', keyType: 'test' }, { ...template, ...changes }, { id: 'P1', at: now, now });

/** Blobs in memory, the messages that were published, and a renderer that handles each at once. */
const openRenderer = (renderer: Partial<RunRenderDependencies> = {}, clock = () => now) => {
  const blobs = new Map<string, Uint8Array>();
  const published: Message[] = [];
  const replies = openPendingReplies();
  const store = {
    put: async (bytes: Uint8Array) => {
      const sha256 = hash('sha256', bytes, 'hex');
      blobs.set(sha256, bytes);
      return { sha256, size: bytes.byteLength };
    },
    get: async (sha256: string) => {
      const bytes = blobs.get(sha256);
      if (!bytes) throw new BlobNotFound(sha256);
      return bytes;
    },
    delete: async (sha256: string) => void blobs.delete(sha256),
  } as unknown as BlobStore;
  const reported: unknown[] = [];
  const dependencies = {
    blobs: store,
    replies,
    eventLog: { now: clock },
    report: (...fact: unknown[]) => reported.push(fact),
    preparation: {
      prepareTemplate: async () => ({ html: '', classification: { mode: 'static', reason: 'noScript' } }),
    },
    printer: { print: async () => ({ pdf: new Uint8Array([1]), pages: 1, warnings: [], timings: {} }) },
    ...renderer,
  } as unknown as RunRenderDependencies;
  const publish = async (message: Message): Promise<void> => {
    published.push(message);
    await renderPreview(dependencies, message.data as PreviewMessage);
  };
  return { previews: createPreviews({ publish }, replies, store), blobs, published, dependencies, reported };
};

describe('A preview', () => {
  it('has the options of the template and of the request, and the time limit of a render', () => {
    const { requested, inputs } = taskOf();
    expect(requested.options).toEqual({ page_size: 'A5', scale: 0.5 });
    expect(requested.limits.processingMs).toBe(plans.business.processingMs);
    expect(requested.headerFooter).toMatchObject({ header: null, footer: { size: 5 } });
    expect(inputs).toHaveLength(4);
  });

  it('has the locale and time zone of the account as a render has them, unless an option names them', () => {
    expect(taskOf().requested.accountDefaults).toEqual({ locale: 'de-AT', timeZone: 'Europe/Vienna' });
    const { requested } = taskOf({ options: { locale: 'fr' } });
    expect(requested.accountDefaults).toEqual({ timeZone: 'Europe/Vienna' });
  });

  it('is sent in the message if it is small, else in a blob that is deleted afterwards', async () => {
    const { previews, published, blobs } = openRenderer();
    expect(await previews.render(taskOf())).toMatchObject({ status: 'DONE', pages: 1 });
    expect(published[0]).toMatchObject({ urgent: true, data: { preview: { task: expect.any(String) } } });
    expect(await previews.render(taskOf({ content: 'x'.repeat(300_000) }))).toMatchObject({ status: 'DONE' });
    expect(published[1]).toMatchObject({ data: { preview: { blob: expect.any(String) } } });
    expect(blobs.size).toBe(0);
  });

  it('leaves no blob in the store if that responds too late', async () => {
    const { blobs, dependencies } = openRenderer();
    const put = async (bytes: Uint8Array) => {
      await dependencies.blobs.put(bytes);
      throw new Error('no response');
    };
    const store = { ...dependencies.blobs, put };
    const previews = createPreviews({ publish: async () => undefined }, dependencies.replies, store);
    await expect(previews.render(taskOf({ content: 'x'.repeat(300_000) }))).rejects.toThrow('no response');
    expect(blobs.size).toBe(0);
  });

  it('fails with an error of the service if the renderer fails, which is reported', async () => {
    const print = async () => Promise.reject(new Error('out of paper'));
    const { previews, reported } = openRenderer({ printer: { print } as never });
    await expect(previews.render(taskOf())).rejects.toMatchObject({ fields: { name: 'internal_error' } });
    expect(reported).toHaveLength(1);
  });

  it('does not blame the template if the browser crashes, because another document may be the cause', async () => {
    const print = async () => Promise.reject(new BrowserGone('It went down.'));
    const { previews } = openRenderer({ printer: { print } as never });
    await expect(previews.render(taskOf())).rejects.toMatchObject({
      fields: {
        name: 'service_unavailable',
        message: expect.stringContaining('Try again.'),
        extra: { retry_after: 1 },
      },
    });
  });

  it('is not published after its caller has got an error, and not at all while the bus is unavailable', async () => {
    const { dependencies } = openRenderer();
    const signals: (AbortSignal | undefined)[] = [];
    const bus = {
      publish: async (_: Message, signal?: AbortSignal) => {
        signals.push(signal);
        throw new Error('no response');
      },
    };
    let isUnavailable = false;
    const previews = createPreviews(bus, dependencies.replies, dependencies.blobs, () => isUnavailable);
    await expect(previews.render(taskOf())).rejects.toThrow('no response');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    isUnavailable = true;
    await expect(previews.render(taskOf())).rejects.toMatchObject({ fields: { name: 'service_unavailable' } });
    expect(signals).toHaveLength(1);
  });

  it('is left out when no caller waits any more', async () => {
    const sent: unknown[] = [];
    const replies = { wait: async () => null, send: (...reply: unknown[]) => void sent.push(reply) };
    const late = openRenderer({ replies }, () => new Date(now.getTime() + 20_000));
    const message = { preview: { task: JSON.stringify(taskOf()) } };
    expect(await renderPreview(late.dependencies, message)).toEqual({ kind: 'done' });
    expect(await renderPreview(late.dependencies, { preview: { blob: 'gone' } })).toEqual({ kind: 'done' });
    expect(sent).toEqual([]);
    const inTime = openRenderer({ replies });
    await renderPreview(inTime.dependencies, message);
    expect(sent).toHaveLength(1);
  });
});
