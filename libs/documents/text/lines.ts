/** The line, from 1, on which the character at `offset` stands. CR LF, LF and CR end a line. */
export const lineAt = (text: string, offset: number): number => (text.slice(0, offset).match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
