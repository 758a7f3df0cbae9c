import { bareId, streams } from '#contracts/names.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRender } from '#application/renders/run-render.ts';
import type { InProcessApi } from './in-process-api.ts';

type Print = RunRenderDependencies['printer']['print'];

export const stubPrint: Print = async () => ({
  pdf: Buffer.from('%PDF-1.7'),
  pages: 1,
  browserVersion: 'none',
  warnings: [],
  timings: { waitMs: 0, loadMs: 0, printMs: 0 },
});

/** Runs all attempts of an accepted render, with `print` in place of a browser. Returns its stream. */
export const renderJob = async (
  { eventLog, engines }: InProcessApi,
  jobId: string,
  print: Print = stubPrint,
): Promise<string> => {
  const stream = streams.render(bareId('job', jobId)!);
  const prepare: RunRenderDependencies['preparation']['prepare'] = async () => ({
    html: '',
    classification: scriptFreeClassification,
  });
  const dependencies = {
    eventLog,
    blobs: engines.blobs,
    worker: 'tests',
    replies: { wait: async () => null, send: () => undefined },
    report: () => undefined,
    preparation: { prepare } as RunRenderDependencies['preparation'],
    printer: { print } as RunRenderDependencies['printer'],
  } satisfies RunRenderDependencies;
  for (let attempt = 0; attempt < 3; attempt += 1) await runRender(dependencies, stream, attempt + 1);
  return stream;
};
