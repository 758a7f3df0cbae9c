import { Transform } from 'node:stream';
import { refused } from './trouble.ts';

/** Lets bytes pass up to a limit, then fails with a refusal. */
export const meter = (maxBytes: number): Transform => {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > maxBytes) done(refused('response-too-large', `More than ${maxBytes} bytes came back.`));
      else done(null, chunk);
    },
  });
};
