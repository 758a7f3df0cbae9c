import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../.setup/office-files/', import.meta.url);
const namesIn = (part: string): string[] =>
  existsSync(new URL(part, folder)) ? readdirSync(new URL(part, folder)).toSorted() : [];

/** An office document that scripts/setup/test-servers/office-files.mjs has collected. */
export const officeFile = (path: string): Buffer => readFileSync(new URL(path, folder));

/** Word documents that others made; none where they could not be downloaded. */
export const wordFilesOfOthers: readonly string[] = ['mammoth', 'python-docx'].flatMap((project) =>
  namesIn(project).map((name) => `${project}/${name}`),
);

/** Documents of other formats, which LibreOffice wrote. */
export const filesOfOtherFormats: readonly string[] = namesIn('formats')
  .filter((name) => /\.(?:odt|doc|pptx)$/.test(name))
  .map((name) => `formats/${name}`);
