/** The body of an error of `POST /render`. */
export type ErrorResponse = {
  error: string;
  message: string;
  line?: number;
  part?: string;
  valid_values?: string[];
  errors?: { message: string; line?: number }[];
};

/** The error of a document whose type is unknown, in the words of the command line. */
export const unknownTypeText = ({ valid_values: types = [] }: ErrorResponse, file: string): string =>
  /\.pdf$/i.test(file)
    ? `${file} is a PDF already. Name several files to put it into one PDF with others.`
    : `The type of ${file} is unknown. Name it with --input-type: ${types.join(', ')}.`;

/** The messages of an error, with the lines of the file that it is about. */
export const errorText = ({ message, line, errors }: ErrorResponse, file: string): string => {
  const beforeLine = file === '-' ? 'Line' : `${file}, line`;
  const lines = (errors ?? [{ message, ...(line === undefined ? {} : { line }) }]).map((error) =>
    error.line === undefined || error.message.includes(`line ${error.line}`)
      ? error.message
      : `${beforeLine} ${error.line}: ${error.message}`,
  );
  return lines.join('\n');
};
