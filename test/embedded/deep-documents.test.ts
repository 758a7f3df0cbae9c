import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => void (caller = createClient(at.service.url, await createUnlimitedKey(at.installation))));

const deepest = 100;
const depths = Array.from({ length: deepest }, (_, depth) => depth);
const deep: [what: string, markdown: string][] = [
  ['quotations', depths.map((depth) => `${'> '.repeat(depth + 1)}word${depth}.`).join('\n>\n')],
  ['lists', depths.map((depth) => `${'  '.repeat(depth)}- word${depth}.`).join('\n')],
  ['numbered lists', depths.map((depth) => `${'   '.repeat(depth)}1. word${depth}.`).join('\n')],
  ['lists of tasks', depths.map((depth) => `${'  '.repeat(depth)}- [x] word${depth}.`).join('\n')],
];

describe('Markdown nested a hundred levels deep keeps every word on the page:', () => {
  it.each(deep)('%s', async (_, markdown) => {
    const pages = await caller.renderedPages('markdown', markdown);
    const text = pages.map((page) => page.text).join(' ');
    expect(depths.filter((depth) => !text.includes(`word${depth}.`))).toEqual([]);
    const runs = pages.flatMap(({ width, runs: all }) => all.map((run) => ({ ...run, room: width - run.left })));
    // The margins are 15 mm; the shortest word takes 10 mm.
    expect(runs.filter(({ left, room, text: run }) => run.includes('word') && (left < 15 || room < 25))).toEqual([]);
  });

  it('and is rejected with the line if it is nested deeper', async () => {
    expectErrorResponse(await caller.convert('markdown', `a\n\n${'> '.repeat(deepest + 1)}b`), 'invalid_markdown', {
      line: 3,
    });
  });
});
