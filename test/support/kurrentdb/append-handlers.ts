import {
  Metadata,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  status as statusCodes,
} from '@grpc/grpc-js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import status from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/status_pb.js';
import type { Status } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/status_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
} from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import wellKnown from 'google-protobuf/google/protobuf/empty_pb.js';
import type { ExpectedStreamState, StandInEventLog, AppendOutcome, ProposedEvent } from './stand-in-event-log.ts';
import { empty, idOf, nameOf, proposedOf, uuidOf } from './messages.ts';

type ExpectedRevisionOptions = Pick<BatchAppendReq.Options, 'hasAny' | 'hasNoStream' | 'hasStreamExists'>;

const expectedOf = (options: ExpectedRevisionOptions, revision: string): ExpectedStreamState => {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : Number(revision);
};

const wrongVersionStatus = (expected: ExpectedStreamState, current: number) => {
  const wrong = new shared.WrongExpectedVersion();
  if (current < 0) wrong.setCurrentNoStream(new wellKnown.Empty());
  else wrong.setCurrentStreamRevision(String(current));
  if (expected === 'any') wrong.setExpectedAny(new wellKnown.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new wellKnown.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new wellKnown.Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  const details = new any.Any();
  details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  const refusal = new status.Status();
  refusal.setDetails(details);
  return refusal;
};

const errorStatus = (name: string, error: { serializeBinary(): Uint8Array }) => {
  const details = new any.Any();
  details.pack(error.serializeBinary(), `event_store.client.${name}`);
  const refusal = new status.Status();
  refusal.setMessage(name);
  refusal.setDetails(details);
  return refusal;
};

/** The maximum size of all events of an append together. */
const maxAppendBytes = 1024 * 1024;
const appendTooLargeStatus = () => {
  const error = new shared.MaximumAppendSizeExceeded();
  error.setMaxappendsize(maxAppendBytes);
  return errorStatus('MaximumAppendSizeExceeded', error);
};
const appendTooLargeError = () => {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(maxAppendBytes));
  return { code: statusCodes.INVALID_ARGUMENT, details: 'Maximum Append Size Exceeded.', metadata };
};
const bytesOf = (events: readonly ProposedEvent[]): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);

const successOf = ({ revision, position }: { revision: number; position: number }) => {
  const at = new shared.AllStreamPosition();
  at.setCommitPosition(String(position));
  at.setPreparePosition(String(position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(revision));
  success.setPosition(at);
  return success;
};

type PendingAppend = { options: BatchAppendReq.Options; events: ProposedEvent[] };

/** Whether a response is sent to the caller or lost. */
export type ResponseDelivery = () => 'sent' | 'lost';

/**
 * Many appends on one call, each with its own correlation id and in one or more messages. Rejects an append whose deadline
 * has passed by the server's clock.
 */
export const createBatchAppendHandler =
  (eventLog: StandInEventLog, delivery: ResponseDelivery, now: () => number) =>
  (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    const pending = new Map<string, PendingAppend>();

    const refusalOf = ({ options, events }: PendingAppend): Status | undefined => {
      if (options.getDeadline21100()!.toDate().getTime() <= now()) return errorStatus('Timeout', new shared.Timeout());
      if (bytesOf(events) > maxAppendBytes) return appendTooLargeStatus();
      return events.some(({ type }) => type === '') ? errorStatus('BadRequest', new shared.BadRequest()) : undefined;
    };

    const respond = (correlationId: string, append: PendingAppend): void => {
      const { options, events } = append;
      const response = new streams.BatchAppendResp();
      response.setCorrelationId(uuidOf(correlationId));
      response.setStreamIdentifier(options.getStreamIdentifier());
      const refusal = refusalOf(append);
      if (refusal) {
        response.setError(refusal);
        call.write(response);
        return;
      }
      const expected = expectedOf(options, options.getStreamPosition());
      const outcome = eventLog.append(nameOf(options.getStreamIdentifier()), events, expected);
      if (delivery() === 'lost') return;
      if (outcome.kind === 'wrong version') response.setError(wrongVersionStatus(expected, outcome.current));
      else response.setSuccess(successOf(outcome));
      call.write(response);
    };

    call.on('data', (request: BatchAppendReq) => {
      const correlationId = idOf(request.getCorrelationId());
      const options = request.getOptions();
      if (options) pending.set(correlationId, { options, events: [] });
      const append = pending.get(correlationId)!;
      append.events.push(...request.getProposedMessagesList().map(proposedOf));
      if (!request.getIsFinal()) return;
      pending.delete(correlationId);
      respond(correlationId, append);
    });
    call.on('end', () => call.end());
  };

const responseOf = (outcome: AppendOutcome): AppendResp => {
  const response = new streams.AppendResp();
  if (outcome.kind === 'wrong version') {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.current < 0) wrong.setCurrentNoStream(empty());
    else wrong.setCurrentRevision(String(outcome.current));
    response.setWrongExpectedVersion(wrong);
    return response;
  }
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const success = new streams.AppendResp.Success();
  success.setCurrentRevision(String(outcome.revision));
  success.setPosition(position);
  response.setSuccess(success);
  return response;
};

/** One append on a call: first the options, then the events. */
export const createAppendHandler =
  (eventLog: StandInEventLog, delivery: ResponseDelivery) =>
  (call: ServerReadableStream<AppendReq, AppendResp>, respond: sendUnaryData<AppendResp>): void => {
    let options: AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.on('data', (request: AppendReq) => {
      if (request.hasOptions()) options = request.getOptions();
      else events.push(proposedOf(request.getProposedMessage()!));
    });
    call.on('end', () => {
      if (bytesOf(events) > maxAppendBytes) return respond(appendTooLargeError());
      const outcome = eventLog.append(
        nameOf(options!.getStreamIdentifier()),
        events,
        expectedOf(options!, options!.getRevision()),
      );
      if (delivery() === 'sent') respond(null, responseOf(outcome));
    });
  };
