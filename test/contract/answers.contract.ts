import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer, Answers } from '#libs/answers/port.ts';
import { type Cases, describeContract } from './harness.ts';

/** `waiting` is where answers are waited for, `giving` where they are given: the same, or another process's. */
export type OpenedAnswers = {
  waiting: Answers;
  giving: Answers;
  /** Resolves when whoever gives an answer now reaches those who wait. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

const never = new AbortController().signal;

/** Bytes that no text is made of, and that differ from place to place. */
const pattern = Uint8Array.from({ length: 65_521 }, (_, at) => (at * 7 + (at >> 8) * 13) % 256);
const pdfOf = (size: number): Uint8Array => Buffer.alloc(size, pattern);
const done = (size = 50_000): Extract<Answer, { status: 'DONE' }> => ({ status: 'DONE', pdf: pdfOf(size), pages: 2, durationMs: 12.5 });
const failed: Answer = { status: 'FAILED', fault: { name: 'invalid_html', message: 'Line\nbreak, "é" and 👩🏽‍🚀', extra: { line: 3, details: null } } };

const expectSame = (got: Answer | null, sent: Answer): void => {
  if (sent.status === 'FAILED') return expect(got).toEqual(sent);
  const { pdf, ...rest } = got as Extract<Answer, { status: 'DONE' }>;
  expect(rest).toEqual({ status: 'DONE', pages: sent.pages, durationMs: sent.durationMs });
  expect(Buffer.compare(pdf, sent.pdf)).toBe(0);
};

const cases: Cases<OpenedAnswers> = {
  'a PDF comes to whoever waits for it, byte for byte': async ({ waiting, giving, settled }) => {
    const answer = waiting.wait('a', never);
    await settled();
    giving.give('a', done());
    expectSame(await answer, done());
  },

  'a failure comes as it was given': async ({ waiting, giving, settled }) => {
    const answer = waiting.wait('a', never);
    await settled();
    giving.give('a', failed);
    expect(await answer).toEqual(failed);
  },

  'an empty PDF is an answer, too': async ({ waiting, giving, settled }) => {
    const answer = waiting.wait('a', never);
    await settled();
    giving.give('a', done(0));
    expectSame(await answer, done(0));
  },

  'a PDF of fifty megabytes comes in full': async ({ waiting, giving, settled }) => {
    const large = done(50 * 1024 * 1024);
    const answer = waiting.wait('a', never);
    await settled();
    giving.give('a', large);
    expectSame(await answer, large);
  },

  'several large ones at once do not get into each other': async ({ waiting, giving, settled }) => {
    const sizes = [3_000_000, 4_000_001, 5_000_003];
    const answers = sizes.map((size) => waiting.wait(String(size), never));
    await settled();
    for (const size of sizes) giving.give(String(size), done(size));
    for (const [index, size] of sizes.entries()) expectSame((await answers[index])!, done(size));
  },

  'a PDF of any size comes in full': async ({ waiting, giving, settled }) => {
    const size = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1_040_000, max: 1_050_000 }), fc.integer({ min: 2_000_000, max: 2_200_000 }));
    let number = 0;
    await fc.assert(
      fc.asyncProperty(size, async (bytes) => {
        const id = `any${(number += 1)}`;
        const answer = waiting.wait(id, never);
        await settled();
        giving.give(id, done(bytes));
        expectSame(await answer, done(bytes));
      }),
      { numRuns: 15 },
    );
  },

  'all who wait for the same render get its answer, a large one included': async ({ waiting, giving, settled }) => {
    for (const size of [10, 3_000_000]) {
      const answers = [waiting.wait('a', never), waiting.wait('a', never), waiting.wait('a', never)];
      await settled();
      giving.give('a', done(size));
      for (const answer of await Promise.all(answers)) expectSame(answer, done(size));
    }
  },

  'each gets the answer of its own render, whatever the order': async ({ waiting, giving, settled }) => {
    const ids = Array.from({ length: 50 }, (_, number) => `render${number}`);
    const answers = ids.map((id) => waiting.wait(id, never));
    await settled();
    for (const [index, id] of ids.toReversed().entries()) giving.give(id, { ...done(100), pages: 49 - index });
    const pages = (await Promise.all(answers)).map((answer) => (answer as { pages: number }).pages);
    expect(pages).toEqual(ids.map((_, number) => number));
  },

  'who no longer wants to wait gets null, and the others still get the answer': async ({ waiting, giving, settled }) => {
    const abort = new AbortController();
    const [left, stayed] = [waiting.wait('a', abort.signal), waiting.wait('a', never)];
    await settled();
    abort.abort();
    expect(await left).toBeNull();
    giving.give('a', failed);
    expect(await stayed).toEqual(failed);
  },

  'who has aborted before gets null at once': async ({ waiting }) => {
    expect(await waiting.wait('a', AbortSignal.abort())).toBeNull();
  },

  'an answer that nobody takes harms nobody, and the next one comes': async ({ waiting, giving, settled }) => {
    giving.give('nobody', done());
    giving.give('nobody', done(3_000_000));
    const answer = waiting.wait('a', never);
    await settled();
    giving.give('a', failed);
    expect(await answer).toEqual(failed);
  },

  'who waits for the same render again gets the next answer': async ({ waiting, giving, settled }) => {
    for (const pages of [1, 2]) {
      const answer = waiting.wait('a', never);
      await settled();
      giving.give('a', { ...done(10), pages });
      expect(await answer).toMatchObject({ pages });
    }
  },
};

/** What every way to hand over finished renders does. */
export const describeAnswersContract = (name: string, open: () => Promise<OpenedAnswers>): void => describeContract(`${name} as answers`, open, cases);
