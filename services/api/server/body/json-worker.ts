import { parentPort } from 'node:worker_threads';
import { ApiError } from '#contracts/http/api-error.ts';
import type { JsonWorkerResponse, JsonWorkerRequest } from './json-body-reader.ts';
import { readJson } from './read-json.ts';

const responseTo = ({ id, body, wantsHash }: JsonWorkerRequest): JsonWorkerResponse => {
  try {
    return { id, body: readJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength), wantsHash) };
  } catch (error) {
    return error instanceof ApiError ? { id, error: error.fields } : { id, failure: String(error) };
  }
};

/** What is handed over instead of copied. */
const transferListOf = (answer: JsonWorkerResponse): ArrayBuffer[] =>
  'body' in answer ? [...new Set(Object.values(answer.body.longTexts).map(({ buffer }) => buffer as ArrayBuffer))] : [];

// Reads large bodies, one after the other, for the thread that started this one.
parentPort!.on('message', (question: JsonWorkerRequest) => {
  const answer = responseTo(question);
  parentPort!.postMessage(answer, transferListOf(answer));
});
