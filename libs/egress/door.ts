import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { count } from '#libs/telemetry/metrics.ts';
import { admission } from './admission.ts';
import { readExceptions } from './allow.ts';
import { send, type Call, type Outcome } from './callback.ts';
import { doorConnector } from './connector.ts';
import { dialler } from './dial.ts';
import { interfaceAddresses, ownAddressCheck } from './own-addresses.ts';
import { defaultLimits, type EgressLimits } from './limits.ts';
import { startProxy } from './proxy.ts';
import { systemResolve, type Resolve } from './resolve.ts';
import { EgressError, type OnTrouble } from './trouble.ts';
import { trustStore } from './trust.ts';

export type { Call, Outcome } from './callback.ts';

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
  limits?: Partial<EgressLimits>;
  /** The addresses of this machine, which are refused; by default those of its network interfaces. */
  ownAddresses?: () => string[];
};

export type Egress = {
  /** `http://127.0.0.1:<port>`: the proxy that browsers have as their only way out. */
  proxyUrl: string;
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
 * Opens the one door to the outside. Everything that leaves is resolved once, admitted only where all of its addresses are
 * public or excepted, connected to just those, and limited. Throws on a malformed exception or CA file.
 */
export const openEgress = async (settings: EgressSettings): Promise<Egress> => {
  const limits = { ...defaultLimits, ...settings.limits };
  const ownPorts = new Set<number>();
  const dial = dialler(
    admission({
      exceptions: readExceptions(settings.allow),
      resolve: settings.resolve ?? systemResolve,
      lookupMs: limits.lookupMs,
      noHostMs: limits.noHostMs,
      clock: { now: () => performance.now(), pause },
      isOwnAddress: ownAddressCheck(settings.ownAddresses ?? interfaceAddresses, () => performance.now()),
      isOwnPort: (port) => ownPorts.has(port),
    }),
    limits,
  );
  const connect = doorConnector(dial, await trustStore(settings.caFile), limits.connectMs);
  const shared = { connect, allowH2: false, pipelining: 1, connections: limits.connectionsPerHost, maxHeaderSize: limits.headerBytes };
  const browserAgent = new Agent({ ...shared, headersTimeout: limits.idleMs, bodyTimeout: limits.idleMs });
  const callbackAgent = new Agent({ ...shared, headersTimeout: 0, bodyTimeout: 0 });
  const proxy = await startProxy({ agent: browserAgent, dial, limits, onTrouble: refusalLog(settings.log, 'browser') });
  ownPorts.add(proxy.port);
  return {
    proxyUrl: `http://127.0.0.1:${proxy.port}`,
    request: (call) => send(callbackAgent, call, limits, refusalLog(settings.log, 'callback')),
    close: async () => {
      await Promise.all([proxy.close(), browserAgent.destroy(), callbackAgent.destroy()]);
    },
  };
};
