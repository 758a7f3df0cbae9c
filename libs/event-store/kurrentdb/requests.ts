import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ReadReq } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import { streams as ours } from '#contracts/names.ts';

const { ReadReq: Request } = streams;
const { Options } = Request;
type Options = ReadReq.Options;

/** A place in the log as the server has it: an event's, or one that a checkpoint tells of. */
export type Place = { commit: bigint; prepare: bigint };
export const placeOf = (position: number): Place => ({ commit: BigInt(position), prepare: BigInt(position) });

const prefixes = Object.keys(ours).map((kind) => `${kind}-`);

/** Whether the service has streams of such a name; only those are found in the whole log. */
export const isOurs = (stream: string): boolean => prefixes.some((prefix) => stream.startsWith(prefix));

/** How many events the server passes over before it says how far it is. */
const searchWindow = 1024;

const requestOf = (options: Options): ReadReq => {
  const text = new Options.UUIDOption();
  text.setString(new shared.Empty());
  options.setUuidOption(text);
  return new Request().setOptions(options);
};

/** The system's own streams lie in between, and those of other applications may. */
const filtered = (options: Options): Options => {
  const names = new Options.FilterOptions.Expression();
  names.setPrefixList(prefixes);
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setMax(searchWindow);
  filter.setCheckpointintervalmultiplier(1);
  return options.setFilter(filter);
};

const allFrom = ({ commit, prepare }: Place) => {
  const all = new Options.AllOptions();
  if (commit === 0n) return all.setStart(new shared.Empty());
  const position = new Options.Position();
  position.setCommitPosition(String(commit));
  position.setPreparePosition(String(prepare));
  return all.setPosition(position);
};

/** At most `count` events of ours from this place on, itself included. */
export const readForwards = (from: Place, count: number): ReadReq => {
  const options = new Options();
  options.setAll(allFrom(from));
  options.setReadDirection(Options.ReadDirection.FORWARDS);
  options.setCount(String(count));
  return requestOf(filtered(options));
};

/** The newest event of ours. */
export const readNewest = (): ReadReq => {
  const options = new Options();
  options.setAll(new Options.AllOptions().setEnd(new shared.Empty()));
  options.setReadDirection(Options.ReadDirection.BACKWARDS);
  options.setCount('1');
  return requestOf(filtered(options));
};

/** Whatever of ours comes after this place, for ever. */
export const subscribeAfter = (place: Place): ReadReq => {
  const options = new Options();
  options.setAll(allFrom(place));
  options.setSubscription(new Options.SubscriptionOptions());
  return requestOf(filtered(options));
};

/** At most `count` events of a stream from a revision on. */
export const readStream = (stream: string, from: number, count = Number.MAX_SAFE_INTEGER): ReadReq => {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  const which = new Options.StreamOptions();
  which.setStreamIdentifier(name);
  which.setRevision(String(from));
  const options = new Options();
  options.setStream(which);
  options.setReadDirection(Options.ReadDirection.FORWARDS);
  options.setCount(String(count));
  options.setNoFilter(new shared.Empty());
  return requestOf(options);
};
