import { type Dirent, globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { cwd } from 'node:process';
import { retiredWords } from './retired-words.ts';

/** Prettier breaks code at 120 columns; only texts may be longer. */
const maxColumns = 140;

const isCode = (file: string): boolean => /\.(?:ts|tsx|mts|mjs)$/.test(file);

// What others wrote or what programs make, documents that tests render, and the list of the words itself.
const ignoredFiles =
  /^package-lock\.json$|^LICENSE$|\.(?:sum|svg|docx|png|pdf|ttf)$|(?:^|\/)fixtures\/documents\/|^scripts\/check\/retired-words\.ts$/;

const wordPattern = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const replacements = new Map(retiredWords.map((entry) => [entry.word, entry]));

const retiredWordsIn = (line: string): string[] =>
  (line.match(wordPattern) ?? []).flatMap((word) => {
    const entry = replacements.get(word.toLowerCase());
    return entry && !entry.allowed?.test(line) ? [`"${word}" is a retired word; use: ${entry.use}`] : [];
  });

/** Every line of a text that has a retired word, and every line of code that is too long: `file:line: what is wrong`. */
export const checkText = (file: string, text: string): string[] =>
  text.split('\n').flatMap((line, index) => {
    const problems = retiredWordsIn(line);
    if (isCode(file) && line.length > maxColumns)
      problems.push(`${line.length} columns; at most ${maxColumns} are allowed`);
    return problems.map((problem) => `${file}:${index + 1}: ${problem}`);
  });

/** The same for the path of a file: `file: what is wrong`. */
export const checkPath = (file: string): string[] => retiredWordsIn(file).map((problem) => `${file}: ${problem}`);

const ignoredFolders = new Set(['node_modules', 'data', 'coverage', '.git', '.setup']);

/** Only at these places: other folders may have the same names. */
const isIgnored = ({ name, parentPath }: Dirent): boolean =>
  (ignoredFolders.has(name) && resolve(parentPath) === cwd()) ||
  (/^dist(?:-\d+)?$/.test(name) && resolve(parentPath) === resolve('services/dashboard'));

const sourceFiles = (): string[] =>
  globSync(['**/*', '.*'], { withFileTypes: true, exclude: isIgnored })
    .filter((entry) => entry.isFile())
    .map((entry) => relative('.', join(entry.parentPath, entry.name)))
    .filter((file) => !ignoredFiles.test(file));

if (import.meta.main) {
  const problems = sourceFiles().flatMap((file) => [
    ...checkPath(file),
    ...checkText(file, readFileSync(file, 'utf8')),
  ]);
  if (problems.length > 0) console.log(problems.join('\n'));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
