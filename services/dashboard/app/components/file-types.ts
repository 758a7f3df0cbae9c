/** The media types of the images that a render can give, by the end of a file's name. */
export const imageTypes: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' };

export const zipType = 'application/zip';

/** The end of the name of a file of this media type. */
export const extensionOf = (contentType: string | undefined): string =>
  contentType === zipType
    ? 'zip'
    : (Object.keys(imageTypes).find((extension) => imageTypes[extension] === contentType) ?? 'pdf');
