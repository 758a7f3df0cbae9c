import { describe, expect, it } from 'vitest';
import { isAlive } from '#libs/processes/processes.ts';
import { createClient } from '../support/client/api-client.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { descendantsOf } from '../support/processes/process-tree.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const agreement = sampleDocument('agreement.docx');

/** A service whose LibreOffice has not started yet, so that each process belongs to the document that starts it. */
const openService = (concurrency: number) => {
  const at = serviceForTestFile(() => ({ RENDER_CONCURRENCY: String(concurrency) }));
  const held = new Set<number>();
  const officeProcesses = (): number[] =>
    descendantsOf(at.service.pid)
      .filter(({ command }) => command.includes('convert.py') && !command.startsWith('/bin/sh'))
      .map(({ pid }) => pid);
  return {
    /** On the plan with the longest processing time: documents that are held may not end by themselves. */
    createCaller: async () =>
      createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise')),
    /** Stops the first processes that start, up to this number. Their documents do not end. */
    hold: (count: number) =>
      waitUntil(`${count} processes`, () => {
        const started = officeProcesses().filter((found) => !held.has(found));
        for (const pid of started.slice(0, count - held.size)) {
          process.kill(pid, 'SIGSTOP');
          held.add(pid);
        }
        return held.size === count;
      }),
    /** Not those that have ended by the time limit of their documents. */
    resume: (): void => {
      for (const pid of held) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    },
  };
};

describe.skipIf(!isOfficeAvailable)('Word documents that do not end', () => {
  const { createCaller, hold, resume } = openService(6);

  it('delay neither the Word documents nor the HTML of another account', async () => {
    const [one, two, other] = [await createCaller(), await createCaller(), await createCaller()];
    let ended = 0;
    const all = [one, two, one, two].map((slow) => slow.convert('docx', agreement).finally(() => (ended += 1)));
    // A second process starts because a document is in the first one: both are held.
    await hold(2);
    try {
      expect((await other.convert('html', '<p>quick')).status).toBe(200);
      expect((await other.convert('docx', agreement)).status).toBe(200);
      // If it had waited for the others, one would have ended by its time limit.
      expect(ended).toBe(0);
      expect((await other.convert('docx', agreement)).status).toBe(200);
    } finally {
      resume();
    }
    // On a busy machine, some may have taken or waited too long.
    for (const { status } of await Promise.all(all)) expect([200, 422, 503]).toContain(status);
  });
});

describe.skipIf(!isOfficeAvailable)('A backlog of Word documents', () => {
  const { createCaller, hold, resume } = openService(4);

  it('delays neither the HTML of its account nor the Word documents of another account', async () => {
    const [one, other] = [await createCaller(), await createCaller()];
    let ended = 0;
    const backlog = Array.from({ length: 6 }, () => one.convert('docx', agreement).finally(() => (ended += 1)));
    await hold(1);
    try {
      expect((await one.convert('html', '<p>quick')).status).toBe(200);
      expect((await other.convert('docx', agreement)).status).toBe(200);
      expect(ended).toBe(0);
    } finally {
      resume();
    }
    await Promise.all(backlog);
  });
});
