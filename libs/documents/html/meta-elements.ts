import type { Token } from 'parse5';
import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';

const maxLength = 1000;
const maxListed = 50;

/** One line without control characters, as PDF metadata must be. */
export const metadataLine = (text: string): string =>
  text
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\ufffe\uffff]+/g, ' ')
    .trim()
    .slice(0, maxLength)
    // The first half of a character that is cut.
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();

/** Adds what a meta element says about the document (HTML, 4.2.5.1). The first description counts. */
export const addMetaElement = (metadata: DocumentMetadata, attrs: readonly Token.Attribute[]): void => {
  const attribute = (wanted: string): string => attrs.find(({ name }) => name === wanted)?.value ?? '';
  const name = attribute('name').toLowerCase();
  if (!['author', 'description', 'keywords'].includes(name)) return;
  const content = metadataLine(attribute('content'));
  if (content === '') return;
  if (name === 'description') metadata.subject ??= content;
  else if (name === 'author') {
    if (metadata.authors.length < maxListed) metadata.authors.push(content);
  } else {
    const keywords = content.split(',').map((keyword) => keyword.trim());
    metadata.keywords.push(...keywords.filter(Boolean).slice(0, maxListed - metadata.keywords.length));
  }
};

/** The metadata as a member of a prepared document, unless the document says nothing. */
export const metadataMember = (metadata: DocumentMetadata): { metadata?: DocumentMetadata } =>
  metadata.authors.length > 0 || metadata.keywords.length > 0 || metadata.subject !== undefined ? { metadata } : {};
