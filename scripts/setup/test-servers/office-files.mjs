import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOfficeInstalled } from '../office.mjs';
import { printStatus } from '../output.mjs';
import { runStep } from '../run-command.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.setup/office-files');

/** Test files of other projects. Their licences differ, so they are not part of this project. */
const projects = {
  'python-docx': (target) => [
    'python3',
    ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', target, 'python-docx==1.2.0'],
  ],
  mammoth: (target) => ['npm', ['pack', '--silent', '--pack-destination', target, 'mammoth@1.13.0']],
};

/** Downloads the package of a project, and copies the Word documents in it. */
const fetchWordFiles = (name) => {
  const target = join(folder, name);
  if (existsSync(target)) return true;
  const work = mkdtempSync(join(tmpdir(), 'colophon-office-files-'));
  try {
    if (!runStep(`Word documents of ${name} for the tests`, ...projects[name](work))) return false;
    const archive = readdirSync(work).find((file) => /\.(?:tgz|tar\.gz)$/.test(file));
    if (!archive || !runStep(`${name}: unpack`, 'tar', ['xzf', archive], {}, work)) return false;
    const partial = `${target}.part`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    const documents = readdirSync(work, { recursive: true }).filter((file) => file.endsWith('.docx'));
    for (const file of documents) cpSync(join(work, file), join(partial, basename(file)));
    renameSync(partial, target);
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

const slide = (text) =>
  `<draw:page draw:name="${text}" draw:master-page-name="Default"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" ` +
  `svg:height="3cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
const odf = 'urn:oasis:names:tc:opendocument:xmlns';
const slides =
  `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="${odf}:office:1.0" xmlns:draw="${odf}:drawing:1.0" ` +
  `xmlns:text="${odf}:text:1.0" xmlns:svg="${odf}:svg-compatible:1.0" office:version="1.2" ` +
  'office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>' +
  `${slide('First slide')}${slide('Second slide')}</office:presentation></office:body></office:document>`;

/** Files of other formats, which LibreOffice writes: `agreement.odt`, `agreement.doc` and `slides.pptx`. */
const writeOtherFormats = () => {
  const target = join(folder, 'formats');
  if (existsSync(target)) return true;
  const partial = `${target}.part`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const source = join(partial, 'slides.fodp');
  writeFileSync(source, slides);
  const agreement = join(root, 'test/fixtures/documents/agreement.docx');
  const convert = (type, file) =>
    runStep(`Office document (${type}) for the tests`, 'soffice', [
      ...[`-env:UserInstallation=file://${join(partial, 'profile')}`, '--headless', '--convert-to', type],
      ...['--outdir', partial, file],
    ]);
  const done = convert('odt', agreement) && convert('doc', agreement) && convert('pptx', source);
  rmSync(join(partial, 'profile'), { recursive: true, force: true });
  if (done) renameSync(partial, target);
  return done;
};

/** Collects office documents for the tests. The tests skip those that are missing. */
export const ensure = () => {
  if (!isOfficeInstalled() || process.env.LIBREOFFICE_FOLDER === 'none') return;
  const results = [...Object.keys(projects).map(fetchWordFiles), writeOtherFormats()];
  if (results.includes(false)) printStatus('Some office documents could not be had: their tests are skipped.');
};
