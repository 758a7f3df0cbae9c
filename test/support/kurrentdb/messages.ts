import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import type { StreamIdentifier, UUID } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type {
  BatchAppendReq,
  ReadResp,
} from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import { parse, stringify } from 'uuid';
import type { ProposedEvent, StoredEvent } from './stand-in-event-log.ts';

const { UUID: Uuid, Empty } = shared;
const { ReadResp: Response } = streams;

/** Reads an id of the protocol: text, or two signed 64-bit numbers. */
export const idOf = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured();
  if (!structured) return (uuid?.getString() ?? '').toLowerCase();
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt(structured.getMostSignificantBits()), 0);
  bytes.writeBigInt64BE(BigInt(structured.getLeastSignificantBits()), 8);
  return stringify(bytes);
};

export const uuidOf = (id: string): UUID => {
  parse(id);
  const uuid = new Uuid();
  uuid.setString(id);
  return uuid;
};

export const nameOf = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier!.getStreamName_asU8()).toString('utf8');

const identifierOf = (stream: string): StreamIdentifier => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
};

export const empty = () => new Empty();

export const proposedOf = (
  message: Pick<BatchAppendReq.ProposedMessage, 'getId' | 'getMetadataMap' | 'getData_asU8' | 'getCustomMetadata_asU8'>,
): ProposedEvent => ({
  id: idOf(message.getId()),
  type: message.getMetadataMap().get('type')!,
  contentType: message.getMetadataMap().get('content-type')!,
  data: Buffer.from(message.getData_asU8()),
  metadata: Buffer.from(message.getCustomMetadata_asU8()),
});

const ticksInMs = 10_000n;

export const eventMessage = (event: StoredEvent): ReadResp => {
  const recorded = new Response.ReadEvent.RecordedEvent();
  recorded.setId(uuidOf(event.id));
  recorded.setStreamIdentifier(identifierOf(event.stream));
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.getMetadataMap().set('created', String(BigInt(event.createdMs) * ticksInMs));
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.metadata);
  const read = new Response.ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(String(event.position));
  const response = new Response();
  response.setEvent(read);
  return response;
};

export const checkpointMessage = (position: number): ReadResp => {
  const checkpoint = new Response.Checkpoint();
  checkpoint.setCommitPosition(String(position));
  checkpoint.setPreparePosition(String(position));
  const response = new Response();
  response.setCheckpoint(checkpoint);
  return response;
};

export const confirmationMessage = (): ReadResp => {
  const confirmation = new Response.SubscriptionConfirmation();
  confirmation.setSubscriptionId(crypto.randomUUID());
  const response = new Response();
  response.setConfirmation(confirmation);
  return response;
};

export const caughtUpMessage = (): ReadResp => {
  const response = new Response();
  response.setCaughtUp(new Response.CaughtUp());
  return response;
};

export const notFoundMessage = (stream: string): ReadResp => {
  const notFound = new Response.StreamNotFound();
  notFound.setStreamIdentifier(identifierOf(stream));
  const response = new Response();
  response.setStreamNotFound(notFound);
  return response;
};
