import { Pool } from 'undici';
import { openTestInstallation, type TestInstallation, type RunningService } from '../support/service/installation.ts';

/** A service as users run it, an account without limits, and a small client. */
export type Bench = {
  installation: TestInstallation;
  service: RunningService;
  key: string;
  accountId: string;
  /** Sends a request with the key and reads the whole response. */
  request(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Buffer }>;
};

export const withBenchService = async <T>(
  settings: Record<string, string>,
  use: (bench: Bench) => Promise<T>,
  roles: readonly string[] = [],
): Promise<T> => {
  const installation = await openTestInstallation({ LOG_LEVEL: 'warn', ...settings });
  try {
    const service = await installation.start(...roles);
    const account = await installation.runJsonCommand<{ id: string }>(
      'account',
      'create',
      '--name',
      'bench',
      '--plan',
      'enterprise',
    );
    const { key } = await installation.runJsonCommand<{ key: string }>(
      'key',
      'create',
      '--account',
      account.id,
      '--type',
      'live',
    );
    const pool = new Pool(service.url, { connections: 128, pipelining: 1 });
    const sendRequest: Bench['request'] = async (method, path, body, headers = {}) => {
      const response = await pool.request({
        method,
        path,
        body: body ?? null,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
      });
      return { status: response.statusCode, body: Buffer.from(await response.body.arrayBuffer()) };
    };
    try {
      return await use({ installation, service, key, accountId: account.id, request: sendRequest });
    } finally {
      await pool.destroy();
      await service.stop('SIGTERM');
    }
  } finally {
    await installation.remove();
  }
};

/** Returns the body; throws if the status is not the expected one. */
export const requireStatus = ({ status, body }: { status: number; body: Buffer }, expected = 200): Buffer => {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${body.toString().slice(0, 500)}`);
  return body;
};
