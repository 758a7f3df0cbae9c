import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { count } from '#libs/telemetry/metrics.ts';
import { interfaceAddresses, createOwnAddressCheck } from './address.ts';
import { createAddressPolicy } from './address-policy.ts';
import { createAgentPool } from './agent-pool.ts';
import { parseAllowList } from './allow-list.ts';
import { sendWebhookRequest, type WebhookRequest, type WebhookResult } from './webhook-client.ts';
import { createEgressConnector, loadTrustStore } from './connector.ts';
import { createDialler, type Dial } from './dial.ts';
import { defaultLimits, type EgressLimits } from './limits.ts';
import { startProxy, type DocumentProxy } from './proxy.ts';
import type { Resolve } from './resolve.ts';
import { createSystemResolver, defaultResolverSources, type ResolverSources } from './system-resolver.ts';
import { EgressError, type OnEgressError } from './errors.ts';

export type { WebhookRequest, WebhookResult } from './webhook-client.ts';
export type { DocumentProxy } from './proxy.ts';

/** What the door needs of a logger; pino has it. */
export type EgressLogger = { warn: (fields: Record<string, unknown>, message: string) => void };

export type EgressOptions = {
  /** The operator's exceptions: host, host:port, *.suffix, *.suffix:port, or an address range. */
  allowList: string[];
  /** A PEM file of authorities to trust beside the machine's own. */
  caFile?: string;
  logger: EgressLogger;
  /** How names become addresses, where it is not the machine's way. */
  resolve?: Resolve;
  /** Where the machine's way finds names, where it is not /etc/hosts and the name servers of /etc/resolv.conf. */
  resolverSources?: Partial<ResolverSources>;
  limits?: Partial<EgressLimits>;
  /** The addresses of this machine, which are refused; by default those of its network interfaces. */
  ownAddresses?: () => string[];
};

export type Egress = {
  /** Opens a proxy for one document of a browser, as its only way out. */
  openProxy: () => Promise<DocumentProxy>;
  /** Sends a callback; settles with what came of it, whatever the receiver does. */
  sendWebhook: (call: WebhookRequest) => Promise<WebhookResult>;
  /** Ends all connections, running ones too. */
  close: () => Promise<void>;
};

const createRefusalLogger =
  (log: EgressLogger, client: 'browser' | 'webhook'): OnEgressError =>
  (error, target) => {
    if (!(error instanceof EgressError) || !error.refusal) return;
    const { code, logFields } = error.refusal;
    count('colophon.egress.blocked', 1, { client, reason: code });
    log.warn({ client, refused: code, ...target, ...logFields }, `egress refused: ${error.fields.reason}`);
  };

/**
 * Opens the one way to the outside. Everything that leaves is resolved once, admitted only where all of its addresses are
 * public or excepted, connected to just those, and limited. Throws on a malformed exception or CA file.
 */
export const openEgress = async (settings: EgressOptions): Promise<Egress> => {
  const limits = { ...defaultLimits, ...settings.limits };
  const now = () => performance.now();
  const proxies = new Set<DocumentProxy>();
  const admit = createAddressPolicy({
    allowList: parseAllowList(settings.allowList),
    resolve:
      settings.resolve ?? createSystemResolver({ ...defaultResolverSources, ...settings.resolverSources }, limits, now),
    lookupTimeoutMs: limits.lookupTimeoutMs,
    minNotFoundMs: limits.minNotFoundMs,
    clock: { now, pause },
    isOwnAddress: createOwnAddressCheck(settings.ownAddresses ?? interfaceAddresses, now),
    isProxyPort: (port) => [...proxies].some((proxy) => proxy.port === port),
  });
  const dial = createDialler(admit, limits);
  const secureContext = await loadTrustStore(settings.caFile);
  const agentOver = (own: Dial, idleMs: number): Agent =>
    new Agent({
      connect: createEgressConnector(own, secureContext, limits.connectTimeoutMs),
      allowH2: false,
      pipelining: 1,
      connections: limits.maxConnectionsPerHost,
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
  const [browserTrouble, callbackTrouble] = [
    createRefusalLogger(settings.logger, 'browser'),
    createRefusalLogger(settings.logger, 'webhook'),
  ];
  const callbackAgents = createAgentPool((account) =>
    agentOver((target, signal) => dial(target, { account, signal }), 0),
  );
  const openProxy = async (): Promise<DocumentProxy> => {
    const started = await startProxy({
      createAgent: (own) => agentOver(own, limits.idleTimeoutMs),
      dial,
      limits,
      onError: browserTrouble,
    });
    let closed: Promise<unknown> | undefined;
    const proxy: DocumentProxy = {
      ...started,
      close: async () => {
        await (closed ??= started.close().then(() => proxies.delete(proxy)));
      },
    };
    proxies.add(proxy);
    return proxy;
  };
  return {
    openProxy,
    sendWebhook: (call) =>
      callbackAgents.withAgent(call.account, (agent) => sendWebhookRequest(agent, call, limits, callbackTrouble)),
    close: async () => {
      await Promise.all([...[...proxies].map((proxy) => proxy.close()), callbackAgents.destroy()]);
    },
  };
};
