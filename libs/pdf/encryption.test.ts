import { PDFDocument, PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { getDocument, PasswordException } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { describe, expect, test } from 'vitest';
import { encryptionPermissions } from '#contracts/http/encryption.ts';
import { hasProhibitedCharacters, pdfPasswordBytes, preparePdfPassword } from '#contracts/http/pdf-password.ts';
import { checkWithQpdf, isQpdfAvailable, runQpdf } from '../../test/support/documents/qpdf.ts';
import { setFileIdentifier } from './catalog.ts';
import { encryptDocument, type PdfEncryption } from './encryption.ts';

const requestedAt = '2026-03-02T10:00:00.000Z';
const secret = '0f'.repeat(32);
const allAllowed = encryptionPermissions.parse({});

/** A document with strings in dictionaries, arrays and objects of their own, shared ones too, and streams. */
const documentOf = async (texts: readonly string[]): Promise<Uint8Array> => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context, catalog } = document;
  const page = document.addPage([200, 200]);
  page.node.set(PDFName.of('Contents'), context.register(context.flateStream('0 0 100 100 re f')));
  context.trailerInfo.Info = context.register(context.obj({ Title: PDFHexString.fromText(texts.join('|')) }));
  const shared = context.obj(texts.map((text) => PDFString.of(Buffer.from(text).toString('hex'))));
  const own = context.register(PDFString.of('a (nested) string \\n with an escape'));
  catalog.set(PDFName.of('Test'), context.obj({ One: shared, Two: [shared, own], Empty: PDFString.of('') }));
  return document.save({ useObjectStreams: false });
};

const encrypted = async (pdf: Uint8Array, changes: Partial<PdfEncryption>): Promise<Uint8Array> => {
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const options = { userPassword: null, ownerPassword: null, secret, permissions: allAllowed, encryptMetadata: true };
  setFileIdentifier(document, pdf);
  encryptDocument(document, { ...options, ...changes }, { pdf, requestedAt });
  return document.save({ useObjectStreams: false, updateFieldAppearances: false });
};

/** The title as pdf.js reads it, or `refused` for a wrong password. */
const open = async (pdf: Uint8Array, password?: string): Promise<string> => {
  const prepared = password === undefined ? {} : { password: preparePdfPassword(password) };
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0, ...prepared });
  try {
    const { info } = await (await task.promise).getMetadata();
    return (info as { Title: string }).Title;
  } catch (error) {
    if (error instanceof PasswordException) return 'refused';
    throw error;
  } finally {
    await task.destroy();
  }
};

const password = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => !hasProhibitedCharacters(text) && pdfPasswordBytes(text).length > 0);
const differ = (...texts: string[]): boolean => new Set(texts.map(preparePdfPassword)).size === texts.length;

describe('An encrypted PDF', () => {
  test('opens with either password, and with no other', async () => {
    const texts = fc.array(fc.string({ maxLength: 40 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, password, password, password, async (content, user, owner, wrong) => {
        fc.pre(differ(user, owner, wrong));
        const pdf = await encrypted(await documentOf(content), { userPassword: user, ownerPassword: owner });
        expect(await open(pdf, user)).toBe(content.join('|'));
        expect(await open(pdf, owner)).toBe(content.join('|'));
        expect(await open(pdf, wrong)).toBe('refused');
      }),
      { numRuns: 6 },
    );
  });

  test('opens without a password if it has only one of the owner', async () => {
    const pdf = await encrypted(await documentOf(['a']), { ownerPassword: 'owner' });
    expect(await open(pdf)).toBe('a');
    expect(await open(pdf, 'owner')).toBe('a');
  });

  test('opens however the characters of its password are typed', async () => {
    const pdf = await encrypted(await documentOf(['a']), { userPassword: 'cafe\u0301\u00a0\u2168' });
    expect(await open(pdf, 'caf\u00e9 IX')).toBe('a');
    expect(await open(pdf, 'cafe IX')).toBe('refused');
  });

  test('has the same bytes for the same secret and date, and other keys for another secret, date or document', async () => {
    const pdf = await documentOf(['a']);
    const first = await encrypted(pdf, { userPassword: 'user' });
    expect(Buffer.from(await encrypted(pdf, { userPassword: 'user' })).equals(first)).toBe(true);
    const entryOf = (bytes: Uint8Array): string | undefined =>
      /\/U <([0-9a-f]+)>/.exec(Buffer.from(bytes).toString('latin1'))?.[1];
    const others = [
      await encrypted(pdf, { userPassword: 'user', secret: '10'.repeat(32) }),
      await encrypted(await documentOf(['b']), { userPassword: 'user' }),
    ];
    expect(new Set([first, ...others].map(entryOf)).size).toBe(3);
    expect(entryOf(first)).toMatch(/^[0-9a-f]{96}$/);
  });

  test('contains none of its texts and passwords', async () => {
    const source = await documentOf(['findable']);
    const pdf = Buffer.from(await encrypted(source, { userPassword: 'user word' })).toString('latin1');
    for (const text of ['findable', Buffer.from('findable').toString('hex'), 'nested', 'user word', '100 re f'])
      expect(pdf.includes(text)).toBe(false);
    expect(pdf.startsWith('%PDF-1.7')).toBe(true);
  });

  test('leaves only the XMP metadata readable if it is asked to', async () => {
    const source = await PDFDocument.load(await documentOf(['hidden title']), { updateMetadata: false });
    const { context, catalog } = source;
    const stream = context.stream('<x:xmpmeta/>', { Type: 'Metadata', Subtype: 'XML' });
    catalog.set(PDFName.of('Metadata'), context.register(stream));
    const pdf = await source.save({ useObjectStreams: false });
    const textOf = async (encryptMetadata: boolean): Promise<string> =>
      Buffer.from(await encrypted(pdf, { userPassword: 'user', encryptMetadata })).toString('latin1');
    expect(await textOf(false)).toContain('<x:xmpmeta/>');
    expect(await textOf(true)).not.toContain('<x:xmpmeta/>');
  });
});

describe.skipIf(!isQpdfAvailable)('qpdf', () => {
  test('finds no error in an encrypted PDF, and the permissions that were asked for', async () => {
    const pdf = await encrypted(await documentOf(['a', 'b (', '']), {
      userPassword: 'пароль',
      ownerPassword: 'owner',
      permissions: encryptionPermissions.parse({ print: 'low', copy: false, modify: false, fill_forms: false }),
      encryptMetadata: false,
    });
    for (const one of ['пароль', 'owner']) {
      const check = await checkWithQpdf(pdf, one);
      expect(check).toMatchObject({ isGood: true, output: expect.stringContaining('No syntax or stream') as unknown });
    }
    expect((await checkWithQpdf(pdf, 'wrong')).isGood).toBe(false);
    const { output } = await runQpdf(pdf, ['--show-encryption'], 'пароль');
    expect(output.split('\n').slice(0, 1)).toEqual(['R = 6']);
    expect(output).toContain('Supplied password is user password');
    const lines = {
      'extract for accessibility': 'allowed',
      'extract for any purpose': 'not allowed',
      'print low resolution': 'allowed',
      'print high resolution': 'not allowed',
      'modify document assembly': 'allowed',
      'modify forms': 'not allowed',
      'modify annotations': 'allowed',
      'modify other': 'not allowed',
      'stream encryption method': 'AESv3',
      'string encryption method': 'AESv3',
    };
    for (const [name, value] of Object.entries(lines)) expect(output).toContain(`${name}: ${value}\n`);
  });
});
