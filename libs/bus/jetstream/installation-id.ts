import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { isNoRespondersError } from '#libs/nats/no-responders.ts';

const requestTimeoutMs = 2_000;
const wrongLastSequenceCodes = new Set<number | undefined>([10_071, 10_164]);

type PubAck = { error?: { code: number; err_code: number; description: string } };

const isNotFound = (error: unknown): boolean =>
  isNoRespondersError(error) ||
  (error instanceof JetStreamApiError &&
    [JetStreamApiCodes.StreamNotFound as number, JetStreamApiCodes.NoMessageFound as number].includes(error.code));

/** The installation that the streams of a bus belong to, stored as the only message of its own stream. */
export const openInstallationId = (
  waitForConnection: () => Promise<NatsConnection>,
  prefix: string,
  replicas: number,
) => {
  const [stream, subject] = [`${prefix}-installation`, `${prefix}.installation`];
  const manager = async () =>
    jetstreamManager(await waitForConnection(), { checkAPI: false, timeout: requestTimeoutMs });

  const installationId = async (): Promise<string | null> => {
    try {
      return (await (await manager()).streams.getMessage(stream, { last_by_subj: subject }))?.string() ?? null;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  };

  return {
    installationId,
    setInstallationId: async (id: string): Promise<string> => {
      await (
        await manager()
      ).streams.add({
        name: stream,
        subjects: [subject],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        num_replicas: replicas,
      });
      const onlyAsFirstMessage = headers();
      onlyAsFirstMessage.set('Nats-Expected-Last-Subject-Sequence', '0');
      const connection = await waitForConnection();
      const response = await connection.request(subject, Buffer.from(id), {
        timeout: requestTimeoutMs,
        headers: onlyAsFirstMessage,
      });
      const { error } = response.json<PubAck>();
      if (error && !wrongLastSequenceCodes.has(error.err_code)) throw new JetStreamApiError(error);
      return (await installationId())!;
    },
  };
};
