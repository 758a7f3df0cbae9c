import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type Settings, SettingsError } from '#libs/config/settings.ts';

/** A started server. `address` is where it listens. */
export type HttpServer = { address(): AddressInfo | string | null; stop(): Promise<void> };

type ListenAddress = { host: string; port: number; portVariable: string };

const listenErrors: Record<string, (address: ListenAddress) => string> = {
  EADDRINUSE: ({ port, portVariable }) => `Port ${port} is in use; set ${portVariable} to a free port.`,
  EACCES: ({ port, portVariable }) =>
    `This user may not listen on port ${port}; set ${portVariable} to a port from 1024 on.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine; set HOST to one that is.`,
  ENOTFOUND: ({ host }) => `The host name ${host} has no address; set HOST to an address of this machine.`,
};

/** Runs `listen`, which listens at the address. @throws SettingsError if the process cannot */
export const listenAt = async (address: ListenAddress, listen: () => Promise<unknown>): Promise<void> => {
  try {
    await listen();
  } catch (error) {
    const describe = listenErrors[(error as NodeJS.ErrnoException).code ?? ''];
    throw describe ? new SettingsError(describe(address)) : error;
  }
};

/** Checks that the process can listen at the address, by listening for a moment. @throws SettingsError if it cannot */
export const requireFreePort = async (address: ListenAddress): Promise<void> => {
  const server = createServer();
  await listenAt(address, () => once(server.listen(address.port, address.host), 'listening'));
  server.close();
  await once(server, 'close');
};

type ListenSettings = Pick<Settings, 'host' | 'port' | 'healthPort'>;

/** Where a process with an API listens. */
export const apiAddress = ({ host, port }: ListenSettings): ListenAddress => ({ host, port, portVariable: 'PORT' });

/** Where a process without an API listens. */
export const healthAddress = ({ host, healthPort }: ListenSettings): ListenAddress => ({
  host,
  port: healthPort,
  portVariable: 'HEALTH_PORT',
});

type TlsFile = { variable: string; file: string; content: string; use: (bytes: Buffer) => unknown };

/** The bytes of a file that TLS can use, or what is wrong with it. */
const readTlsFile = ({ variable, file, content, use }: TlsFile): Buffer | string => {
  try {
    const bytes = readFileSync(file);
    use(bytes);
    return bytes;
  } catch (error) {
    return `${variable} is "${file}"; it must be a file with ${content} in PEM: ${(error as Error).message}`;
  }
};

/** @throws SettingsError if the files are no certificate with its key */
export const tlsOptions = ({
  tlsCertFile,
  tlsKeyFile,
}: Pick<Settings, 'tlsCertFile' | 'tlsKeyFile'>): { tls?: { cert: Buffer; key: Buffer } } => {
  if (!tlsCertFile || !tlsKeyFile) return {};
  const cert = readTlsFile({
    variable: 'TLS_CERT_FILE',
    file: tlsCertFile,
    content: 'a certificate',
    use: (bytes) => createSecureContext({ cert: bytes }),
  });
  const key = readTlsFile({
    variable: 'TLS_KEY_FILE',
    file: tlsKeyFile,
    content: 'a private key without a password',
    use: (bytes) => createSecureContext({ key: bytes }),
  });
  if (typeof cert === 'string' || typeof key === 'string')
    throw new SettingsError([cert, key].filter((result) => typeof result === 'string').join('\n'));
  try {
    createSecureContext({ cert, key });
    return { tls: { cert, key } };
  } catch (error) {
    throw new SettingsError(
      `TLS_KEY_FILE must have the private key of the certificate in TLS_CERT_FILE: ${(error as Error).message}`,
    );
  }
};
