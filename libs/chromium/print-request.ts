import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { Classification } from '#libs/documents/html/classify.ts';
import type { HeaderFooterContent } from './header-footer/parse.ts';

/** A page at a URL. The headers and cookies are sent only to its origin. */
export type PageToLoad = {
  url: string;
  headers: Record<string, string>;
  cookies: { name: string; value: string; path?: string | undefined }[];
};

/** The page that was printed: its URL after all redirects, and the status of its response. */
export type LoadedPage = { url: string; status: number };

export type PrintRequest = {
  html: string;
  /** Printed instead of `html`. */
  page?: PageToLoad | undefined;
  /** Runs in the loaded document before it is printed, also if its own scripts may not run. */
  layoutExpression?: string;
  /** What the document needs from a browser; decides how it is printed. */
  classification: Classification;
  /** The account of the document: a slow document only delays others of the same group. */
  group: string;
  /**
   * Prints the document in its own browser, so that no other document can affect it or be affected. Takes as long as a
   * browser start.
   */
  isolated?: boolean;
  /** Where to write details about the document. Collecting them takes longer; the PDF is the same. */
  diagnostics?: PrintDiagnostics | undefined;
  /** Whether the PDF becomes a part of one that conforms to PDF/UA. */
  isForPdfUa?: boolean;
  options: RenderOptions;
  /** The header and footer of the options, if they are parsed already. */
  headerFooterContents?: HeaderFooterContent[] | undefined;
  /** Used for the dates of the PDF, and for `{{date}}` in the time zone of the options. */
  requestedAt: Date;
  /**
   * `processingMs` is the time left for the document once it has a browser. `waitTimeoutMs` is how long it may wait for
   * a browser. `maxPages` is null for no limit. `maxImages` is for a page at a URL; the images of other documents are
   * counted before.
   */
  limits: {
    processingMs: number;
    waitTimeoutMs: number;
    scriptMs: number;
    maxPages: number | null;
    maxImages?: number | null;
  };
};

export type PrintResult = {
  pdf: Uint8Array;
  pages: number;
  timings: { waitMs: number; loadMs: number; printMs: number };
  warnings: RenderWarning[];
  engine: string;
  /** For a page at a URL. */
  page?: LoadedPage;
};

type LogMethod = (fields: object, message: string) => void;
export type PrinterLogger = { info: LogMethod; warn: LogMethod; error: LogMethod };

/** A message of a document's scripts, or of the browser about the document. */
export type ConsoleMessage = { level: 'debug' | 'info' | 'warning' | 'error'; text: string };
/** A font used for text; `embedded` if the document supplied it. */
export type FontUse = { family: string; embedded: boolean; glyphs: number };
/** A font that the text names first but that is missing, and the fonts used instead, maybe with letters as wide. */
export type MissingFont = { family: string; substitutes: string[]; metric_compatible: boolean };

/**
 * Details collected while a document is printed. They are added during printing, so that a document that fails has
 * those collected until then.
 */
export type PrintDiagnostics = {
  console: ConsoleMessage[];
  omittedMessages: number;
  fonts: { used: FontUse[]; missing: MissingFont[] } | null;
};

export const emptyPrintDiagnostics = (): PrintDiagnostics => ({ console: [], omittedMessages: 0, fonts: null });
