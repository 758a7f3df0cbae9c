import { type AllStreamRecordedEvent, type EventData, jsonEvent } from '@kurrent/kurrentdb-client';
import { v5, validate } from 'uuid';
import type { Metadata } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { EventTooLarge, maxEventBytes, type NewEvent, type RecordedEvent } from '../port.ts';

/** What the names of the service's streams begin with. */
export const ownStreamPrefixes = Object.keys(streams).map((kind) => `${kind}-`);

/** Whether the service has streams with such a name; subscriptions and reads of the whole log find only those. */
export const isOwnStream = (stream: string): boolean => ownStreamPrefixes.some((prefix) => stream.startsWith(prefix));

/** How many events of others the server passes over before it tells a subscription how far it is. */
export const maxSearchWindow = 1024;

const uuidNamespace = '6f1c7a52-9d0e-4b0a-8a55-3c1f0f6f2b77';

/**
 * KurrentDB knows events by UUIDs alone. An id of another kind gets one that follows from it, so that a repeated append is still known;
 * the id itself is kept in the metadata.
 */
const uuidOf = (id: string): string => (validate(id) && id === id.toLowerCase() ? id : v5(id, uuidNamespace));

const requireEventSize = (part: unknown, type: string): void => {
  const json: string | undefined = JSON.stringify(part);
  if (json === undefined) throw new TypeError(`event ${type} has a part that is no JSON: ${typeof part}`);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes) throw new EventTooLarge(type, bytes);
};

type MetadataEnvelope = { eventId: string; schemaVersion: number };

/**
 * An event as KurrentDB keeps it.
 * @throws EventTooLarge, TypeError
 */
export const toKurrentDbEvent = ({ id, type, version, data, metadata }: NewEvent): EventData => {
  requireEventSize(data, type);
  requireEventSize(metadata, type);
  const envelope: MetadataEnvelope = { eventId: id, schemaVersion: version };
  return jsonEvent({ id: uuidOf(id), type, data, metadata: { ...envelope, ...metadata } });
};

/** A position of KurrentDB as a number; it is an offset in bytes, so that the limit of exact numbers is 8 PiB of log away. */
export const positionOf = (position: bigint): number => {
  const number = Number(position);
  if (!Number.isSafeInteger(number)) throw new RangeError(`position ${position} of KurrentDB is no exact number`);
  return number;
};

const hasEnvelope = (metadata: unknown): metadata is MetadataEnvelope & Metadata =>
  typeof metadata === 'object' &&
  metadata !== null &&
  typeof (metadata as Partial<MetadataEnvelope>).eventId === 'string' &&
  typeof (metadata as Partial<MetadataEnvelope>).schemaVersion === 'number';

/** An event as the port has it; undefined for one that another application recorded. */
export const fromKurrentDbEvent = ({
  type,
  data,
  metadata: kept,
  streamId,
  revision,
  position,
}: AllStreamRecordedEvent): RecordedEvent | undefined => {
  if (!hasEnvelope(kept)) return undefined;
  const { eventId, schemaVersion, ...metadata } = kept;
  return {
    id: eventId,
    type,
    version: schemaVersion,
    data,
    metadata,
    stream: streamId,
    revision: positionOf(revision),
    // Within one append each event has a prepare position of its own.
    position: positionOf(position.prepare),
  } as RecordedEvent;
};
