const extension = /\.[a-z0-9]{1,8}$/i;

/** A title from the name of a file: without its folders and its extensions. Undefined without a name. */
export const titleFromFileName = (fileName: string | null | undefined): string | undefined => {
  const name = fileName?.split(/[\\/]/).at(-1)?.trim() ?? '';
  // A PDF of a file can have two: `orders.csv.pdf`.
  const title = name
    .replace(/\.pdf$/i, '')
    .replace(extension, '')
    .trim();
  return title === '' ? undefined : title;
};
