import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from 'undici';
import { count } from '#libs/telemetry/metrics.ts';
import { interfaceAddresses, createOwnAddressCheck } from './address.ts';
import { createAddressPolicy } from './address-policy.ts';
import { createAgentPool } from './agent-pool.ts';
import { parseAllowList } from './allow-list.ts';
import { sendWebhookRequest, type WebhookRequest, type WebhookResult } from './webhook-client.ts';
import { createDialler, type Dial } from './dial.ts';
import { defaultLimits, type EgressLimits } from './limits.ts';
import { type ProviderRequest, requestProvider } from './provider-client.ts';
import { startProxy, type DocumentProxy } from './proxy.ts';
import type { Resolve } from './resolve.ts';
import { openTrustStore } from './trust-store.ts';
import { createSystemResolver, defaultResolverSources, type ResolverSources } from './system-resolver.ts';
import { EgressError, type OnEgressError } from './errors.ts';

export type { ResponseHeaders, WebhookRequest, WebhookResult } from './webhook-client.ts';
export type { DocumentProxy } from './proxy.ts';

/** The part of a pino logger that egress uses. */
export type EgressLogger = { warn: (fields: Record<string, unknown>, message: string) => void };

export type EgressOptions = {
  /** Targets that the operator allows: host, host:port, *.suffix, *.suffix:port, or an address range. */
  allowList: string[];
  /** A PEM file of certificate authorities to trust in addition to the machine's own. */
  caFile?: string;
  logger: EgressLogger;
  /** Replaces the resolver. The default reads the hosts file, then queries DNS. */
  resolve?: Resolve;
  /** Replaces the sources of the default resolver: /etc/hosts and the name servers of /etc/resolv.conf. */
  resolverSources?: Partial<ResolverSources>;
  limits?: Partial<EgressLimits>;
  /** The addresses of this machine, which are blocked. The default: those of its network interfaces. */
  ownAddresses?: () => string[];
};

export type Egress = {
  /** Starts a proxy for one document. It is the only network access of the document. @throws Error after `close` */
  openProxy: () => Promise<DocumentProxy>;
  /** Sends a webhook request. Network and receiver errors are results, not exceptions. */
  sendWebhook: (request: WebhookRequest) => Promise<WebhookResult>;
  /** Sends a request to the operator's identity provider; reads all of the response. @throws EgressError */
  requestProvider: (url: string, options: ProviderRequest) => Promise<Response>;
  /** Closes all connections, also those in use. */
  close: () => Promise<void>;
};

/** A script of a document can send any number of requests, and would fill the log. */
const maxLoggedPerDocument = 200;

/** Counts blocked requests, and logs the first `maxLogged`. */
const createBlockLogger = (
  logger: EgressLogger,
  client: 'browser' | 'webhook',
  maxLogged = Number.POSITIVE_INFINITY,
): OnEgressError => {
  let blocked = 0;
  return (error, target) => {
    if (!(error instanceof EgressError) || !error.block) return;
    const { code, logFields } = error.block;
    count('colophon.egress.blocked', 1, { client, reason: code });
    blocked += 1;
    if (blocked > maxLogged) return;
    const more = blocked === maxLogged ? ' Later ones of this document are only counted.' : '';
    const message = `egress blocked a request: ${error.fields.reason}${more}`;
    logger.warn({ client, blocked: code, ...target, ...logFields }, message);
  };
};

/**
 * Opens egress, which makes all outgoing connections. It resolves each name once, blocks it unless all addresses found are
 * public or allowed, connects only to these addresses, and limits time and size.
 * @throws Error when the allow list or the CA file is invalid
 */
export const openEgress = async (options: EgressOptions): Promise<Egress> => {
  const limits = { ...defaultLimits, ...options.limits };
  const now = () => performance.now();
  const proxies = new Set<DocumentProxy>();
  let isClosed = false;
  const addressPolicy = createAddressPolicy({
    allowList: parseAllowList(options.allowList),
    resolve:
      options.resolve ?? createSystemResolver({ ...defaultResolverSources, ...options.resolverSources }, limits, now),
    lookupTimeoutMs: limits.lookupTimeoutMs,
    minNotFoundMs: limits.minNotFoundMs,
    clock: { now, pause },
    isOwnAddress: createOwnAddressCheck(options.ownAddresses ?? interfaceAddresses, now),
    isProxyPort: (port) => [...proxies].some((proxy) => proxy.port === port),
  });
  const dial = createDialler(addressPolicy, limits);
  const trustStore = openTrustStore(options.caFile);
  /** Loads undici only when an agent is needed, because that takes a tenth of the processor time of a start. */
  const loadAgentFactory = async (idleTimeoutMs: number) => {
    const { createEgressAgent } = await import('./agent.ts');
    return (agentDial: Dial): Agent => createEgressAgent({ dial: agentDial, trustStore, limits, idleTimeoutMs });
  };
  const logBlockedWebhookRequest = createBlockLogger(options.logger, 'webhook');
  const agents = createAgentPool();
  const withAgentOf = async <T>(account: string, work: (agent: Agent) => Promise<T>): Promise<T> => {
    const createAgent = await loadAgentFactory(0);
    return agents.withAgent(account, () => createAgent((target, signal) => dial(target, { account, signal })), work);
  };
  const openProxy = async (): Promise<DocumentProxy> => {
    const started = await startProxy({
      loadAgentFactory: () => loadAgentFactory(limits.idleTimeoutMs),
      dial,
      limits,
      onError: createBlockLogger(options.logger, 'browser', maxLoggedPerDocument),
    });
    let closed: Promise<unknown> | undefined;
    const proxy: DocumentProxy = {
      ...started,
      close: async () => {
        await (closed ??= started.close().then(() => proxies.delete(proxy)));
      },
    };
    proxies.add(proxy);
    if (isClosed) {
      await proxy.close();
      throw new Error('Egress is closed.');
    }
    return proxy;
  };
  return {
    openProxy,
    sendWebhook: (request) =>
      withAgentOf(request.account, (agent) => sendWebhookRequest(agent, request, limits, logBlockedWebhookRequest)),
    requestProvider: (url, request) =>
      withAgentOf('identity provider', (agent) => requestProvider(agent, url, request)),
    close: async () => {
      isClosed = true;
      await Promise.all([...[...proxies].map((proxy) => proxy.close()), agents.destroy()]);
    },
  };
};
