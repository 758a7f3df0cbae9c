import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { Classification } from '#libs/documents/html/classify.ts';
import type { HeaderFooterContent } from './header-footer/parse.ts';
import type { Warning } from './document/resources.ts';

export type PrintRequest = {
  html: string;
  /** What the document asks of a browser; decides how it is printed. */
  classification: Classification;
  /** Whose document it is: a long one holds up no others but those of the same group. */
  group?: string;
  /** Prints it in a browser of its own, where neither can another document end it nor it another document. Takes as long as a browser takes to start. */
  isolated?: boolean;
  /** Looks closely at the document while it is printed, which takes longer, and puts here what there is to see. The PDF is the same. */
  diagnostics?: PrintDiagnostics;
  options: RenderOptions;
  /** The bands of the options, where they have been read already. */
  headerFooterContents?: HeaderFooterContent[] | undefined;
  /** The dates of the PDF, and `{{date}}` (UTC). */
  requestedAt: Date;
  /**
   * `processingMs` is what is left of the document's deadline, which counts from when it has a browser; `waitMs` is how long it may wait for one, as long
   * unless given; `maxPages` is null where there is no limit.
   */
  limits: { processingMs: number; waitTimeoutMs?: number; scriptMs: number; maxPages: number | null };
};

export type PrintResult = {
  pdf: Uint8Array;
  pages: number;
  timings: { waitMs: number; loadMs: number; printMs: number };
  warnings: Warning[];
  /** The browser's own name and version. */
  engine: string;
};

type LogMethod = (facts: object, message: string) => void;
/** The part of a pino logger that is used here. */
export type PrinterLogger = { info: LogMethod; warn: LogMethod; error: LogMethod };

/** What a document's scripts, or the browser about it, said. */
export type ConsoleMessage = { level: 'debug' | 'info' | 'warning' | 'error'; text: string };
/** A font that text was set in; `embedded` where the document brought it along. */
export type FontUse = { family: string; embedded: boolean; glyphs: number };
/** A font that text asked for first, and those that it was set in for want of it. */
export type MissingFont = { family: string; substitutes: string[] };

/** What can be learnt of a document while it is printed, by looking closely, which takes time. It is filled as the document goes on, so that one that fails leaves what there was until then. */
export type PrintDiagnostics = {
  console: ConsoleMessage[];
  /** How many messages there were beyond those kept. */ omittedMessages: number;
  fonts: { used: FontUse[]; missing: MissingFont[] } | null;
};

export const emptyPrintDiagnostics = (): PrintDiagnostics => ({ console: [], omittedMessages: 0, fonts: null });
