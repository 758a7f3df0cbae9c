import fc from 'fast-check';
import { expect } from 'vitest';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { type ContractCases, describeContract } from '../support/contract/describe-contract.ts';

/** `receiver` waits for replies and `sender` sends them: the same engine, or one of another process. */
export type RepliesUnderTest = {
  receiver: RenderReplies;
  sender: RenderReplies;
  /** Resolves when a reply that is sent now reaches the waiting callers. */
  waitUntilReady(): Promise<void>;
  close(): Promise<void>;
};

const never = new AbortController().signal;

/** Bytes that are not text and differ at each offset. */
const pattern = Uint8Array.from({ length: 65_521 }, (_, at) => (at * 7 + (at >> 8) * 13) % 256);
const pdfOf = (size: number): Uint8Array => Buffer.alloc(size, pattern);
const done = (size = 50_000): Extract<RenderReply, { status: 'DONE' }> => ({
  status: 'DONE',
  pdf: pdfOf(size),
  pages: 2,
  durationMs: 12.5,
  warnings: [
    { kind: 'resource_failed', url: 'https://example.com/é.css', reason: 'Line\nbreak' },
    { kind: 'content_overflow', element: 'td', page: 3, side: 'right', overflowMm: 1.5 },
    { kind: 'content_shrunk', factor: 0.8 },
  ],
});
const failed: RenderReply = {
  status: 'FAILED',
  error: { name: 'invalid_html', message: 'Line\nbreak, "é" and 👩🏽‍🚀', extra: { line: 3, details: null } },
};

const withoutFiles = ({ pdf: _pdf, thumbnail: _thumbnail, ...rest }: Extract<RenderReply, { status: 'DONE' }>) => rest;

const expectSame = (got: RenderReply | null, sent: RenderReply): void => {
  if (sent.status === 'FAILED') return expect(got).toEqual(sent);
  const received = got as Extract<RenderReply, { status: 'DONE' }>;
  expect(withoutFiles(received)).toEqual(withoutFiles(sent));
  expect(Buffer.compare(received.pdf, sent.pdf)).toBe(0);
  expect(received.thumbnail === undefined).toBe(sent.thumbnail === undefined);
  if (sent.thumbnail) expect(Buffer.compare(received.thumbnail!, sent.thumbnail)).toBe(0);
};

const cases: ContractCases<RepliesUnderTest> = {
  'a waiting caller gets the PDF byte for byte': async ({ receiver, sender, waitUntilReady }) => {
    const answer = receiver.wait('a', never);
    await waitUntilReady();
    sender.send('a', done());
    expectSame(await answer, done());
  },

  'a waiting caller gets the error of a failed render': async ({ receiver, sender, waitUntilReady }) => {
    const answer = receiver.wait('a', never);
    await waitUntilReady();
    sender.send('a', failed);
    expect(await answer).toEqual(failed);
  },

  'an empty PDF is a reply, too': async ({ receiver, sender, waitUntilReady }) => {
    const answer = receiver.wait('a', never);
    await waitUntilReady();
    sender.send('a', done(0));
    expectSame(await answer, done(0));
  },

  'a PDF has its thumbnail, and images their type, whatever their size': async ({
    receiver,
    sender,
    waitUntilReady,
  }) => {
    const replies: [string, RenderReply][] = [
      ['small', { ...done(), thumbnail: pdfOf(20_000) }],
      ['large', { ...done(2_000_000), thumbnail: pdfOf(300_000) }],
      ['images', { ...done(), contentType: 'image/webp' }],
    ];
    const answers = replies.map(([id]) => receiver.wait(id, never));
    await waitUntilReady();
    for (const [id, reply] of replies) sender.send(id, reply);
    for (const [index, [, reply]] of replies.entries()) expectSame((await answers[index])!, reply);
  },

  'a PDF of fifty megabytes arrives completely': async ({ receiver, sender, waitUntilReady }) => {
    const large = done(50 * 1024 * 1024);
    const answer = receiver.wait('a', never);
    await waitUntilReady();
    sender.send('a', large);
    expectSame(await answer, large);
  },

  'several large PDFs in parallel do not mix': async ({ receiver, sender, waitUntilReady }) => {
    const sizes = [3_000_000, 4_000_001, 5_000_003];
    const answers = sizes.map((size) => receiver.wait(String(size), never));
    await waitUntilReady();
    for (const size of sizes) sender.send(String(size), done(size));
    for (const [index, size] of sizes.entries()) expectSame((await answers[index])!, done(size));
  },

  'a PDF of any size arrives completely': async ({ receiver, sender, waitUntilReady }) => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 1_040_000, max: 1_050_000 }),
      fc.integer({ min: 2_000_000, max: 2_200_000 }),
    );
    let number = 0;
    await fc.assert(
      fc.asyncProperty(size, async (bytes) => {
        const id = `any${(number += 1)}`;
        const answer = receiver.wait(id, never);
        await waitUntilReady();
        sender.send(id, done(bytes));
        expectSame(await answer, done(bytes));
      }),
      { numRuns: 15 },
    );
  },

  'all callers that wait for the same render get its reply, also a large one': async ({
    receiver,
    sender,
    waitUntilReady,
  }) => {
    for (const size of [10, 3_000_000]) {
      const answers = [receiver.wait('a', never), receiver.wait('a', never), receiver.wait('a', never)];
      await waitUntilReady();
      sender.send('a', done(size));
      for (const answer of await Promise.all(answers)) expectSame(answer, done(size));
    }
  },

  'each caller gets the reply of its own render, in any order': async ({ receiver, sender, waitUntilReady }) => {
    const ids = Array.from({ length: 50 }, (_, number) => `render${number}`);
    const answers = ids.map((id) => receiver.wait(id, never));
    await waitUntilReady();
    for (const [index, id] of ids.toReversed().entries()) sender.send(id, { ...done(100), pages: 49 - index });
    const pages = (await Promise.all(answers)).map((answer) => (answer as { pages: number }).pages);
    expect(pages).toEqual(ids.map((_, number) => number));
  },

  'a caller that stops waiting gets null, and the others still get the reply': async ({
    receiver,
    sender,
    waitUntilReady,
  }) => {
    const abort = new AbortController();
    const [left, stayed] = [receiver.wait('a', abort.signal), receiver.wait('a', never)];
    await waitUntilReady();
    abort.abort();
    expect(await left).toBeNull();
    sender.send('a', failed);
    expect(await stayed).toEqual(failed);
  },

  'a caller that has already aborted gets null at once': async ({ receiver }) => {
    expect(await receiver.wait('a', AbortSignal.abort())).toBeNull();
  },

  'a reply without a waiting caller does no harm, and the next reply arrives': async ({
    receiver,
    sender,
    waitUntilReady,
  }) => {
    sender.send('nobody', done());
    sender.send('nobody', done(3_000_000));
    const answer = receiver.wait('a', never);
    await waitUntilReady();
    sender.send('a', failed);
    expect(await answer).toEqual(failed);
  },

  'a caller that waits for the same render again gets the next reply': async ({ receiver, sender, waitUntilReady }) => {
    for (const pages of [1, 2]) {
      const answer = receiver.wait('a', never);
      await waitUntilReady();
      sender.send('a', { ...done(10), pages });
      expect(await answer).toMatchObject({ pages });
    }
  },
};

/** The contract of the replies. */
export const describeRepliesContract = (name: string, open: () => Promise<RepliesUnderTest>): void =>
  describeContract(`${name} as replies`, open, cases);
