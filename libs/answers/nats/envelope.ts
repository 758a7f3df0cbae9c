import type { Answer } from '../port.ts';

/** Where the PDF is fetched that was too large for the message: each part under `<from>.<number>`, counted from 0. */
export type Parts = { from: string; count: number };

type Head = { answer: Omit<Extract<Answer, { status: 'DONE' }>, 'pdf'> | Extract<Answer, { status: 'FAILED' }>; parts?: Parts };

const separator = '\n';

/** The first line is JSON, the rest is the PDF, unless it comes in parts. */
export const packed = (answer: Answer, parts?: Parts): Uint8Array => {
  const head = (rest: Head['answer']): Buffer => Buffer.from(JSON.stringify({ answer: rest, ...(parts ? { parts } : {}) } satisfies Head) + separator);
  if (answer.status === 'FAILED') return head(answer);
  const { pdf, ...rest } = answer;
  return parts ? head(rest) : Buffer.concat([head(rest), pdf]);
};

/** The answer, its PDF empty where it comes in parts. */
export const unpacked = (bytes: Uint8Array): { answer: Answer; parts: Parts | null } => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(separator);
  const { answer, parts } = JSON.parse(buffer.subarray(0, end).toString()) as Head;
  return { answer: answer.status === 'FAILED' ? answer : { ...answer, pdf: buffer.subarray(end + separator.length) }, parts: parts ?? null };
};
