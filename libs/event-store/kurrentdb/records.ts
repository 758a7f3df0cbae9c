import { type EventData, jsonEvent } from '@kurrent/kurrentdb-client';
import type { ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import { v5, validate } from 'uuid';
import type { Metadata } from '#contracts/events/metadata.ts';
import { EventTooLarge, maxEventBytes, type NewEvent, type RecordedEvent } from '../port.ts';

const namespace = '6f1c7a52-9d0e-4b0a-8a55-3c1f0f6f2b77';

/** KurrentDB knows events by UUIDs alone. An id of another kind gets one that follows from it, so that a repeated append is still known; the id itself goes along in the metadata. */
const uuidOf = (id: string): string => (validate(id) && id === id.toLowerCase() ? id : v5(id, namespace));

const checkSize = (part: unknown, type: string): void => {
  const json: string | undefined = JSON.stringify(part);
  if (json === undefined) throw new TypeError(`event ${type} has a part that is no JSON: ${typeof part}`);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes) throw new EventTooLarge(type, bytes);
};

type Envelope = { eventId: string; schemaVersion: number };

/**
 * An event as KurrentDB keeps it.
 * @throws EventTooLarge, TypeError
 */
export const toKurrent = ({ id, type, version, data, metadata }: NewEvent): EventData => {
  checkSize(data, type);
  checkSize(metadata, type);
  const envelope: Envelope = { eventId: id, schemaVersion: version };
  return jsonEvent({ id: uuidOf(id), type, data, metadata: { ...envelope, ...metadata } });
};

/** A position of KurrentDB as a number; it is an offset in bytes, so that the limit of exact numbers is 8 PiB of log away. */
export const positionOf = (position: string | bigint): number => {
  const number = Number(position);
  if (!Number.isSafeInteger(number)) throw new RangeError(`position ${position} of KurrentDB is no exact number`);
  return number;
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(text(bytes));
  } catch {
    return undefined;
  }
};

const isEnvelope = (metadata: unknown): metadata is Envelope & Metadata =>
  typeof metadata === 'object' && metadata !== null && typeof (metadata as Partial<Envelope>).eventId === 'string' && typeof (metadata as Partial<Envelope>).schemaVersion === 'number';

/** An event as the port has it; undefined for one that somebody else recorded. */
export const fromKurrent = (recorded: ReadResp.ReadEvent.RecordedEvent): RecordedEvent | undefined => {
  const envelope = parsed(recorded.getCustomMetadata_asU8());
  const data = parsed(recorded.getData_asU8());
  if (!isEnvelope(envelope) || data === undefined) return undefined;
  const { eventId, schemaVersion, ...metadata } = envelope;
  return {
    id: eventId,
    type: recorded.getMetadataMap().get('type')!,
    version: schemaVersion,
    data,
    metadata,
    stream: text(recorded.getStreamIdentifier()!.getStreamName_asU8()),
    revision: positionOf(recorded.getStreamRevision()),
    // Within one append each event has a prepare position of its own.
    position: positionOf(recorded.getPreparePosition()),
  } as RecordedEvent;
};
