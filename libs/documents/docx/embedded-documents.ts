import { posix } from 'node:path';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { archiveError, type Parts } from '../office/archive.ts';
import { valuesOf } from '../office/edit-tags.ts';
import { readXml } from '../office/xml-encoding.ts';

// A document embedded with `altChunk` (ECMA-376, part 1, 17.17.2.1) is text of the document around it: HTML, RTF, Word.

const mainPart = /^word\/document\d*\.xml$/i;
const chunks = /<(?:[^\s<>"'=/:]+:)?altChunk(?=[\s/>])[^<>]*>/g;
const relationships = /<(?:[^\s<>"'=/:]+:)?Relationship\s[^<>]*>/g;
const otherContent = /<(?:[^\s<>"'=/:]+:)?(?:t|sym|drawing|pict|object)(?=[\s>])/;

/** The path of each part that the relationships of a part name, by its id. */
const targetsOf = (parts: Parts, path: string): Map<string | undefined, string> => {
  const xml = readXml(parts.get(path.replace(/[^/]+$/, '_rels/$&.rels')) ?? new Uint8Array()) ?? '';
  return new Map(
    [...xml.matchAll(relationships)].map(([tag]) => {
      const [target = ''] = valuesOf(tag, 'Target');
      return [valuesOf(tag, 'Id')[0], posix.join(target.startsWith('/') ? '' : 'word', target).replace(/^\//, '')];
    }),
  );
};

/** The main part, and the paths that its `altChunk` elements name; '' for none. */
const readChunks = (parts: Parts): { xml: string; paths: string[] } => {
  const path = [...parts.keys()].find((name) => mainPart.test(name));
  const xml = path === undefined ? '' : (readXml(parts.get(path)!) ?? '');
  const found = [...xml.matchAll(chunks)];
  if (path === undefined || found.length === 0) return { xml, paths: [] };
  const targets = targetsOf(parts, path);
  return { xml, paths: found.map(([tag]) => targets.get(valuesOf(tag, 'id')[0]) ?? '') };
};

/** The paths of the documents that are embedded in a Word document. */
export const embeddedDocumentsOf = (parts: Parts): ReadonlySet<string> => new Set(readChunks(parts).paths);

/**
 * A warning of the embedded documents that are not printed. `isPrinted` takes the bytes of one, or of none if it is not
 * among the parts. @throws ApiError if the document has no other content
 */
export const findUnprintedDocuments = (parts: Parts, isPrinted: (embedded: Uint8Array) => boolean): RenderWarning[] => {
  const { xml, paths } = readChunks(parts);
  const unprinted = paths.filter((path) => !isPrinted(parts.get(path) ?? new Uint8Array()));
  if (unprinted.length === 0) return [];
  if (unprinted.length === paths.length && !otherContent.test(xml))
    throw archiveError(
      'docx',
      'The text of the DOCX is in an embedded document (altChunk), such as HTML, which is not printed. ' +
        'Open the file in Word and save it again, or send the embedded document itself.',
      'text only in embedded documents',
    );
  return [{ kind: 'content_left_out', content: 'embedded documents', count: unprinted.length }];
};
