import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderSource } from '#contracts/events/render-request.ts';

/** The blobs that a render reads, without those of the parts of a composed document. */
export const inputBlobs = ({
  source,
  headerFooter,
  largeOptions,
  encryption,
}: EventData['RenderRequested']): BlobRef[] => {
  const ofSource =
    source.mode === 'CONVERT'
      ? [source.input]
      : source.mode === 'COMPOSE'
        ? [source.manifest]
        : [source.content, source.settings, source.data];
  const others = [source.assets, headerFooter.header, headerFooter.footer, largeOptions, encryption?.sealed];
  return [...ofSource, ...others.flatMap((ref) => ref ?? [])];
};

/** The kind of input, as RenderCompleted records it. */
export const inputKindOf = (source: RenderSource): EventData['RenderCompleted']['input'] =>
  source.mode === 'CONVERT' ? source.inputType : source.mode === 'COMPOSE' ? 'composition' : 'template';
