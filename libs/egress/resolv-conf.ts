/** What resolv.conf(5) says about short names. The name servers are read by c-ares itself. */
export type SearchRules = {
  search: string[];
  /** A name with at least this many dots is tried as it is first. */
  ndots: number;
};

export const parseResolvConf = (text: string): SearchRules => {
  const rules: SearchRules = { search: [], ndots: 1 };
  for (const line of text.split(/\r?\n/)) {
    const [keyword, ...words] = line.replace(/[#;].*/, '').split(/\s+/).filter(Boolean);
    // The last of several lines counts, be it search or domain.
    if (keyword === 'search') rules.search = words.map((word) => word.replace(/\.$/, '')).filter(Boolean);
    if (keyword === 'domain') rules.search = words.slice(0, 1);
    const ndots = keyword === 'options' ? words.findLast((word) => /^ndots:\d+$/.test(word)) : undefined;
    if (ndots) rules.ndots = Math.min(15, Number(ndots.slice('ndots:'.length)));
  }
  return rules;
};

/** The full names that a name may stand for, in the order in which they are tried. */
export const fullNames = (host: string, { search, ndots }: SearchRules): string[] => {
  const longer = search.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= ndots ? [host, ...longer] : [...longer, host];
};
