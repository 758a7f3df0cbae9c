import type { RenderReply } from '../port.ts';

/** Where the PDF is fetched that was too large for the message: each part under `<from>.<number>`, counted from 0. */
export type Chunks = { subjectPrefix: string; count: number };

type ReplyHeader = {
  reply: Omit<Extract<RenderReply, { status: 'DONE' }>, 'pdf'> | Extract<RenderReply, { status: 'FAILED' }>;
  chunks?: Chunks;
};

const separator = '\n';

/** The first line is JSON, the rest is the PDF, unless it comes in parts. */
export const encodeReply = (answer: RenderReply, parts?: Chunks): Uint8Array => {
  const head = (rest: ReplyHeader['reply']): Buffer =>
    Buffer.from(JSON.stringify({ reply: rest, ...(parts ? { chunks: parts } : {}) } satisfies ReplyHeader) + separator);
  if (answer.status === 'FAILED') return head(answer);
  const { pdf, ...rest } = answer;
  return parts ? head(rest) : Buffer.concat([head(rest), pdf]);
};

/** The answer, its PDF empty where it comes in parts. */
export const decodeReply = (bytes: Uint8Array): { reply: RenderReply; chunks: Chunks | null } => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(separator);
  const { reply, chunks } = JSON.parse(buffer.subarray(0, end).toString()) as ReplyHeader;
  return {
    reply: reply.status === 'FAILED' ? reply : { ...reply, pdf: buffer.subarray(end + separator.length) },
    chunks: chunks ?? null,
  };
};
