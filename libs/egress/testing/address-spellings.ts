import fc from 'fast-check';

type Octets = [number, number, number, number];

const octetsWithin = (...octets: (number | [number, number])[]): fc.Arbitrary<Octets> =>
  fc.tuple(
    ...octets.map((octet) =>
      typeof octet === 'number' ? fc.constant(octet) : fc.integer({ min: octet[0], max: octet[1] }),
    ),
  ) as fc.Arbitrary<Octets>;

const anyOctet: [number, number] = [0, 255];

/** IPv4 addresses that are not public. */
export const privateOctets = fc.oneof(
  octetsWithin(127, anyOctet, anyOctet, anyOctet),
  octetsWithin(10, anyOctet, anyOctet, anyOctet),
  octetsWithin(172, [16, 31], anyOctet, anyOctet),
  octetsWithin(192, 168, anyOctet, anyOctet),
  octetsWithin(169, 254, anyOctet, anyOctet),
  octetsWithin(100, [64, 127], anyOctet, anyOctet),
  octetsWithin(0, anyOctet, anyOctet, anyOctet),
);

const radixes = [
  (n: number) => n.toString(10),
  (n: number) => `0${n.toString(8)}`,
  (n: number) => `0x${n.toString(16)}`,
  (n: number) => `0X00${n.toString(16).toUpperCase()}`,
];

/** The last part of a short form contains all remaining octets: 127.1, 10.258, 2130706433. */
const addressParts = (octets: Octets, count: number): number[] => {
  const tail = octets.slice(count - 1).reduce((value, octet) => value * 256 + octet, 0);
  return [...octets.slice(0, count - 1), tail];
};

const hostVariants = [
  (host: string) => host,
  (host: string) => `${host}.`,
  (host: string) => host.replaceAll('.', '。'),
  (host: string) => host.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (host: string) => host.replace(/\d/g, (digit) => `%3${digit}`),
  (host: string) => host.replace(/\d/g, (digit) => `${digit}\u00ad`),
];

const hex = (octets: number[]) => octets.map((octet) => octet.toString(16).padStart(2, '0')).join('');

const ipv6Spellings = [
  ([a, b, c, d]: Octets) => `[::ffff:${a}.${b}.${c}.${d}]`,
  ([a, b, c, d]: Octets) => `[::ffff:${hex([a, b])}:${hex([c, d])}]`,
  ([a, b, c, d]: Octets) => `[0:0:0:0:0:FFFF:${hex([a, b])}:${hex([c, d])}]`,
  ([a, b, c, d]: Octets) => `[::${a}.${b}.${c}.${d}]`,
  ([a, b, c, d]: Octets) => `[64:ff9b::${a}.${b}.${c}.${d}]`,
  ([a, b, c, d]: Octets) => `[2002:${hex([a, b])}:${hex([c, d])}::1]`,
];

/** All known ways to write an IPv4 address as the host of a URL. */
export const addressSpelling = (octets: Octets): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(...radixes), { minLength: 4, maxLength: 4 }),
        fc.constantFrom(...hostVariants),
      )
      .map(([count, chosenRadixes, toHostVariant]) =>
        toHostVariant(
          addressParts(octets, count)
            .map((part, i) => (chosenRadixes[i] ?? String)(part))
            .join('.'),
        ),
      ),
    fc.constantFrom(...ipv6Spellings).map((spell) => spell(octets)),
  );
