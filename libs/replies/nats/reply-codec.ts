import type { RenderReply } from '../port.ts';

/** Where to fetch files that are too large for one message: each chunk under `<subjectPrefix>.<number>`, from 0. */
export type Chunks = { subjectPrefix: string; count: number };

type CompletedReply = Extract<RenderReply, { status: 'DONE' }>;
type ReplyHeader = {
  reply: Omit<CompletedReply, 'pdf' | 'thumbnail'> | Extract<RenderReply, { status: 'FAILED' }>;
  /** The size of the thumbnail at the end of the files, if there is one. */
  thumbnailBytes?: number;
  chunks?: Chunks;
};

const separator = '\n';

/** The files of a reply, one after the other: the PDF, then the thumbnail. */
export const filesOf = ({ pdf, thumbnail }: CompletedReply): Uint8Array =>
  thumbnail ? Buffer.concat([pdf, thumbnail]) : pdf;

/** The first line is JSON, the rest is the files, unless they are sent in chunks. */
export const encodeReply = (reply: RenderReply, chunks?: Chunks): Uint8Array => {
  const encodeHeader = (header: ReplyHeader): Buffer =>
    Buffer.from(JSON.stringify({ ...header, ...(chunks ? { chunks } : {}) }) + separator);
  if (reply.status === 'FAILED') return encodeHeader({ reply });
  const { pdf: _pdf, thumbnail, ...withoutFiles } = reply;
  const header = encodeHeader({
    reply: withoutFiles,
    ...(thumbnail ? { thumbnailBytes: thumbnail.byteLength } : {}),
  });
  return chunks ? header : Buffer.concat([header, filesOf(reply)]);
};

/** A received reply. With `chunks`, its files must be fetched first. */
export type ReceivedReply = { chunks: Chunks | null; replyWith: (fetched?: Uint8Array) => RenderReply };

export const decodeReply = (bytes: Uint8Array): ReceivedReply => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(separator);
  const { reply, chunks, thumbnailBytes = 0 } = JSON.parse(buffer.subarray(0, end).toString()) as ReplyHeader;
  return {
    chunks: chunks ?? null,
    replyWith: (files = buffer.subarray(end + separator.length)) => {
      if (reply.status === 'FAILED') return reply;
      const pdfBytes = files.byteLength - thumbnailBytes;
      return {
        ...reply,
        pdf: files.subarray(0, pdfBytes),
        ...(thumbnailBytes > 0 ? { thumbnail: files.subarray(pdfBytes) } : {}),
      };
    },
  };
};
