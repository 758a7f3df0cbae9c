import { blobsOfPart, composition } from '#contracts/events/composition.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { inputBlobs } from '#libs/domain/render-inputs.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

type TemporaryBlob = { sha256: string; until: string | null };
type RenderedBlobs = { pdf: BlobRef | null; thumbnail?: BlobRef | undefined };

/** Collects the blobs that the events of the log refer to. */
export type ReferencedBlobs = {
  /** Must be called for every valid event, in the order of the log. */
  addEvent(event: RecordedEvent): void;
  /**
   * The hashes of the manifests of composed documents. The blobs of their parts must exist, too, see
   * {@link blobsOfManifests}.
   */
  manifests(): Set<string>;
  /** The hashes of the blobs of `now`. A PDF that has expired may be erased at any time. */
  hashesAt(now: Date): ReferencedHashes;
};

/** `optional`: of PDFs that were made again, which are stored after their event. That can fail. */
export type ReferencedHashes = { required: Set<string>; optional: Set<string> };

/** Temporary blobs belong to a render or its webhook delivery, which have the same id. All others are permanent. */
export const createReferencedBlobs = (): ReferencedBlobs => {
  const permanent = new Set<string>();
  const manifests = new Set<string>();
  /** By `<id>/<hash>`. `until` is null when only an event ends it. */
  const temporary = new Map<string, TemporaryBlob>();
  /** The same for PDFs that were made again. */
  const madeAgain = new Map<string, TemporaryBlob>();

  const keep = (...refs: readonly (BlobRef | null)[]): void => refs.forEach((ref) => ref && permanent.add(ref.sha256));
  const keepFor = (id: string, ref: BlobRef | null, until: string | null, all = temporary): void =>
    void (ref && all.set(`${id}/${ref.sha256}`, { sha256: ref.sha256, until }));
  const keepPdf = (id: string, rendered: RenderedBlobs, until: string | null, all = temporary): void => {
    if (until === null) return;
    keepFor(id, rendered.pdf, until, all);
    keepFor(id, rendered.thumbnail ?? null, until, all);
  };
  const end = (id: string, sha256: string): void => {
    for (const all of [temporary, madeAgain]) all.delete(`${id}/${sha256}`);
  };
  const at = (now: Date, all: typeof temporary): string[] =>
    [...all.values()].flatMap(({ sha256, until }) => (until === null || new Date(until) > now ? sha256 : []));

  const applyEvent = (id: string, event: RecordedEvent): void => {
    switch (event.type) {
      case 'RenderRequested':
        keep(...inputBlobs(event.data));
        if (event.data.source.mode === 'COMPOSE') manifests.add(event.data.source.manifest.sha256);
        if (event.data.responseMode.kind === 'webhook') keepFor(id, event.data.responseMode.sealed, null);
        if (event.data.source.mode === 'CONVERT') keepFor(id, event.data.source.page?.sealed ?? null, null);
        return;
      case 'RenderCompleted':
        return keepPdf(id, event.data, event.data.keptUntil);
      case 'PdfRegenerationEnded':
        return keepPdf(id, event.data, event.data.keptUntil, madeAgain);
      case 'PdfErased':
      case 'PageSecretsErased':
      case 'WebhookTargetErased':
        return end(id, event.data.sha256);
      case 'RenderDiagnosed':
        return keep(event.data.diagnosis);
      case 'RenderVerified':
        if (event.data.outcome.kind === 'rendered') keepPdf(id, event.data.outcome, event.data.keptUntil, madeAgain);
        return;
      case 'DeliveryRequested':
        keep(event.data.payload);
        return keepFor(id, event.data.sealed, null);
      case 'RedeliveryRequested':
        return keepFor(id, event.data.target?.sealed ?? null, null);
      case 'TemplateCreated':
      case 'TemplateVersioned':
        return keep(event.data.body.content, event.data.body.settings, event.data.body.sampleData ?? null);
      default:
    }
  };

  return {
    manifests: () => manifests,
    addEvent: (event) => applyEvent(idOfStream(event.stream), event),
    hashesAt: (now) => ({
      required: permanent.union(new Set(at(now, temporary))),
      optional: new Set(at(now, madeAgain)),
    }),
  };
};

/** The blobs of the parts of composed documents. A manifest that cannot be read is reported as a blob. */
export const blobsOfManifests = async (
  blobs: Pick<BlobStore, 'get'>,
  manifests: Iterable<string>,
): Promise<Set<string>> => {
  const hashes = new Set<string>();
  for (const manifest of manifests) {
    const bytes = await blobs.get(manifest).catch(() => null);
    if (!bytes) continue;
    const { parts } = composition.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    for (const part of parts) for (const { sha256 } of blobsOfPart(part)) hashes.add(sha256);
  }
  return hashes;
};

export type BlobProblem = { sha256: string; problem: string };

const maxConcurrentReads = 8;
const missing = 'is missing';

/** What is wrong with a blob, or null. Its bytes must have the hash in its name. */
const findBlobProblem = async (blobs: Pick<BlobStore, 'get' | 'has'>, sha256: string): Promise<string | null> => {
  try {
    await blobs.get(sha256);
    return null;
  } catch (error) {
    if (!(error instanceof BlobNotFound)) return `cannot be read: ${(error as Error).message}`;
    return (await blobs.has(sha256)) ? 'is damaged: its bytes do not have this hash' : missing;
  }
};

/** Reads all these blobs, a few at the same time. Optional ones may be missing, but not damaged. */
export const checkBlobs = async (
  blobs: Pick<BlobStore, 'get' | 'has'>,
  { required, optional }: ReferencedHashes,
): Promise<{ checked: number; problems: BlobProblem[] }> => {
  const problems: BlobProblem[] = [];
  const remaining = required.union(optional).values();
  let checked = 0;
  const work = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      const problem = await findBlobProblem(blobs, next.value);
      checked += 1;
      if (problem !== null && (problem !== missing || required.has(next.value)))
        problems.push({ sha256: next.value, problem });
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, work));
  return { checked, problems };
};
