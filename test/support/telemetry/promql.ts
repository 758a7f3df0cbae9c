import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A selector of an expression: the metric and its matchers. */
export type Selector = { metric: string; matchers: { label: string; op: string; value: string }[] };
export type PromqlExpression = {
  selectors: Selector[];
  /** The labels that the results are grouped by. */ groupingLabels: string[];
};

const inside = (node: SyntaxNode, names: ReadonlySet<string>): SyntaxNode[] => {
  const found: SyntaxNode[] = [];
  node.cursor().iterate((at) => {
    if (names.has(at.name)) found.push(at.node);
  });
  return found;
};

/**
 * Parses a PromQL expression with the grammar of Prometheus. Throws if it is invalid. `$__rate_interval` of Grafana is
 * replaced by a duration.
 */
export const parsePromql = (text: string): PromqlExpression => {
  const source = text.replaceAll('$__rate_interval', '5m');
  const tree = parser.parse(source);
  const of = (node: SyntaxNode): string => source.slice(node.from, node.to);
  tree.cursor().iterate(({ type, from }) => {
    if (type.isError) throw new Error(`no PromQL at character ${from}: ${source}`);
  });
  const selectors = inside(tree.topNode, new Set(['VectorSelector'])).map((selector): Selector => {
    const name = selector.getChild('Identifier');
    if (!name) throw new Error(`a selector without a metric: ${source}`);
    const matchers = inside(selector, new Set(['UnquotedLabelMatcher'])).map((matcher) => ({
      label: of(matcher.getChild('LabelName')!),
      op: of(matcher.getChild('MatchOp')!),
      value: of(matcher.getChild('StringLiteral')!).slice(1, -1),
    }));
    return { metric: of(name), matchers };
  });
  const grouped = inside(tree.topNode, new Set(['GroupingLabels'])).flatMap((labels) =>
    inside(labels, new Set(['LabelName'])).map(of),
  );
  return { selectors, groupingLabels: grouped };
};
