import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumModule } from '@hyzyla/pdfium';
import { ApiError } from '#contracts/http/api-error.ts';

/** The pixels of a page, row by row: red, green, blue, and alpha if there are four channels. */
export type Pixels = { data: Uint8Array; width: number; height: number; channels: 3 | 4 };

export type OpenedPdf = {
  /** The size of each page in points of 1/72 inch. */
  pages: { width: number; height: number }[];
  /**
   * Draws a page, in white or on a transparent background. The pixels are valid until the next call.
   * @throws Error if the page cannot be drawn
   */
  draw: (index: number, size: { width: number; height: number }, isTransparent: boolean) => Pixels;
};

type Module = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_InitLibrary: () => void;
  _FPDF_GetPageSizeByIndexF: (document: number, index: number, size: number) => number;
  HEAPF32: Float32Array;
};

/** Constants of public/fpdfview.h. */
const bitmapFormats = { bgr: 2, bgra: 4 };
const renderAnnotations = 0x01;
const reverseByteOrder = 0x10;
const white = 0xffffffff;
const transparentWhite = 0x00ffffff;

/** The most memory of the module: the largest image, and three times as much for the document. */
const maxMemoryBytes = 768 * 2 ** 20;

const wasmFile = (): Promise<Uint8Array<ArrayBuffer>> =>
  readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
let compiled: Promise<WebAssembly.Module> | undefined;

/** An instance of its own for every document: nothing of one is left for the next, and its memory is freed. */
const openModule = async (): Promise<Module> => {
  const wasm = await (compiled ??= wasmFile().then((bytes) => WebAssembly.compile(bytes)));
  const instantiateWasm = (imports: WebAssembly.Imports, onInstance: (instance: never) => void) => {
    const environment = imports['env'] as { emscripten_resize_heap: (bytes: number) => boolean };
    const resize = environment.emscripten_resize_heap;
    environment.emscripten_resize_heap = (bytes) => bytes >>> 0 <= maxMemoryBytes && resize(bytes);
    void WebAssembly.instantiate(wasm, imports).then((instance) => onInstance(instance as never));
    return {};
  };
  const module = (await PDFiumModule({ instantiateWasm })) as Module;
  module._FPDF_InitLibrary();
  return module;
};

const allocate = (module: Module, bytes: number): number => {
  const pointer = module.wasmExports.malloc(bytes);
  if (pointer === 0) throw new Error('PDFium has no more memory');
  return pointer;
};

const copyRows = (pixels: Uint8Array, stride: number, rowBytes: number, height: number): Uint8Array => {
  if (stride === rowBytes) return pixels;
  for (let row = 1; row < height; row += 1) pixels.copyWithin(row * rowBytes, row * stride, row * stride + rowBytes);
  return pixels.subarray(0, rowBytes * height);
};

const readSizes = (module: Module, document: number): OpenedPdf['pages'] => {
  const size = allocate(module, 8);
  return Array.from({ length: module._FPDF_GetPageCount(document) }, (_, index) => {
    module._FPDF_GetPageSizeByIndexF(document, index, size);
    return { width: module.HEAPF32[size >> 2]!, height: module.HEAPF32[(size >> 2) + 1]! };
  });
};

/** Opens a PDF to draw its pages. @throws Error if it cannot be read */
export const openPdf = async (pdf: Uint8Array): Promise<OpenedPdf> => {
  const module = await openModule();
  const bytes = allocate(module, pdf.byteLength);
  module.HEAPU8.set(pdf, bytes);
  const document = module._FPDF_LoadMemDocument(bytes, pdf.byteLength, 0);
  if (document === 0) throw new Error(`PDFium cannot read the PDF: error ${module._FPDF_GetLastError()}`);
  let bitmapMemory = { pointer: 0, bytes: 0 };
  /** The memory of the last bitmap if it is large enough, so that the heap has no gaps. */
  const memoryFor = (needed: number): number => {
    if (bitmapMemory.bytes >= needed) return bitmapMemory.pointer;
    if (bitmapMemory.pointer !== 0) module.wasmExports.free(bitmapMemory.pointer);
    bitmapMemory = { pointer: allocate(module, needed), bytes: needed };
    return bitmapMemory.pointer;
  };
  return {
    pages: readSizes(module, document),
    draw: (index, { width, height }, isTransparent) => {
      const channels = isTransparent ? 4 : 3;
      const stride = Math.ceil((width * channels) / 4) * 4;
      const memory = memoryFor(stride * height);
      const page = module._FPDF_LoadPage(document, index);
      const format = isTransparent ? bitmapFormats.bgra : bitmapFormats.bgr;
      const bitmap = module._FPDFBitmap_CreateEx(width, height, format, memory, stride);
      if (page === 0 || bitmap === 0) throw new Error(`PDFium cannot draw page ${index + 1}`);
      module._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, isTransparent ? transparentWhite : white);
      const flags = renderAnnotations | reverseByteOrder;
      module._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
      module._FPDFBitmap_Destroy(bitmap);
      module._FPDF_ClosePage(page);
      const data = module.HEAPU8.subarray(memory, memory + stride * height);
      return { data: copyRows(data, stride, width * channels, height), width, height, channels };
    },
  };
};

/** An error of PDFium, also a trap of the module, as an error of the document. */
export const asDrawingError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : ApiError.of('conversion_failed', 'The pages cannot be drawn as images. Render a PDF, or simplify the document.', {
        details: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
      });
