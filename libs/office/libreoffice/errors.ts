import { ApiError } from '#contracts/http/api-error.ts';
import type { OfficeFormat } from '../port.ts';

const title = (format: OfficeFormat): string => format.toUpperCase();

export const timeoutError = (processingMs: number): ApiError =>
  ApiError.of('processing_timeout', `The document could not be laid out within ${processingMs / 1000} seconds.`, {
    timeout_seconds: processingMs / 1000,
  });

/** Two processes have crashed, of which the second had only this document. */
export const crashError = (format: OfficeFormat, memoryMb: number): ApiError =>
  ApiError.of(
    'conversion_failed',
    `LibreOffice crashed twice on the ${title(format)}: the file is probably damaged, or needs more memory than one document may use. ` +
      'Save it again, or split it.',
    { details: { reason: 'crashed', limit_mb: memoryMb } },
  );

/** LibreOffice could not read the document, or not write its PDF. */
export const conversionError = (format: OfficeFormat, step: 'load' | 'save', reason: string): ApiError => {
  const details = {
    reason: step === 'load' ? 'cannot be read' : 'cannot be printed',
    ...(reason && { message: reason.slice(0, 300) }),
  };
  if (step === 'save')
    return ApiError.of('conversion_failed', `LibreOffice could not write the PDF of the ${title(format)}.`, {
      details,
    });
  const message = `The ${title(format)} is damaged or protected with a password: LibreOffice cannot read it.`;
  return ApiError.of(format === 'docx' ? 'invalid_docx' : 'invalid_document', message, { details });
};
