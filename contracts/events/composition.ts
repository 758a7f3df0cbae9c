import { z } from 'zod';
import { startOn } from '../http/compose.ts';
import { namedRenderOptions } from '../http/render-options.ts';
import { blobRef } from './blob-ref.ts';
import { renderSource } from './render-request.ts';

/**
 * A part of a composed document as it is recorded. `source`, `options` and `headerFooter` have the form of those of a
 * RenderRequested event, with the page options of the whole document among the options.
 */
const recordedPart = z.object({
  title: z.string().optional(),
  cover: z.boolean().optional(),
  startOn: startOn.optional(),
  source: z.union([
    renderSource,
    /** `fileName` is the name of an uploaded file. */
    z.object({ mode: z.literal('PDF'), input: blobRef, upload: z.object({ fileName: z.string() }).optional() }),
  ]),
  options: namedRenderOptions.omit({ header_html: true, footer_html: true, file_name: true, attachments: true }),
  headerFooter: z.object({ header: blobRef.nullable(), footer: blobRef.nullable() }),
  /** Default options of its template that do not apply to a part. */
  ignoredOptions: z.array(z.string()).optional(),
});
export type RecordedPart = z.output<typeof recordedPart>;

/** The blob `manifest` of the source of a composed document. */
export const composition = z.object({
  parts: z.array(recordedPart),
  contents: z
    .object({ title: z.string().optional(), depth: z.number().optional(), language: z.string().optional() })
    .nullable(),
});
export type Composition = z.output<typeof composition>;

/** The blobs of a part. */
export const blobsOfPart = ({ source, headerFooter }: RecordedPart): z.output<typeof blobRef>[] => {
  const ofSource =
    source.mode === 'RENDER'
      ? [source.content, source.settings, source.data]
      : source.mode === 'COMPOSE'
        ? [source.manifest]
        : [source.input];
  const assets = 'assets' in source ? source.assets : undefined;
  return [...ofSource, assets ?? null, headerFooter.header, headerFooter.footer].filter((ref) => ref !== null);
};
