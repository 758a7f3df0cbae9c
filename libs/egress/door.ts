import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { count } from '#libs/telemetry/metrics.ts';
import { interfaceAddresses, ownAddressCheck } from './address.ts';
import { admission } from './admission.ts';
import { agentPerAccount } from './agents.ts';
import { readExceptions } from './allow.ts';
import { send, type Call, type Outcome } from './callback.ts';
import { egressConnector, trustStore } from './connector.ts';
import { dialler, type Dial } from './dial.ts';
import { defaultLimits, type EgressLimits } from './limits.ts';
import { startProxy, type DocumentProxy } from './proxy.ts';
import type { Resolve } from './resolve.ts';
import { systemNames, systemSources, type NameSources } from './system-names.ts';
import { EgressError, type OnTrouble } from './trouble.ts';

export type { Call, Outcome } from './callback.ts';
export type { DocumentProxy } from './proxy.ts';

/** What the door needs of a logger; pino has it. */
export type EgressLog = { warn: (fields: Record<string, unknown>, message: string) => void };

export type EgressSettings = {
  /** The operator's exceptions: host, host:port, *.suffix, *.suffix:port, or an address range. */
  allow: string[];
  /** A PEM file of authorities to trust beside the machine's own. */
  caFile?: string;
  log: EgressLog;
  /** How names become addresses, where it is not the machine's way. */
  resolve?: Resolve;
  /** Where the machine's way finds names, where it is not /etc/hosts and the name servers of /etc/resolv.conf. */
  names?: Partial<NameSources>;
  limits?: Partial<EgressLimits>;
  /** The addresses of this machine, which are refused; by default those of its network interfaces. */
  ownAddresses?: () => string[];
};

export type Egress = {
  /** Opens a proxy for one document of a browser, as its only way out. */
  openProxy: () => Promise<DocumentProxy>;
  /** Sends a callback; settles with what came of it, whatever the receiver does. */
  request: (call: Call) => Promise<Outcome>;
  /** Ends all connections, running ones too. */
  close: () => Promise<void>;
};

const refusalLog = (log: EgressLog, way: 'browser' | 'callback'): OnTrouble => (error, target) => {
  if (!(error instanceof EgressError) || !error.refusal) return;
  const { code, forLog } = error.refusal;
  count('colophon.egress.refusals', 1, { way, reason: code });
  log.warn({ way, refused: code, ...target, ...forLog }, `egress refused: ${error.trouble.reason}`);
};

/**
 * Opens the one way to the outside. Everything that leaves is resolved once, admitted only where all of its addresses are
 * public or excepted, connected to just those, and limited. Throws on a malformed exception or CA file.
 */
export const openEgress = async (settings: EgressSettings): Promise<Egress> => {
  const limits = { ...defaultLimits, ...settings.limits };
  const now = () => performance.now();
  const proxies = new Set<DocumentProxy>();
  const admit = admission({
    exceptions: readExceptions(settings.allow),
    resolve: settings.resolve ?? systemNames({ ...systemSources, ...settings.names }, limits, now),
    lookupMs: limits.lookupMs,
    noHostMs: limits.noHostMs,
    clock: { now, pause },
    isOwnAddress: ownAddressCheck(settings.ownAddresses ?? interfaceAddresses, now),
    isOwnPort: (port) => [...proxies].some((proxy) => proxy.port === port),
  });
  const dial = dialler(admit, limits);
  const secureContext = await trustStore(settings.caFile);
  const agentOver = (own: Dial, idleMs: number): Agent =>
    new Agent({
      connect: egressConnector(own, secureContext, limits.connectMs),
      allowH2: false,
      pipelining: 1,
      connections: limits.connectionsPerHost,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
  const [browserTrouble, callbackTrouble] = [refusalLog(settings.log, 'browser'), refusalLog(settings.log, 'callback')];
  const callbackAgents = agentPerAccount((account) => agentOver((target, signal) => dial(target, { account, signal }), 0));
  const openProxy = async (): Promise<DocumentProxy> => {
    const started = await startProxy({ agentOver: (own) => agentOver(own, limits.idleMs), dial, limits, onTrouble: browserTrouble });
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
    request: (call) => callbackAgents.use(call.account, (agent) => send(agent, call, limits, callbackTrouble)),
    close: async () => {
      await Promise.all([...[...proxies].map((proxy) => proxy.close()), callbackAgents.destroy()]);
    },
  };
};
