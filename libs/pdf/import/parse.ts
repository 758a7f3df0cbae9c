import {
  PDFArray,
  PDFCatalog,
  type PDFContext,
  PDFDict,
  PDFNumber,
  type PDFObject,
  PDFObjectParser,
  PDFParser,
  PDFRawStream,
  PDFRef,
  type PDFStream,
} from '@cantoo/pdf-lib';
import { ApiError } from '#contracts/http/api-error.ts';
import { name } from '../names-and-texts.ts';
import { type DecodeBudget, decodeStream } from './decode.ts';
import { damaged, invalidPdf, tooLarge } from './invalid-pdf.ts';
import { importLimits } from './limits.ts';

/** Counts values, and how deep they are nested. The parser catches errors, so that the first one is kept here. */
class ParseLimits {
  error: ApiError | null = null;
  readonly #decode: DecodeBudget;
  #values = 0;
  #depth = 0;

  constructor(decode: DecodeBudget) {
    this.#decode = decode;
  }

  nested<T>(parse: () => T): T {
    if (this.error) throw this.error;
    this.#values += 1;
    this.#depth += 1;
    try {
      if (this.#depth > importLimits.depth)
        this.fail(invalidPdf('nested_too_deeply', `The PDF nests objects more than ${importLimits.depth} times.`));
      if (this.#values > importLimits.values) this.fail(tooLarge(`it has more than ${importLimits.values} values`));
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }

  fail(error: ApiError): never {
    this.error ??= error;
    throw error;
  }

  /** Decodes a stream of objects. */
  decode(stream: PDFRawStream): Uint8Array {
    try {
      return decodeStream(stream, this.#decode).bytes;
    } catch (error) {
      return this.fail(error instanceof ApiError ? error : damaged('a stream of objects cannot be decoded'));
    }
  }
}

class LimitedObjectParser extends PDFObjectParser {
  readonly #limits: ParseLimits;
  static of(bytes: Uint8Array, context: PDFContext, limits: ParseLimits): LimitedObjectParser {
    // The byte stream is made by the class of pdf-lib, which does not export it.
    const { bytes: stream } = PDFObjectParser.forBytes(bytes, context) as unknown as { bytes: never };
    return new LimitedObjectParser(stream, context, limits);
  }
  constructor(stream: never, context: PDFContext, limits: ParseLimits) {
    super(stream, context);
    this.#limits = limits;
  }
  override parseObject(reference?: PDFRef): PDFObject {
    return this.#limits.nested(() => super.parseObject(reference));
  }
  integer(): number {
    this.skipWhitespaceAndComments();
    return this.parseRawInt();
  }
  moveTo(position: number): void {
    this.bytes.moveTo(position);
  }
}

const integerOf = (dict: PDFDict, key: string): number => {
  const value = dict.lookup(name(key));
  return value instanceof PDFNumber ? value.asNumber() : -1;
};

/** Reads the objects of an object stream into the context (ISO 32000-1, 7.5.7). */
const readObjectStream = (stream: PDFRawStream, context: PDFContext, limits: ParseLimits): void => {
  const bytes = limits.decode(stream);
  const [count, first] = [integerOf(stream.dict, 'N'), integerOf(stream.dict, 'First')];
  if (count < 0 || first < 0 || count > bytes.length || first > bytes.length)
    limits.fail(damaged('a stream of objects has a wrong length'));
  const parser = LimitedObjectParser.of(bytes, context, limits);
  try {
    const places = Array.from({ length: count }, () => ({ number: parser.integer(), offset: parser.integer() }));
    for (const { number, offset } of places) {
      if (first + offset > bytes.length) throw damaged('a stream of objects has a wrong length');
      parser.moveTo(first + offset);
      const reference = PDFRef.of(number);
      context.assign(reference, parser.parseObject(reference));
    }
  } catch (error) {
    limits.fail(error instanceof ApiError ? error : damaged('a stream of objects cannot be read'));
  }
};

/**
 * Reads all objects of a file from its beginning to its end, and the trailers. The cross-reference tables are not used,
 * so that wrong ones do no harm.
 */
class LimitedParser extends PDFParser {
  readonly limits: ParseLimits;
  constructor(bytes: Uint8Array, decode: DecodeBudget) {
    super(bytes);
    this.limits = new ParseLimits(decode);
  }
  override parseObject(reference?: PDFRef): PDFObject {
    return this.limits.nested(() => super.parseObject(reference));
  }
  /** Without a length, pdf-lib omits the end of line before `endstream`, which may belong to the data. */
  private withLineEnd(contents: Uint8Array): Uint8Array {
    const end = this.bytes.offset() - 'endstream'.length;
    const [before, last] = this.bytes.slice(end - 2, end);
    const length = last === 0x0a && before === 0x0d ? 2 : last === 0x0a || last === 0x0d ? 1 : 0;
    return Buffer.concat([contents, this.bytes.slice(end - length, end)]);
  }
  protected override parseDictOrStream(reference?: PDFRef): PDFDict | PDFStream {
    const object = super.parseDictOrStream(reference);
    if (!(object instanceof PDFRawStream)) return object;
    if (!(object.dict.get(name('Length')) instanceof PDFNumber)) object.contents = this.withLineEnd(object.contents);
    const type = object.dict.get(name('Type'));
    if (type === name('ObjStm')) {
      readObjectStream(object, this.context, this.limits);
      return PDFDict.withContext(this.context);
    }
    if (type === name('XRef')) {
      // pdf-lib takes the trailer from it. Without entries, it has nothing to count.
      object.dict.set(name('Index'), PDFArray.withContext(this.context));
      object.dict.delete(name('Filter'));
      if (integerOf(object.dict, 'Size') < 0) object.dict.set(name('Size'), PDFNumber.of(0));
      if (!(object.dict.lookup(name('W')) instanceof PDFArray))
        object.dict.set(name('W'), PDFArray.withContext(this.context));
    }
    return object;
  }
}

export type ParsedPdf = { context: PDFContext; catalog: PDFDict };

const encrypted = () =>
  invalidPdf('encrypted', 'The PDF is encrypted. Remove its password: "qpdf --decrypt --password=... a.pdf b.pdf".');

/**
 * Reads the objects of a PDF within limits.
 * @throws ApiError invalid_pdf
 */
export const parsePdf = async (pdf: Uint8Array, decode: DecodeBudget): Promise<ParsedPdf> => {
  const start = Buffer.from(pdf.buffer, pdf.byteOffset, Math.min(1024, pdf.byteLength)).toString('latin1');
  if (!start.includes('%PDF-')) throw invalidPdf('not_a_pdf', 'The data is not a PDF: it does not begin with "%PDF-".');
  const parser = new LimitedParser(pdf, decode);
  let context: PDFContext;
  try {
    context = await parser.parseDocument();
  } catch (error) {
    throw parser.limits.error ?? (error instanceof ApiError ? error : damaged('its objects cannot be read'));
  }
  // The streams of an encrypted file cannot be decoded, so this is the better reason.
  if (context.trailerInfo.Encrypt) throw encrypted();
  if (parser.limits.error) throw parser.limits.error;
  const catalog = context.lookup(context.trailerInfo.Root);
  if (!(catalog instanceof PDFCatalog || catalog instanceof PDFDict)) throw damaged('it has no catalog');
  return { context, catalog };
};
