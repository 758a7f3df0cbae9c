const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const pair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export type Sample = { metric: string; labels: Record<string, string>; value: number };

/** Parses the text format of Prometheus. Throws for an invalid line. */
export const parseExposition = (text: string): Sample[] =>
  text.split('\n').flatMap((row) => {
    if (row === '' || row.startsWith('#')) return [];
    const [, metric, labels = '', value] = line.exec(row) ?? [];
    if (!metric || Number.isNaN(Number(value))) throw new Error(`no sample: ${row}`);
    return [
      {
        metric,
        value: Number(value),
        labels: Object.fromEntries([...labels.matchAll(pair)].map(([, name, text_]) => [name!, text_!])),
      },
    ];
  });
