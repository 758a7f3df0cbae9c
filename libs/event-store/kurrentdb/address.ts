/** A checked connection string: `url` for the driver, `where` for people, without credentials. */
export type Address = { url: string; where: string };

const form = /^(?<scheme>esdb|kurrentdb|kurrent|kdb)(?<discover>\+discover)?:\/\/(?:(?<credentials>[^@/?]*)@)?(?<hosts>[^@/?]*)\/*(?:\?(?<options>.*))?$/;
const host = /^[^\s:]+(?::\d{1,5})?$/;
const knownOptions = [
  'tls', 'tlsVerifyCert', 'tlsCAFile', 'userCertFile', 'userKeyFile', 'nodePreference', 'connectionName', 'defaultDeadline', 'throwOnAppendFailure',
  'maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'keepAliveInterval', 'keepAliveTimeout',
];

const wrong = (what: string): Error => new Error(`EVENT_STORE_URL ${what}`);

const flat = (option: string): string => option.toLowerCase().replaceAll(/[_-]/g, '');

// The driver writes what it does not know to standard error together with the whole connection string, so that nothing unknown may reach it.
const checkOptions = (options: string): void => {
  for (const pair of options.split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=');
    if (!knownOptions.some((known) => flat(known) === flat(name))) throw wrong(`has an option "${name}" that is not known; allowed are ${knownOptions.join(', ')}.`);
    if (value === '') throw wrong(`has an option "${name}" without a value.`);
    if (flat(name) === 'throwonappendfailure' && value !== 'true') throw wrong('has throwOnAppendFailure; leave it out.');
  }
};

/**
 * Reads a connection string of KurrentDB or EventStoreDB.
 * @throws Error with a sentence that never holds the password.
 */
export const addressOf = (url: string): Address => {
  const parts = form.exec(url.trim())?.groups;
  if (!parts) throw wrong('is no address of a KurrentDB; it looks like kurrentdb://user:password@host:2113?tls=true, or kurrentdb+discover://... for a cluster.');
  const { discover = '', credentials, hosts = '', options = '' } = parts;
  const all = hosts.split(',');
  if (!all.every((one) => host.test(one))) throw wrong(`has "${hosts}" where host:port is expected, several with commas between them.`);
  if (credentials !== undefined && !/^[^:]+:[^:]+$/.test(credentials)) throw wrong('has credentials that are not user:password; write the characters : @ / ? within them as %3A %40 %2F %3F.');
  checkOptions(options);
  const before = credentials === undefined ? '' : `${credentials}@`;
  return { url: `kurrentdb${discover}://${before}${hosts}${options === '' ? '' : `?${options}`}`, where: all.join(', ') };
};
