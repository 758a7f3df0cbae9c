import { type AllStreamRecordedEvent, type EventData, jsonEvent } from '@kurrent/kurrentdb-client';
import { v5, validate } from 'uuid';
import type { Metadata } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { EventTooLarge, maxEventBytes, type NewEvent, type RecordedEvent } from '../port.ts';

/** The prefixes of the service's stream names. */
export const ownStreamPrefixes = Object.keys(streams).map((kind) => `${kind}-`);

/** Whether the name has a prefix of the service. Subscriptions and reads of the whole log return only such streams. */
export const isOwnStream = (stream: string): boolean => ownStreamPrefixes.some((prefix) => stream.startsWith(prefix));

/** How many events that do not match its filter a subscription passes before the server sends a checkpoint. */
export const maxSearchWindow = 1024;

const uuidNamespace = '6f1c7a52-9d0e-4b0a-8a55-3c1f0f6f2b77';

/**
 * KurrentDB event ids are UUIDs. For another id a UUID is derived from it, so that a repeated append is still recognised. The
 * metadata contains the original id.
 */
const uuidOf = (id: string): string => (validate(id) && id === id.toLowerCase() ? id : v5(id, uuidNamespace));

const requireEventSize = (part: unknown, type: string): void => {
  const json: string | undefined = JSON.stringify(part);
  if (json === undefined) throw new TypeError(`event ${type} has a part that is not JSON: ${typeof part}`);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes) throw new EventTooLarge(type, bytes);
};

type MetadataEnvelope = { eventId: string; schemaVersion: number };

/**
 * An event in the form of KurrentDB.
 * @throws EventTooLarge, TypeError
 */
export const toKurrentDbEvent = ({ id, type, version, data, metadata }: NewEvent): EventData => {
  requireEventSize(data, type);
  requireEventSize(metadata, type);
  const envelope: MetadataEnvelope = { eventId: id, schemaVersion: version };
  return jsonEvent({ id: uuidOf(id), type, data, metadata: { ...envelope, ...metadata } });
};

/** A position of KurrentDB as a number. Positions are byte offsets, so they are exact up to 8 PiB. */
export const positionOf = (position: bigint): number => {
  const number = Number(position);
  if (!Number.isSafeInteger(number)) throw new RangeError(`position ${position} of KurrentDB is not a safe integer`);
  return number;
};

const hasEnvelope = (metadata: unknown): metadata is MetadataEnvelope & Metadata =>
  typeof metadata === 'object' &&
  metadata !== null &&
  typeof (metadata as Partial<MetadataEnvelope>).eventId === 'string' &&
  typeof (metadata as Partial<MetadataEnvelope>).schemaVersion === 'number';

/** An event in the form of the port; undefined if another application recorded it. */
export const fromKurrentDbEvent = ({
  type,
  data,
  metadata: storedMetadata,
  streamId,
  revision,
  position,
}: AllStreamRecordedEvent): RecordedEvent | undefined => {
  if (!hasEnvelope(storedMetadata)) return undefined;
  const { eventId, schemaVersion, ...metadata } = storedMetadata;
  return {
    id: eventId,
    type,
    version: schemaVersion,
    data,
    metadata,
    stream: streamId,
    revision: positionOf(revision),
    // Each event of an append has its own prepare position.
    position: positionOf(position.prepare),
  } as RecordedEvent;
};
