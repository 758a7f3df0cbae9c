import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md'), 'deploy/README.md'];
const pathPattern =
  /(?<![\w/.#-])(?:application(?!\/(?:json|pdf|x-))|contracts|deploy|docs|libs|scripts|services|templates|test)\/[\w/.-]*[\w-]/g;

test.each(documents)('every file and folder that %s names exists', (document) => {
  const paths = readFileSync(document, 'utf8').match(pathPattern) ?? [];
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
