import { z } from 'zod';

/** The image types, with their media types and file name extensions. */
export const imageTypes = {
  png: { contentType: 'image/png', extension: '.png' },
  jpeg: { contentType: 'image/jpeg', extension: '.jpg' },
  webp: { contentType: 'image/webp', extension: '.webp' },
} as const;
export type ImageType = keyof typeof imageTypes;

export const pdfContentType = 'application/pdf';
export const zipContentType = 'application/zip';

/** The media types of what a render gives. */
export const outputContentTypes = [
  pdfContentType,
  ...Object.values(imageTypes).map(({ contentType }) => contentType),
  zipContentType,
] as const;
export type OutputContentType = (typeof outputContentTypes)[number];

const extensions: Record<OutputContentType, string> = {
  [pdfContentType]: '.pdf',
  [zipContentType]: '.zip',
  'image/png': imageTypes.png.extension,
  'image/jpeg': imageTypes.jpeg.extension,
  'image/webp': imageTypes.webp.extension,
};

const imageDefaults = { dpi: 150, quality: 85, transparent: false };
export const minDpi = 36;
const maxDpi = 600;
/** The most pixels of one image: a page of A4 at 600 dpi has 34.8 million. */
export const maxImagePixels = 36_000_000;
/** The longest side of an image in pixels. That of WebP is in its format. */
export const maxImageSides: Record<ImageType, number> = { png: 32_767, jpeg: 32_767, webp: 16_383 };
/** The height of a thumbnail in pixels, at most. A higher page gives a narrower one. */
export const maxThumbnailHeight = 2_048;
export const defaultThumbnailWidth = 320;

export const outputOptionFields = {
  output: z
    .enum(['pdf', 'png', 'jpeg', 'webp'])
    .default('pdf')
    .describe(
      'What the render gives: a PDF, or its pages as images. One page is one image; several pages are a ZIP file ' +
        'with page-001.png and so on. `page_ranges` selects pages. tagged, outline, conformance, metadata, attachments, ' +
        'factur_x, encryption and thumbnail are only for PDFs.',
    ),
  dpi: z
    .number()
    .int()
    .min(minDpi)
    .max(maxDpi)
    .default(imageDefaults.dpi)
    .describe(
      'The pixels per inch of images, 36 to 600. An image has at most 36 million pixels, which is A4 at 600 dpi.',
    ),
  quality: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(imageDefaults.quality)
    .describe('The quality of images of the types jpeg and webp, 1 to 100.'),
  transparent: z
    .boolean()
    .default(imageDefaults.transparent)
    .describe('Leaves the background of images of the types png and webp transparent where the page is empty.'),
  thumbnail: z
    .union([z.boolean(), z.strictObject({ width: z.number().int().min(16).max(1024) })], {
      error: 'must be true, false, or an object with the width in pixels, 16 to 1024',
    })
    .optional()
    .describe(
      'An image of the first page beside the PDF: `true` for one that is 320 pixels wide, or `{"width": 640}`. The ' +
        'response has `thumbnail_base64`; where the PDF is kept, `thumbnail_url`. Not together with encryption.',
    ),
} as const;

/** The options that only a PDF can have. */
const pdfOnlyOptions = [
  'tagged',
  'outline',
  'conformance',
  'metadata',
  'attachments',
  'factur_x',
  'encryption',
  'thumbnail',
] as const;
/** The options that a kind of output cannot have, with the reason. */
const refusedOptions: ReadonlyMap<unknown, [options: readonly string[], message: string][]> = new Map([
  [
    'pdf',
    [
      [['dpi'], 'is allowed only with output png, jpeg or webp'],
      [['quality'], 'is allowed only with output jpeg or webp'],
      [['transparent'], 'is allowed only with output png or webp'],
    ],
  ],
  [
    'png',
    [
      [pdfOnlyOptions, 'is allowed only with output pdf, not with png'],
      [['quality'], 'is allowed only with output jpeg or webp: png keeps every pixel'],
    ],
  ],
  [
    'jpeg',
    [
      [pdfOnlyOptions, 'is allowed only with output pdf, not with jpeg'],
      [['transparent'], 'is allowed only with output png or webp: jpeg has no transparency'],
    ],
  ],
  ['webp', [[pdfOnlyOptions, 'is allowed only with output pdf, not with webp']]],
]);

type NamedOutput = { output?: 'pdf' | ImageType | undefined };
type OutputProblem = { field: string; message: string };

/** Whether an option asks for something. A default that is sent asks for nothing. */
const asks = (values: Record<string, unknown>, field: string): boolean =>
  ![undefined, null, false, (imageDefaults as Record<string, unknown>)[field]].includes(values[field]);

/** What contradicts the output in the named options of a render. */
export const findOutputProblems = (named: NamedOutput): OutputProblem[] => {
  const values: Record<string, unknown> = named;
  const problems = (refusedOptions.get(named.output ?? 'pdf') ?? []).flatMap(([options, message]) =>
    options.filter((field) => asks(values, field)).map((field) => ({ field, message })),
  );
  // A thumbnail is not encrypted.
  return asks(values, 'thumbnail') && asks(values, 'encryption')
    ? [...problems, { field: 'thumbnail', message: 'must not be sent together with encryption' }]
    : problems;
};

/**
 * The options of a template or document under those of a request: without those that the output which the request names
 * cannot have, and without a thumbnail if the request encrypts the PDF.
 */
export const withoutOtherOutput = <T extends NamedOutput>(below: T, request: NamedOutput): T => {
  const { output } = request;
  const dropped = [
    ...(output === undefined ? [] : (refusedOptions.get(output) ?? []).flatMap(([options]) => options)),
    ...(asks(request, 'encryption') ? ['thumbnail'] : []),
  ];
  return dropped.length === 0
    ? below
    : (Object.fromEntries(Object.entries(below).filter(([name]) => !dropped.includes(name))) as T);
};

const knownExtension = /\.(?:pdf|png|jpe?g|webp|zip)$/i;

/** A file name with the extension of what the file is. The extension of another kind of output is replaced. */
export const fileNameFor = (fileName: string, contentType: OutputContentType): string => {
  const extension = extensions[contentType];
  if (fileName.toLowerCase().endsWith(extension)) return fileName;
  if (contentType === 'image/jpeg' && /\.jpeg$/i.test(fileName)) return fileName;
  const stem = fileName.replace(/\.pdf$/i, '');
  return stem.toLowerCase().endsWith(extension) ? stem : `${stem.replace(knownExtension, '')}${extension}`;
};
