import type { Settings } from '#libs/config/settings.ts';
import type { Logger } from '#libs/telemetry/log.ts';

const isLoopback = (host: string): boolean => /^(127\.[\d.]+|::1|localhost)$/i.test(host);

/** Warns where API keys and documents can be read on the way: the API listens beyond this machine, and neither it nor a proxy before it speaks TLS. */
export const warnOfPlainHttp = ({ host, baseUrl, tlsCertFile }: Pick<Settings, 'host' | 'baseUrl' | 'tlsCertFile'>, logger: Pick<Logger, 'warn'>): void => {
  if (isLoopback(host) || tlsCertFile || baseUrl.startsWith('https://')) return;
  logger.warn({ host }, 'the API listens beyond this machine without TLS, so keys and documents can be read on the way: set TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL to the https:// address of the proxy that ends TLS');
};
