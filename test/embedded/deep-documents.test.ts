import { beforeAll, describe, expect, it } from 'vitest';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { serviceForFile } from '../e2e/service.ts';

const at = serviceForFile();
let caller: Client;
beforeAll(async () => void (caller = clientOf(at.service.url, await freeKey(at.house))));

const deepest = 100;
const depths = Array.from({ length: deepest }, (_, depth) => depth);
const deep: [what: string, markdown: string][] = [
  ['quotations', depths.map((depth) => `${'> '.repeat(depth + 1)}word${depth}.`).join('\n>\n')],
  ['lists', depths.map((depth) => `${'  '.repeat(depth)}- word${depth}.`).join('\n')],
  ['numbered lists', depths.map((depth) => `${'   '.repeat(depth)}1. word${depth}.`).join('\n')],
  ['lists of tasks', depths.map((depth) => `${'  '.repeat(depth)}- [x] word${depth}.`).join('\n')],
];

describe('Markdown shows every word on the page, a hundred levels deep, of', () => {
  it.each(deep)('%s', async (_, markdown) => {
    const pages = await caller.pages('markdown', markdown);
    const text = pages.map((page) => page.text).join(' ');
    expect(depths.filter((depth) => !text.includes(`word${depth}.`))).toEqual([]);
    const runs = pages.flatMap(({ width, runs: all }) => all.map((run) => ({ ...run, room: width - run.left })));
    // The margins are 15 mm; the shortest word takes 10 mm.
    expect(runs.filter(({ left, room, text: run }) => run.includes('word') && (left < 15 || room < 25))).toEqual([]);
  });

  it('and is refused with the line where it is deeper', async () => {
    expectRefusal(await caller.convert('markdown', `a\n\n${'> '.repeat(deepest + 1)}b`), 'invalid_markdown', { line: 3 });
  });
});
