import { AddressError } from '#libs/engines/remote.ts';

/** A checked connection string: `url` for the driver, `where` for people, without credentials. */
export type Address = { url: string; where: string };

const form = /^(?<scheme>esdb|kurrentdb|kurrent|kdb)(?<discover>\+discover)?:\/\/(?:(?<credentials>[^@/?]*)@)?(?<hosts>[^@/?]*)\/*(?:\?(?<options>.*))?$/;
const host = /^[^\s:]+(?::\d{1,5})?$/;

type Form = { pattern: RegExp; name: string };
const truth: Form = { pattern: /^(true|false)$/, name: 'true or false' };
const number: Form = { pattern: /^-?\d+$/, name: 'a whole number' };
const text: Form = { pattern: /./, name: 'some text' };
const node: Form = { pattern: /^(leader|follower|random|read[_-]?only[_-]?replica)$/i, name: 'leader, follower, random or readOnlyReplica' };

const options: Readonly<Record<string, Form>> = {
  tls: truth, tlsVerifyCert: truth, tlsCAFile: text, userCertFile: text, userKeyFile: text, nodePreference: node, connectionName: text, defaultDeadline: number,
  maxDiscoverAttempts: number, discoveryInterval: number, gossipTimeout: number, keepAliveInterval: number, keepAliveTimeout: number,
};

const wrong = (what: string): AddressError => new AddressError(`EVENT_STORE_URL ${what}`);

const flat = (option: string): string => option.toLowerCase().replaceAll(/[_-]/g, '');

// The driver writes what it does not know to standard error together with the whole connection string, so that nothing unknown may reach it.
const checkOptions = (given: string): void => {
  for (const pair of given.split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=');
    if (flat(name) === 'throwonappendfailure') throw wrong(`has the option "${name}"; leave it out.`);
    const [, form] = Object.entries(options).find(([known]) => flat(known) === flat(name)) ?? [];
    if (!form) throw wrong(`has an option "${name}" that is not known; allowed are ${Object.keys(options).join(', ')}.`);
    if (value === '') throw wrong(`has an option "${name}" without a value.`);
    if (!form.pattern.test(value)) throw wrong(`has an option "${name}" that is not ${form.name}.`);
  }
};

/**
 * Reads a connection string of KurrentDB or EventStoreDB.
 * @throws AddressError with a sentence that never holds the password.
 */
export const addressOf = (url: string): Address => {
  const parts = form.exec(url.trim())?.groups;
  if (!parts) throw wrong('is no address of a KurrentDB; it looks like kurrentdb://user:password@host:2113?tls=true, or kurrentdb+discover://... for a cluster.');
  const { discover = '', credentials, hosts = '', options: given = '' } = parts;
  const all = hosts.split(',');
  if (!all.every((one) => host.test(one))) throw wrong(`has "${hosts}" where host:port is expected, several with commas between them.`);
  if (credentials !== undefined && !/^[^:]+:[^:]+$/.test(credentials)) throw wrong('has credentials that are not user:password; write the characters : @ / ? within them as %3A %40 %2F %3F.');
  checkOptions(given);
  const before = credentials === undefined ? '' : `${credentials}@`;
  return { url: `kurrentdb${discover}://${before}${hosts}${given === '' ? '' : `?${given}`}`, where: all.join(', ') };
};
