import { requestRaw } from './client.ts';

/** A message of a stream of server-sent events. `data` is null if it only has an id, to go on from there. */
export type StreamMessage = { id: string | null; event: string; data: object | null };

const liveEventsPath = '/api/v1/events/live';

const parse = (block: string): StreamMessage => {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valueOf = (name: string): string | null => fields.findLast((field) => field?.[1] === name)?.[2] ?? null;
  const data = JSON.parse(valueOf('data') ?? 'null') as object | null;
  return { id: valueOf('id'), event: valueOf('event') ?? 'message', data };
};

/**
 * Reads the live stream of the account to its end, from the message after `lastId` on. A fetch can send the header that
 * chooses the account; EventSource cannot. @throws ApiError
 */
export const readLiveStream = async (
  lastId: string | null,
  signal: AbortSignal,
  onMessage: (message: StreamMessage) => void,
): Promise<void> => {
  const headers = { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) };
  const { body } = await requestRaw('GET', liveEventsPath, { signal, headers });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) onMessage(parse(block));
  }
};
