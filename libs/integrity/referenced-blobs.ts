import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/render.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

type RenderRequestedData = EventData['RenderRequested'];

/** Collects the blobs that the events of the log refer to. */
export type ReferencedBlobs = {
  /** Must be called for every valid event, in the order of the log. */
  addEvent(event: RecordedEvent): void;
  /** The hashes of the blobs that must exist at `now`. A PDF that has expired may be erased at any time. */
  hashesAt(now: Date): Set<string>;
};

const inputBlobsOf = ({ source, headerFooter }: RenderRequestedData): (BlobRef | null)[] => [
  ...(source.mode === 'CONVERT' ? [source.input] : [source.content, source.data, source.settings]),
  headerFooter.header,
  headerFooter.footer,
];

/** Temporary blobs belong to a render or its webhook delivery, which have the same id. All others are permanent. */
export const createReferencedBlobs = (): ReferencedBlobs => {
  const permanent = new Set<string>();
  /** By `<id>/<hash>`. `until` is null when only an event ends it. */
  const temporary = new Map<string, { sha256: string; until: string | null }>();

  const keep = (...refs: readonly (BlobRef | null)[]): void => refs.forEach((ref) => ref && permanent.add(ref.sha256));
  const keepFor = (id: string, ref: BlobRef | null, until: string | null): void =>
    void (ref && temporary.set(`${id}/${ref.sha256}`, { sha256: ref.sha256, until }));
  const end = (id: string, sha256: string): void => void temporary.delete(`${id}/${sha256}`);

  const applyEvent = (id: string, event: RecordedEvent): void => {
    switch (event.type) {
      case 'RenderRequested':
        keep(...inputBlobsOf(event.data));
        if (event.data.responseMode.kind === 'webhook') keepFor(id, event.data.responseMode.sealed, null);
        return;
      case 'RenderCompleted':
        if (event.data.keptUntil !== null) keepFor(id, event.data.pdf, event.data.keptUntil);
        return;
      case 'PdfErased':
      case 'WebhookTargetErased':
        return end(id, event.data.sha256);
      case 'RenderDiagnosed':
        return keep(event.data.diagnosis);
      case 'DeliveryRequested':
        keep(event.data.payload);
        return keepFor(id, event.data.sealed, null);
      case 'RedeliveryRequested':
        return keepFor(id, event.data.target?.sealed ?? null, null);
      case 'TemplateCreated':
      case 'TemplateVersioned':
        return keep(event.data.body.content, event.data.body.settings);
      default:
    }
  };

  return {
    addEvent: (event) => applyEvent(idOfStream(event.stream), event),
    hashesAt: (now) =>
      new Set([
        ...permanent,
        ...[...temporary.values()].flatMap(({ sha256, until }) =>
          until === null || new Date(until) > now ? sha256 : [],
        ),
      ]),
  };
};

export type BlobProblem = { sha256: string; problem: string };

const maxConcurrentReads = 8;

/** What is wrong with a blob, or null. Its bytes must have the hash in its name. */
const findBlobProblem = async (blobs: Pick<BlobStore, 'get' | 'has'>, sha256: string): Promise<string | null> => {
  try {
    await blobs.get(sha256);
    return null;
  } catch (error) {
    if (!(error instanceof BlobNotFound)) return `cannot be read: ${(error as Error).message}`;
    return (await blobs.has(sha256)) ? 'is damaged: its bytes do not have this hash' : 'is missing';
  }
};

/** Reads all these blobs, a few at the same time. */
export const checkBlobs = async (
  blobs: Pick<BlobStore, 'get' | 'has'>,
  hashes: Iterable<string>,
): Promise<{ checked: number; problems: BlobProblem[] }> => {
  const problems: BlobProblem[] = [];
  const remaining = hashes[Symbol.iterator]();
  let checked = 0;
  const work = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      const problem = await findBlobProblem(blobs, next.value);
      checked += 1;
      if (problem !== null) problems.push({ sha256: next.value, problem });
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, work));
  return { checked, problems };
};
