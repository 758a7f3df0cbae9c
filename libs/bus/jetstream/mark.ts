import { JetStreamApiCodes, JetStreamApiError, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { isWithoutResponder } from '#libs/nats/responders.ts';

const answerMs = 2_000;
const wrongLastSequence = new Set<number | undefined>([10_071, 10_164]);

type PubAck = { error?: { code: number; err_code: number; description: string } };

const isMissing = (error: unknown): boolean =>
  isWithoutResponder(error) || (error instanceof JetStreamApiError && [JetStreamApiCodes.StreamNotFound as number, JetStreamApiCodes.NoMessageFound as number].includes(error.code));

/** The mark of a bus: the installation that its streams belong to, as the first and only message of a stream of its own. */
export const openMark = (connected: () => Promise<NatsConnection>, prefix: string, replicas: number) => {
  const [stream, subject] = [`${prefix}-installation`, `${prefix}.installation`];
  const api = async () => jetstreamManager(await connected(), { checkAPI: false, timeout: answerMs });

  const mark = async (): Promise<string | null> => {
    try {
      return (await (await api()).streams.getMessage(stream, { last_by_subj: subject }))?.string() ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  return {
    mark,
    setMark: async (id: string): Promise<string> => {
      await (await api()).streams.add({ name: stream, subjects: [subject], retention: RetentionPolicy.Limits, storage: StorageType.File, num_replicas: replicas });
      const head = headers();
      // The server takes it only as the first message under its subject.
      head.set('Nats-Expected-Last-Subject-Sequence', '0');
      const { error } = (await (await connected()).request(subject, Buffer.from(id), { timeout: answerMs, headers: head })).json<PubAck>();
      if (error && !wrongLastSequence.has(error.err_code)) throw new JetStreamApiError(error);
      return (await mark())!;
    },
  };
};
