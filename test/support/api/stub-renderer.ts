import { bareId, streams } from '#contracts/names.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRender } from '#application/renders/run-render.ts';
import { verifyPdf } from '#application/renders/verify-pdf.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { waitUntil } from '../wait-until.ts';
import type { InProcessApi } from './in-process-api.ts';

type Preparation = RunRenderDependencies['preparation'];
type Print = RunRenderDependencies['printer']['print'];

export const stubPrint: Print = async () => ({
  pdf: Buffer.from('%PDF-1.7'),
  pages: 1,
  engine: 'none',
  warnings: [],
  timings: { waitMs: 0, loadMs: 0, printMs: 0 },
});

const configured: InstallationSecrets = { current: Buffer.alloc(32), previous: [] };

const dependenciesOf = (
  { eventLog, engines }: InProcessApi,
  print: Print,
  secrets: InstallationSecrets,
): RunRenderDependencies => {
  const prepare: Preparation['prepare'] = async () => ({
    html: '',
    classification: scriptFreeClassification,
  });
  const finishPdf: Preparation['finishPdf'] = async ({ pdf }) => pdf;
  return {
    eventLog,
    blobs: engines.blobs,
    outputs: engines.blobs,
    secrets,
    worker: 'tests',
    replies: { wait: async () => null, send: () => undefined },
    report: () => undefined,
    preparation: { prepare, finishPdf } as Partial<Preparation> as Preparation,
    printer: { print } as RunRenderDependencies['printer'],
  } satisfies RunRenderDependencies;
};

/** Runs all attempts of an accepted render, with `print` in place of a browser. Returns its stream. */
export const renderJob = async (
  api: InProcessApi,
  jobId: string,
  print: Print = stubPrint,
  secrets = configured,
): Promise<string> => {
  const stream = streams.render(bareId('job', jobId)!);
  const dependencies = dependenciesOf(api, print, secrets);
  for (let attempt = 0; attempt < 3; attempt += 1) await runRender(dependencies, stream, attempt + 1);
  return stream;
};

/** Answers the next request for a verification of a render (`render_<id>`), with `print` in place of a browser. */
export const verifyNext = async (
  api: InProcessApi,
  renderId: string,
  print: Print = stubPrint,
  secrets = configured,
): Promise<void> => {
  const stream = streams.render(bareId('render', renderId)!);
  const isRequested = async (): Promise<boolean> =>
    (await api.eventLog.store.read(stream)).at(-1)?.type === 'VerificationRequested';
  await waitUntil('a request for a verification', isRequested);
  await verifyPdf(dependenciesOf(api, print, secrets), stream, 1);
};
