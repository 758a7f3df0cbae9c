import { createHmac, hash } from 'node:crypto';
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHeader,
  PDFHexString,
  type PDFName,
  type PDFObject,
  PDFRawStream,
  type PDFRef,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import type { EncryptionPermissions } from '#contracts/http/encryption.ts';
import { pdfPasswordBytes } from '#contracts/http/pdf-password.ts';
import { deriveFrom, encryptData, encryptedPermissions, passwordEntries } from './encryption-keys.ts';
import { name } from './names-and-texts.ts';

/**
 * `secret` is 32 random bytes in hex, which are in no PDF. Without a user password everyone can open the PDF; without an
 * owner password, one that only `secret` gives is used.
 */
export type PdfEncryption = {
  userPassword: string | null;
  ownerPassword: string | null;
  secret: string;
  permissions: EncryptionPermissions;
  encryptMetadata: boolean;
};

const hexString = (bytes: Uint8Array): PDFHexString => PDFHexString.of(Buffer.from(bytes).toString('hex'));

/** The bits of P, from 1 (ISO 32000-2, table 22). Bits without a meaning are set, the first two are not. */
const permissionBits = ({ print, ...others }: EncryptionPermissions): number => {
  const denied = [
    ...(print === 'none' ? [3, 12] : print === 'low' ? [12] : []),
    ...(others.modify ? [] : [4]),
    ...(others.copy ? [] : [5]),
    ...(others.annotate ? [] : [6]),
    ...(others.fill_forms ? [] : [9]),
    ...(others.accessibility ? [] : [10]),
    ...(others.assemble ? [] : [11]),
  ];
  return denied.reduce((bits, bit) => bits & ~(1 << (bit - 1)), ~3);
};

type EncryptBytes = (bytes: Uint8Array) => Uint8Array;

const isString = (object: PDFObject): object is PDFString | PDFHexString =>
  object instanceof PDFString || object instanceof PDFHexString;

/** Replaces the strings in a dictionary or array. `seen` has those that are done: two objects can share one. */
const encryptStrings = (object: PDFObject, encrypt: EncryptBytes, seen: Set<PDFObject>): void => {
  const pending = [object];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const replaced = (value: PDFObject): PDFHexString | null => {
      if (isString(value)) return hexString(encrypt(value.asBytes()));
      pending.push(value);
      return null;
    };
    if (next instanceof PDFDict)
      for (const [key, value] of next.entries()) {
        const string = replaced(value);
        if (string) next.set(key, string);
      }
    else if (next instanceof PDFArray)
      for (const [index, value] of next.asArray().entries()) {
        const string = replaced(value);
        if (string) next.set(index, string);
      }
    else if (next instanceof PDFStream) pending.push(next.dict);
  }
};

const isCrossReference = ({ dict }: PDFStream): boolean =>
  [name('XRef'), name('ObjStm')].includes(dict.get(name('Type')) as PDFName);

/** AES-256 needs an extension of PDF 1.7, or PDF 2.0. More programs open the former. */
export const declareExtension = (catalog: PDFDict): void => {
  const { context } = catalog;
  const extensions = catalog.lookupMaybe(name('Extensions'), PDFDict) ?? context.obj({});
  extensions.set(name('ADBE'), context.obj({ BaseVersion: '1.7', ExtensionLevel: 8 }));
  catalog.set(name('Extensions'), extensions);
};

/** `sha256` is the hash of the PDF that is encrypted, in hex; `requestedAt` is ISO 8601. */
export type EncryptedPdf = { sha256: string; requestedAt: string };

/**
 * Encrypts the objects of a PDF one by one with AES-256 (ISO 32000-2, 7.6, revision 6). Callers write the result in place
 * of the object, whose dictionaries are changed. The same arguments always give the same bytes, see {@link deriveFrom}.
 */
export const openObjectEncryption = (
  { userPassword, ownerPassword, secret, permissions, encryptMetadata }: PdfEncryption,
  { sha256, requestedAt }: EncryptedPdf,
) => {
  const derive = deriveFrom(Buffer.from(secret, 'hex'), sha256, requestedAt);
  const [fileKey, ivKey] = [derive('file key'), derive('initialisation vectors')];

  /** `metadata` is the reference to the metadata of the document, which may stay readable. */
  const encrypt = (
    reference: PDFRef,
    object: PDFObject,
    metadata: PDFObject | undefined,
    seen = new Set<PDFObject>(),
  ): PDFObject => {
    let count = 0;
    const encryptBytes: EncryptBytes = (bytes) => {
      const place = `${reference.objectNumber} ${reference.generationNumber} ${count} `;
      count += 1;
      const iv = createHmac('sha256', ivKey).update(place).update(bytes).digest().subarray(0, 16);
      return encryptData(fileKey, iv, bytes);
    };
    if (isString(object)) return hexString(encryptBytes(object.asBytes()));
    let encrypted = object;
    if (object instanceof PDFStream) {
      if (isCrossReference(object)) return object;
      const isPlain = reference === metadata && !encryptMetadata;
      if (!isPlain) encrypted = PDFRawStream.of(object.dict, encryptBytes(object.getContents()));
    }
    encryptStrings(object, encryptBytes, seen);
    return encrypted;
  };

  /** The encryption dictionary, which is an indirect object that is not encrypted. */
  const dictionary = (context: PDFContext): PDFDict => {
    const bits = permissionBits(permissions);
    const user = passwordEntries(pdfPasswordBytes(userPassword ?? ''), derive('user salts'), fileKey);
    const ownerBytes = ownerPassword === null ? hexOf(derive('owner password')) : pdfPasswordBytes(ownerPassword);
    const owner = passwordEntries(ownerBytes, derive('owner salts'), fileKey, user.entry);
    return context.obj({
      Filter: 'Standard',
      V: 5,
      R: 6,
      Length: 256,
      P: bits,
      U: hexString(user.entry),
      UE: hexString(user.encryptedKey),
      O: hexString(owner.entry),
      OE: hexString(owner.encryptedKey),
      Perms: hexString(encryptedPermissions(fileKey, bits, encryptMetadata, derive('permissions'))),
      CF: { StdCF: { Type: 'CryptFilter', CFM: 'AESV3', AuthEvent: 'DocOpen', Length: 32 } },
      StmF: 'StdCF',
      StrF: 'StdCF',
      EncryptMetadata: encryptMetadata,
    });
  };
  return { encrypt, dictionary };
};

/**
 * Encrypts all strings and streams of a document. It is the last step before the document is saved, without object
 * streams. `pdf` are the bytes that the document was read from, `requestedAt` is ISO 8601.
 */
export const encryptDocument = (
  document: PDFDocument,
  encryption: PdfEncryption,
  { pdf, requestedAt }: { pdf: Uint8Array; requestedAt: string },
): void => {
  const { context, catalog } = document;
  const sha256 = hash('sha256', pdf, 'hex');
  const { encrypt, dictionary } = openObjectEncryption(encryption, { sha256, requestedAt });
  if (!(Number.parseFloat(context.header.getVersionString()) >= 1.7)) context.header = PDFHeader.forVersion(1, 7);
  declareExtension(catalog);
  const metadata = catalog.get(name('Metadata'));
  const seen = new Set<PDFObject>();
  for (const [reference, object] of context.enumerateIndirectObjects())
    context.assign(reference, encrypt(reference, object, metadata, seen));
  context.trailerInfo.Encrypt = context.register(dictionary(context));
};

const hexOf = (bytes: Uint8Array): Buffer => Buffer.from(Buffer.from(bytes).toString('hex'));
