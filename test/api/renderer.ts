import { bareId, streams } from '#contracts/names.ts';
import { nothingThatRuns } from '#libs/documents/html/classify.ts';
import { runRender, type RendererDependencies } from '#application/renders/run-render.ts';
import type { Api } from './harness.ts';

type Print = RendererDependencies['printer']['print'];

export const printing: Print = async () => ({ pdf: Buffer.from('%PDF-1.7'), pages: 1, engine: 'none', warnings: [], timings: { waitMs: 0, loadMs: 0, printMs: 0 } });

/** Takes an accepted render up as a renderer does, with `print` in place of a browser, as often as a render is tried at most. Answers with its stream. */
export const renderJob = async ({ log, engines }: Api, jobId: string, print: Print = printing): Promise<string> => {
  const stream = streams.render(bareId('job', jobId)!);
  const prepare: RendererDependencies['preparation']['prepare'] = async () => ({ html: '', classification: nothingThatRuns });
  const parts = {
    log, blobs: engines.blobs, worker: 'tests', answers: { wait: async () => null, give: () => undefined }, report: () => undefined,
    preparation: { prepare } as RendererDependencies['preparation'],
    printer: { print } as RendererDependencies['printer'],
  } satisfies RendererDependencies;
  for (let attempt = 0; attempt < 3; attempt += 1) await runRender(parts, stream, attempt + 1);
  return stream;
};
