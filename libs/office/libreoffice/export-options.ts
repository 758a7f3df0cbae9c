import type { OfficeRequest } from '../port.ts';

type ExportOptions = Record<string, { type: string; value: string }>;

const flag = (value: boolean) => ({ type: 'boolean', value: String(value) });

/** The options of LibreOffice's PDF export (help: "PDF Export Command Line Parameters"). */
export const exportOptions = ({ tagged, outline, pageRanges }: OfficeRequest): ExportOptions => ({
  UseTaggedPDF: flag(tagged || outline),
  ExportBookmarks: flag(outline),
  ExportNotes: flag(false),
  ExportFormFields: flag(false),
  ReduceImageResolution: flag(false),
  Quality: { type: 'long', value: '92' },
  ...(pageRanges !== undefined && { PageRange: { type: 'string', value: pageRanges } }),
});
