import { AddressError } from '#libs/engines/remote.ts';

/** A valid connection string. `url` is for the driver; `hosts` is for messages, without credentials. */
export type KurrentDbAddress = { url: string; hosts: string };

const addressPattern =
  /^(?:esdb|kurrentdb|kurrent|kdb)(?<discover>\+discover)?:\/\/(?:(?<credentials>[^@/?]*)@)?(?<hosts>[^@/?]*)\/*(?:\?(?<options>.*))?$/;
const hostPattern = /^[^\s:]+(?::\d{1,5})?$/;

type OptionFormat = { pattern: RegExp; name: string };
const booleanFormat: OptionFormat = { pattern: /^(true|false)$/, name: 'true or false' };
const integerFormat: OptionFormat = { pattern: /^-?\d+$/, name: 'a whole number' };
const textFormat: OptionFormat = { pattern: /./, name: 'some text' };
const nodePreferenceFormat: OptionFormat = {
  pattern: /^(leader|follower|random|read[_-]?only[_-]?replica)$/i,
  name: 'leader, follower, random or readOnlyReplica',
};

const optionFormats: Readonly<Record<string, OptionFormat>> = {
  tls: booleanFormat,
  tlsVerifyCert: booleanFormat,
  tlsCAFile: textFormat,
  userCertFile: textFormat,
  userKeyFile: textFormat,
  nodePreference: nodePreferenceFormat,
  connectionName: textFormat,
  defaultDeadline: integerFormat,
  maxDiscoverAttempts: integerFormat,
  discoveryInterval: integerFormat,
  gossipTimeout: integerFormat,
  keepAliveInterval: integerFormat,
  keepAliveTimeout: integerFormat,
};

const addressError = (what: string): AddressError => new AddressError(`EVENT_STORE_URL ${what}`);

const normalisedOptionName = (option: string): string => option.toLowerCase().replaceAll(/[_-]/g, '');

// For an unknown option the driver writes the whole connection string to standard error, so unknown options are rejected here.
const checkOptions = (given: string): void => {
  for (const pair of given.split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=');
    if (normalisedOptionName(name) === 'throwonappendfailure')
      throw addressError(`has the option "${name}"; leave it out.`);
    const [, format] =
      Object.entries(optionFormats).find(([known]) => normalisedOptionName(known) === normalisedOptionName(name)) ?? [];
    if (!format)
      throw addressError(`has an unknown option "${name}"; allowed are ${Object.keys(optionFormats).join(', ')}.`);
    if (value === '') throw addressError(`has an option "${name}" without a value.`);
    if (!format.pattern.test(value)) throw addressError(`has an option "${name}" that is not ${format.name}.`);
  }
};

/**
 * Reads a connection string of KurrentDB or EventStoreDB.
 * @throws AddressError with a message that never contains the password
 */
export const parseKurrentDbAddress = (url: string): KurrentDbAddress => {
  const parts = addressPattern.exec(url.trim())?.groups;
  if (!parts)
    throw addressError(
      'is not a KurrentDB address; allowed is kurrentdb://user:password@host:2113?tls=true, ' +
        'or kurrentdb+discover://... for a cluster.',
    );
  const { discover = '', credentials, hosts = '', options: given = '' } = parts;
  const all = hosts.split(',');
  if (!all.every((one) => hostPattern.test(one)))
    throw addressError(`has "${hosts}" where host:port is expected, several with commas between them.`);
  if (credentials !== undefined && !/^[^:]+:[^:]+$/.test(credentials))
    throw addressError(
      'has credentials that are not user:password; write the characters : @ / ? within them as %3A %40 %2F %3F.',
    );
  checkOptions(given);
  const credentialsPart = credentials === undefined ? '' : `${credentials}@`;
  return {
    url: `kurrentdb${discover}://${credentialsPart}${hosts}${given === '' ? '' : `?${given}`}`,
    hosts: all.join(', '),
  };
};
