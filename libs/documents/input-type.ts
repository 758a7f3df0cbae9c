export type InputType = 'html' | 'docx' | 'markdown' | 'xml' | 'csv' | 'json';

/** The input types that are text. */
export type TextType = Exclude<InputType, 'docx'>;

/** How a type is called in a message to the caller. */
export const typeTitles: Record<InputType, string> = { html: 'HTML', docx: 'DOCX', markdown: 'Markdown', xml: 'XML', csv: 'CSV', json: 'JSON' };
