import { deflateSync } from 'node:zlib';
import {
  PDFArray,
  PDFBool,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFInvalidObject,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import { name } from '../names-and-texts.ts';
import { checkInflates, type DecodeBudget, decodeStream, filtersOf, type StreamFilter } from './decode.ts';
import { damaged, invalidPdf } from './invalid-pdf.ts';
import { importLimits } from './limits.ts';
import type { IsHidden } from './optional-content.ts';
import { encodingKeys, forbiddenKeys, namedShapes, type Shape, shapes } from './shapes.ts';
import { visibleContent } from './visible-content.ts';

type Pending = { from: PDFObject; to: PDFRef; shape: Shape };

/** Hex strings can have any characters in a damaged file. */
const cleanHex = (value: PDFHexString): PDFHexString => PDFHexString.of(value.asString().replaceAll(/[^0-9a-f]/gi, ''));

/**
 * Copies values from the objects of one PDF to another one, without what could act or lead outside. References are
 * followed without recursion, each once, so that loops do no harm.
 */
export class SafeCopier {
  readonly #from: PDFContext;
  readonly #to: PDFContext;
  readonly #budget: DecodeBudget;
  readonly #copies = new Map<string, PDFRef>();
  readonly #pending: Pending[] = [];
  readonly #imagesToCheck: Uint8Array[] = [];
  readonly #isHidden: IsHidden | null;
  /** Those of the page that is copied: a form without resources uses them. */
  pageResources: PDFObject | undefined;

  /** `isHidden` is that of the PDF that is copied; null if it has no optional content. */
  constructor(from: PDFContext, to: PDFContext, budget: DecodeBudget, isHidden: IsHidden | null) {
    this.#from = from;
    this.#to = to;
    this.#budget = budget;
    this.#isHidden = isHidden;
  }

  /** The copy of a value, or null for a value that is absent. The objects that it refers to are copied by `finish`. */
  copy(value: PDFObject | undefined, shape: Shape): PDFObject | null {
    return this.#copyValue(value, shape, 0);
  }

  /** The reference to the copy of an indirect object. */
  referenceTo(reference: PDFRef, shape: Shape): PDFRef | null {
    // An object that is used in two ways is copied for each.
    const key = `${shape} ${reference.tag}`;
    const known = this.#copies.get(key);
    if (known) return known;
    const from = this.#from.lookup(reference);
    if (!from || from === PDFNull) return null;
    const to = this.#to.nextRef();
    this.#copies.set(key, to);
    this.#pending.push({ from, to, shape });
    return to;
  }

  /** Copies what the copied values refer to. @throws ApiError invalid_pdf */
  async finish(): Promise<void> {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      const copy = this.#copyValue(next.from, next.shape, 0);
      this.#to.assign(next.to, copy ?? PDFNull);
      for (let bytes = this.#imagesToCheck.pop(); bytes; bytes = this.#imagesToCheck.pop()) await checkInflates(bytes);
    }
  }

  /** The decoded bytes of a stream. */
  read(stream: PDFRawStream): Uint8Array {
    const { bytes, left } = decodeStream(stream, this.#budget);
    if (left.length > 0) throw damaged('content has the filter of an image');
    return bytes;
  }

  #copyValue(value: PDFObject | undefined, shape: Shape, depth: number): PDFObject | null {
    if (depth > importLimits.depth)
      throw invalidPdf('nested_too_deeply', `The PDF nests objects more than ${importLimits.depth} times.`);
    if (value instanceof PDFRef) return this.referenceTo(value, shape);
    if (value instanceof PDFInvalidObject) throw damaged('an object that a page needs cannot be read');
    if (value instanceof PDFHexString) return cleanHex(value);
    if (value instanceof PDFArray) return this.#copyArray(value, shape, depth);
    if (value instanceof PDFDict) return this.#copyDict(value, shape, depth);
    if (value instanceof PDFRawStream) return this.#copyStream(value, shape, depth);
    const isPlain =
      value instanceof PDFName || value instanceof PDFNumber || value instanceof PDFString || value instanceof PDFBool;
    return isPlain ? value : null;
  }

  #copyArray(value: PDFArray, shape: Shape, depth: number): PDFArray {
    const copy = PDFArray.withContext(this.#to);
    const inner = shape === 'fontList' ? 'font' : 'data';
    for (const item of value.asArray()) copy.push(this.#copyValue(item, inner, depth + 1) ?? PDFNull);
    return copy;
  }

  #copyDict(value: PDFDict, shape: Shape, depth: number): PDFDict {
    const copy = PDFDict.withContext(this.#to);
    const known = shapes[shape];
    const named = namedShapes[shape];
    for (const [key, item] of value.entries()) {
      const text = key.decodeText();
      const inner = known ? known[text] : (named ?? (forbiddenKeys.has(text) ? undefined : 'data'));
      const copied = inner && this.#copyValue(item, inner, depth + 1);
      if (copied) copy.set(key, copied);
    }
    return copy;
  }

  #copyStream(source: PDFRawStream, shape: Shape, depth: number): PDFObject | null {
    const subtype = source.dict.lookup(name('Subtype'));
    // A PostScript XObject is a program for a printer.
    if (shape === 'xObject' && subtype !== name('Image') && subtype !== name('Form')) return null;
    const isContent = shape === 'pattern' || (shape === 'xObject' && subtype === name('Form'));
    const stream = isContent && this.#isHidden ? this.#visibleStream(source, this.#isHidden) : source;
    const described = PDFDict.withContext(this.#to);
    const known = shapes[shape];
    for (const [key, item] of stream.dict.entries()) {
      const text = key.decodeText();
      if (encodingKeys.has(text)) continue;
      const inner = known ? known[text] : forbiddenKeys.has(text) ? undefined : 'data';
      const copied = inner && this.#copyValue(item, inner, depth + 1);
      if (copied) described.set(key, copied);
    }
    return this.#encode(stream, described, subtype === name('Image'));
  }

  /** A stream of content, decoded, without what is hidden. */
  #visibleStream(stream: PDFRawStream, isHidden: IsHidden): PDFRawStream {
    const own = this.#from.lookup(stream.dict.get(name('Resources')) ?? this.pageResources);
    const { content, resources } = visibleContent(
      {
        content: Buffer.from(this.read(stream)).toString('latin1'),
        resources: own instanceof PDFDict ? own : PDFDict.withContext(this.#from),
      },
      isHidden,
    );
    const dict = stream.dict.clone();
    for (const key of ['Filter', 'DecodeParms']) dict.delete(name(key));
    dict.set(name('Resources'), resources);
    return PDFRawStream.of(dict, Buffer.from(content, 'latin1'));
  }

  /** Checks the encoding of a stream. Encodings other than those of images become Flate. */
  #encode(stream: PDFRawStream, described: PDFDict, isImage: boolean): PDFRawStream {
    const filters = filtersOf(stream.dict);
    const isFlate = filters.length === 1 && filters[0]!.filter === 'FlateDecode';
    if (isImage && isFlate) {
      this.#imagesToCheck.push(stream.contents);
      this.#setFilters(described, filters);
      return PDFRawStream.of(described, stream.contents);
    }
    const { bytes, left, last } = decodeStream(stream, this.#budget, isImage);
    if (left.length > 0 && !isImage) throw damaged('data that is no image has the filter of an image');
    this.#setFilters(described, left.length > 0 ? left : [last ?? { filter: 'FlateDecode', parameters: null }]);
    if (left.length > 0) return PDFRawStream.of(described, bytes);
    const isKept = isFlate && !filters[0]!.parameters;
    return PDFRawStream.of(described, isKept ? stream.contents : deflateSync(bytes));
  }

  #setFilters(dict: PDFDict, filters: readonly StreamFilter[]): void {
    const names = filters.map(({ filter }) => name(filter === 'LZWDecode' ? 'FlateDecode' : filter));
    dict.set(name('Filter'), names.length === 1 ? names[0]! : this.#to.obj(names));
    const parameters = filters.map(({ parameters: one }) => this.#copyValue(one ?? undefined, 'data', 0));
    if (parameters.every((one) => one === null)) return;
    dict.set(
      name('DecodeParms'),
      parameters.length === 1 ? parameters[0]! : this.#to.obj(parameters.map((one) => one ?? PDFNull)),
    );
  }
}
