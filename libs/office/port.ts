import type { OfficeInputType } from '#contracts/http/office-types.ts';

/** The file formats that an office program lays out. */
export type OfficeFormat = OfficeInputType;

export type OfficeRequest = {
  file: Uint8Array;
  /** The name of the file without its extension, for fields of the document. */
  title: string;
  format: OfficeFormat;
  /** The account of the document: a slow document delays others of the same group first. */
  group: string;
  /** Uses a process of its own, which no other document used before. */
  isolated: boolean;
  tagged: boolean;
  outline: boolean;
  /** Only these pages, such as `1-3,5`. */
  pageRanges?: string | undefined;
  /** The time that the document sees, and the date of the PDF. */
  requestedAt: Date;
  /** The time left for the document once it has a process, and how long it may wait for one. */
  limits: { processingMs: number; waitTimeoutMs: number };
};

export type OfficeResult = {
  pdf: Buffer;
  /** Such as `LibreOffice/7.4.7.2`. */
  version: string;
  timings: { waitMs: number; loadMs: number; printMs: number };
};

export type OfficeHealth = {
  processes: number;
  running: number;
  waiting: number;
  starts: number;
  crashes: number;
  documents: number;
  memoryMb: number;
};

/** Lays documents out as their office program does, and gives their PDF. */
export type Office = {
  /** Why documents cannot be laid out, and how to mend it; null if they can. */
  missing(): string | null;
  /** The same request always gives the same bytes. @throws ApiError */
  convert(request: OfficeRequest): Promise<OfficeResult>;
  health(): OfficeHealth;
  close(): Promise<void>;
};
