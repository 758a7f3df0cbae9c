/** The input types that are files of an office program, with their media types. The data is base64. */
export const officeMediaTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  doc: 'application/msword',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const;
export type OfficeInputType = keyof typeof officeMediaTypes;

export const isOfficeInputType = (inputType: string): inputType is OfficeInputType =>
  Object.hasOwn(officeMediaTypes, inputType);
