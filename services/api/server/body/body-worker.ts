import { parentPort } from 'node:worker_threads';
import { ApiError } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { BodyWorkerRequest, BodyWorkerResponse } from './body-reader.ts';
import { readBody } from './read-body.ts';

const responseTo = async ({ body, ...format }: BodyWorkerRequest): Promise<BodyWorkerResponse> => {
  try {
    return { body: await readBody(asBuffer(body), format) };
  } catch (error) {
    return error instanceof ApiError ? { error: error.fields } : { failure: String(error) };
  }
};

/** The buffers that are transferred instead of copied. */
const transferListOf = (response: BodyWorkerResponse): ArrayBuffer[] => {
  if (!('body' in response)) return [];
  const { longTexts, partTexts = [], upload } = response.body;
  const arrays = [
    ...[longTexts, ...partTexts].flatMap((texts) => Object.values(texts).flat()).filter((bytes) => bytes !== null),
    ...(upload?.assets ? [upload.assets] : []),
  ];
  return [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
};

const respond = async (request: BodyWorkerRequest): Promise<void> => {
  const response = await responseTo(request);
  parentPort!.postMessage(response, transferListOf(response));
};

parentPort!.on('message', (request: BodyWorkerRequest) => void respond(request));
