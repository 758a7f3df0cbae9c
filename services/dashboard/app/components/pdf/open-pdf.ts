import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy, PDFWorker } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** One worker for all PDFs: to start another takes longer than to draw a page. */
let worker: PDFWorker | undefined;

export type OpenPdf = { document: PDFDocumentProxy; close: () => void };

/** Opens a PDF in the worker of pdf.js. Close it, or its memory stays in use. @throws PasswordException */
export const openPdf = async (pdf: Blob, password?: string): Promise<OpenPdf> => {
  const data = await pdf.arrayBuffer();
  worker ??= PDFWorker.create({ name: 'pdf' });
  const task = getDocument({
    data,
    worker,
    useWasm: false,
    enableXfa: false,
    ...(password !== undefined && { password }),
  });
  return { document: await task.promise, close: () => void task.destroy() };
};

/** Twice as many pixels as a simple screen has: at this size letters keep their distances. */
const sharpDensity = 2;
/** As many pixels as the screen has, at most twice as many as a simple one. */
export const screenDensity = (): number => Math.min(window.devicePixelRatio, sharpDensity);

/** Draws a page on a canvas of this width in CSS pixels. `density` is the number of its pixels for each of them. */
export const drawPage = async (
  document: PDFDocumentProxy,
  pageNumber: number,
  canvas: HTMLCanvasElement,
  width: number,
  density = sharpDensity,
): Promise<void> => {
  const page = await document.getPage(pageNumber);
  const viewport = page.getViewport({ scale: (width * density) / page.getViewport({ scale: 1 }).width });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport }).promise;
};
