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

/** The buffers that are transferred instead of copied. */
const transferListOf = (response: JsonWorkerResponse): ArrayBuffer[] =>
  'body' in response
    ? [...new Set(Object.values(response.body.longTexts).map(({ buffer }) => buffer as ArrayBuffer))]
    : [];

parentPort!.on('message', (request: JsonWorkerRequest) => {
  const response = responseTo(request);
  parentPort!.postMessage(response, transferListOf(response));
});
