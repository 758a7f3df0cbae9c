import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  type PDFRawStream,
  PDFString,
} from '@cantoo/pdf-lib';

const name = (text: string): PDFName => PDFName.of(text);
const textOf = (value: unknown): string =>
  value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : '';

export type ReadAttachment = {
  name: string;
  asciiName: string;
  mimeType: string;
  relationship: string;
  description: string;
  modified: string;
  md5: string;
  content: Buffer;
};

/** The attachments of a PDF in the order of the name tree. Those of the document and of the tree must be the same. */
export const readAttachments = async (pdf: Uint8Array): Promise<ReadAttachment[]> => {
  const { catalog } = await PDFDocument.load(pdf, { updateMetadata: false });
  const tree = catalog.lookupMaybe(name('Names'), PDFDict)?.lookupMaybe(name('EmbeddedFiles'), PDFDict);
  if (!tree) return [];
  const names = tree.lookup(name('Names'), PDFArray);
  const associated = catalog.lookup(name('AF'), PDFArray);
  return Array.from({ length: names.size() / 2 }, (_, index) => {
    const specification = names.lookup(2 * index + 1, PDFDict);
    if (associated.lookup(index) !== specification) throw new Error('AF and Names differ');
    const stream = specification.lookup(name('EF'), PDFDict).lookup(name('F')) as PDFRawStream;
    const parameters = stream.dict.lookup(name('Params'), PDFDict);
    return {
      name: textOf(specification.get(name('UF'))),
      asciiName: textOf(specification.get(name('F'))),
      mimeType: stream.dict.lookup(name('Subtype'), PDFName).decodeText(),
      relationship: specification.lookup(name('AFRelationship'), PDFName).decodeText(),
      description: textOf(specification.get(name('Desc'))),
      modified: textOf(parameters.get(name('ModDate'))),
      md5: parameters.lookup(name('CheckSum'), PDFHexString).asString().toLowerCase(),
      content: Buffer.from(decodePDFRawStream(stream).decode()),
    };
  });
};
