import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/render.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

type RenderRequestedData = EventData['RenderRequested'];

/** What the event log promises that the blob store has. */
export type ReferencedBlobs = {
  /** To be told of every event, in the order of the log. Events that are not valid must be left out. */
  addEvent(event: RecordedEvent): void;
  /** The hashes, each once, as of `now`: a PDF whose time is over may be erased at any moment. */
  hashesAt(now: Date): Set<string>;
};

const inputBlobsOf = ({ source, headerFooter }: RenderRequestedData): (BlobRef | null)[] => [
  ...(source.mode === 'CONVERT' ? [source.input] : [source.content, source.data, source.settings]),
  headerFooter.header,
  headerFooter.footer,
];

/** Blobs that are kept for a time belong to a render or its delivery, which have one id; all others are kept for ever. */
export const createReferencedBlobs = (): ReferencedBlobs => {
  const lasting = new Set<string>();
  /** Until when by place; null where only an event ends it. */
  const passing = new Map<string, { sha256: string; until: string | null }>();

  const keep = (...refs: readonly (BlobRef | null)[]): void => refs.forEach((ref) => ref && lasting.add(ref.sha256));
  const keepFor = (id: string, ref: BlobRef | null, until: string | null): void =>
    void (ref && passing.set(`${id}/${ref.sha256}`, { sha256: ref.sha256, until }));
  const end = (id: string, sha256: string): void => void passing.delete(`${id}/${sha256}`);

  const note = (id: string, event: RecordedEvent): void => {
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
    addEvent: (event) => note(idOfStream(event.stream), event),
    hashesAt: (now) =>
      new Set([
        ...lasting,
        ...[...passing.values()].flatMap(({ sha256, until }) =>
          until === null || new Date(until) > now ? sha256 : [],
        ),
      ]),
  };
};

export type BlobProblem = { sha256: string; problem: string };

const maxConcurrentReads = 8;

/** What keeps a blob from being read, null where nothing does: its bytes must have the hash that it is named by. */
const findBlobProblem = async (blobs: Pick<BlobStore, 'get' | 'has'>, sha256: string): Promise<string | null> => {
  try {
    await blobs.get(sha256);
    return null;
  } catch (error) {
    if (!(error instanceof BlobNotFound)) return `cannot be read: ${(error as Error).message}`;
    return (await blobs.has(sha256)) ? 'is damaged: its bytes do not have this hash' : 'is missing';
  }
};

/** Reads every one of these blobs, a few at once. */
export const checkBlobs = async (
  blobs: Pick<BlobStore, 'get' | 'has'>,
  hashes: Iterable<string>,
): Promise<{ checked: number; problems: BlobProblem[] }> => {
  const problems: BlobProblem[] = [];
  const left = hashes[Symbol.iterator]();
  let checked = 0;
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const problem = await findBlobProblem(blobs, next.value);
      checked += 1;
      if (problem !== null) problems.push({ sha256: next.value, problem });
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, work));
  return { checked, problems };
};
