import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseWithHandlers } from './html-parser.ts';

/** Prints the growth of old space, in MiB, by 50 documents with a collection of the young objects after each ten. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { classify } from ${JSON.stringify(import.meta.resolve('./classify.ts'))};
  const rows = '<tr><td class="a">1</td><td class="b">2</td></tr>'.repeat(200);
  const classifyTen = () => {
    for (let index = 0; index < 10; index += 1)
      classify('<!doctype html><style>td { color: red }</style><table>' + rows + '</table>');
  };
  const oldSpaceBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  for (let warmUp = 0; warmUp < 5; warmUp += 1) classifyTen();
  gc();
  const before = oldSpaceBytes();
  for (let round = 0; round < 5; round += 1) {
    classifyTen();
    gc({ type: 'minor' });
  }
  console.log((oldSpaceBytes() - before) / 2 ** 20);`;

test('the trees of classified documents leave memory without a full collection', async () => {
  // A process of its own, because V8 treats trees otherwise after it has seen large ones.
  const args = ['--expose-gc', '--max-semi-space-size=16', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // The trees take about 12 MiB.
  expect(Number(stdout)).toBeLessThan(4);
});

test('a style element is found once, whatever it contains', () => {
  const ignore = { onTag: () => {}, onError: () => {} };
  const { styles } = parseWithHandlers('<style>a</style><svg><style>b<style/><style/>c</style></svg>', false, ignore);
  expect(styles.map(({ namespaceURI }) => namespaceURI.split('/').at(-1))).toEqual(['xhtml', 'svg']);
});
