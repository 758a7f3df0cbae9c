import { similarTo } from '#libs/spelling/similar.ts';
import type { Environment } from './define-setting.ts';
import { settingTable } from './setting-table.ts';

const prefix = 'COLOPHON_';
const variables = Object.values(settingTable).map(({ variable }) => variable);

/** Names that the documentation, the set-up and the tests use, and that the service may inherit. */
const otherNames = new Set(['COLOPHON_KEY', 'COLOPHON_URL', 'COLOPHON_OFFICE', 'COLOPHON_TEST_ENVIRONMENT']);

/** Kubernetes sets such variables in every container for a service with the name `colophon` or `colophon-...`. */
const isOfKubernetes = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)(?:_\w+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$/.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value));

/** The setting that a name means: one without the prefix, or one with a similar name. */
const meantBy = (name: string): string | null => {
  const rest = name.slice(prefix.length);
  const candidates = variables.filter((variable) => variable.startsWith(prefix));
  return variables.find((variable) => variable === rest) ?? similarTo(name, candidates) ?? null;
};

/**
 * The variables that begin with `COLOPHON_` and are no setting, each with the setting that was probably meant. Variables
 * with other names can belong to other programs.
 */
export const findUnknownVariables = (env: Environment): { variable: string; didYouMean: string | null }[] =>
  Object.entries(env)
    .filter(([name, value = '']) => name.startsWith(prefix) && value !== '' && !isOfKubernetes(name, value))
    .filter(([name]) => !variables.includes(name) && !otherNames.has(name))
    .map(([variable]) => ({ variable, didYouMean: meantBy(variable) }));
