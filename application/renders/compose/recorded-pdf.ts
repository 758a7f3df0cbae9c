const firstLine = Buffer.from('PDF of a part\n');

/**
 * An existing PDF as it is stored. Equal bytes are one blob, and a kept PDF is erased when its time is over. A caller can
 * send such a PDF as a part, so that of a part has a line before it, and is another blob.
 */
export const toRecordedPdf = (pdf: Uint8Array): Uint8Array => Buffer.concat([firstLine, pdf]);

/** The PDF in the blob of a part. */
export const fromRecordedPdf = (stored: Uint8Array): Uint8Array =>
  firstLine.equals(stored.subarray(0, firstLine.byteLength)) ? stored.subarray(firstLine.byteLength) : stored;
