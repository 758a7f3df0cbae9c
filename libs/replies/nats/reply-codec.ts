import type { RenderReply } from '../port.ts';

/** Where to fetch a PDF that is too large for one message: each chunk under `<subjectPrefix>.<number>`, from 0. */
export type Chunks = { subjectPrefix: string; count: number };

type ReplyHeader = {
  reply: Omit<Extract<RenderReply, { status: 'DONE' }>, 'pdf'> | Extract<RenderReply, { status: 'FAILED' }>;
  chunks?: Chunks;
};

const separator = '\n';

/** The first line is JSON, the rest is the PDF, unless it is sent in chunks. */
export const encodeReply = (reply: RenderReply, chunks?: Chunks): Uint8Array => {
  const encodeHeader = (replyHeader: ReplyHeader['reply']): Buffer => {
    const header: ReplyHeader = { reply: replyHeader, ...(chunks ? { chunks } : {}) };
    return Buffer.from(JSON.stringify(header) + separator);
  };
  if (reply.status === 'FAILED') return encodeHeader(reply);
  const { pdf, ...withoutPdf } = reply;
  return chunks ? encodeHeader(withoutPdf) : Buffer.concat([encodeHeader(withoutPdf), pdf]);
};

/** The reply. Its PDF is empty when it is sent in chunks. */
export const decodeReply = (bytes: Uint8Array): { reply: RenderReply; chunks: Chunks | null } => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(separator);
  const { reply, chunks } = JSON.parse(buffer.subarray(0, end).toString()) as ReplyHeader;
  return {
    reply: reply.status === 'FAILED' ? reply : { ...reply, pdf: buffer.subarray(end + separator.length) },
    chunks: chunks ?? null,
  };
};
