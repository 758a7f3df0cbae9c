import { parentPort } from 'node:worker_threads';
import { Problem } from '#contracts/http/problem.ts';
import type { ThreadAnswer, ThreadQuestion } from './json-bodies.ts';
import { readJson } from './read-json.ts';

const answerTo = ({ id, body, wantsHash }: ThreadQuestion): ThreadAnswer => {
  try {
    return { id, body: readJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength), wantsHash) };
  } catch (error) {
    return error instanceof Problem ? { id, fault: error.fault } : { id, failure: String(error) };
  }
};

/** What is handed over instead of copied. */
const buffersOf = (answer: ThreadAnswer): ArrayBuffer[] =>
  'body' in answer ? [...new Set(Object.values(answer.body.written).map(({ buffer }) => buffer as ArrayBuffer))] : [];

// Reads large bodies, one after the other, for the thread that started this one.
parentPort!.on('message', (question: ThreadQuestion) => {
  const answer = answerTo(question);
  parentPort!.postMessage(answer, buffersOf(answer));
});
