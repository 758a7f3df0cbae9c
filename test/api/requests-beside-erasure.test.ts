import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfStream } from '#contracts/names.ts';
import { plans } from '#contracts/plans.ts';
import { getDiagnostics } from '#application/renders/diagnostics.ts';
import { verifyRender } from '#application/renders/verification.ts';
import { loadAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { render } from '#libs/domain/render.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('pro'))).secret;
});
afterAll(() => api.closeAndRemove());

const afterExpiry = new Date('2026-05-21');
const cause = newCause({ kind: 'service', name: 'tests' }, null);

/** Another process appends to the stream right before the next append to it. */
const appendBefore = (stream: string, append: () => Promise<unknown>): void => {
  const { store } = api.engines;
  const appendHere = store.append.bind(store);
  store.append = async (to, ...given) => {
    if (to === stream) {
      store.append = appendHere;
      await append();
    }
    return appendHere(to, ...given);
  };
};

const estimator = { estimate: async () => ({ waitMs: 0, workMs: 0, pendingRenders: 0 }) };
/** No worker runs, so no caller waits for a result. */
const signal = AbortSignal.abort();

const requests: [what: string, type: string, request: (id: string) => Promise<unknown>][] = [
  [
    'A diagnosis',
    'DiagnosisRequested',
    (id) => getDiagnostics({ eventLog: api.eventLog, blobs: api.engines.blobs, estimator }, id, cause, signal),
  ],
  [
    'A verification',
    'VerificationRequested',
    (id) =>
      verifyRender({ eventLog: api.eventLog, inputs: api.engines.blobs, estimator }, id, {
        keepPdf: false,
        limits: plans.pro,
        cause,
        signal,
      }).catch((error: unknown) => expect(String(error)).toContain('was not verified in time')),
  ],
];

const finishedJob = async (): Promise<string> => {
  const { body } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
  return renderJob(api, body.job_id!);
};
const typesIn = async (stream: string): Promise<string[]> =>
  (await api.engines.store.read(stream)).map(({ type }) => type);

describe.each(requests)('%s', (_, type, request) => {
  it('is requested although the PDF is erased at the same moment', async () => {
    const stream = await finishedJob();
    const erase = async (): Promise<unknown> => {
      const { aggregate } = await loadAggregate(api.eventLog, render, stream);
      return aggregate.execute({ type: 'erasePdf', now: afterExpiry }, cause);
    };
    appendBefore(stream, erase);
    await request(idOfStream(stream));
    expect((await typesIn(stream)).slice(-2)).toEqual(['PdfErased', type]);
  });

  it('is requested once by two callers at the same moment', async () => {
    const stream = await finishedJob();
    appendBefore(stream, () => request(idOfStream(stream)));
    await request(idOfStream(stream));
    expect((await typesIn(stream)).filter((one) => one === type)).toEqual([type]);
  });
});
