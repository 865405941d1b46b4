import { asArray, asBoolean, asNumeral, asString, isObject } from './shape.js';

/** What a node says it measured. */
export interface NodeMetric {
  /** the one objective; null where there are several values */
  readonly score: number | null;
  /** some value is finite */
  readonly gradable: boolean;
  readonly name: string | null;
  readonly is_lower_better: boolean | null;
  /** scores of other metrics or data sets are never compared with this one */
  readonly grader: string;
  /** of several values, each: `metric:<name>/<data set>:<lower|higher>=<value>` */
  readonly flags: readonly string[];
}

interface Value {
  readonly name: string;
  readonly dataset: string;
  readonly is_lower_better: boolean | null;
  readonly value: number | null;
}

const GRADER = 'ai-scientist-v2';

/** The metric of a node: one number, or metrics by name and data set; null where none was parsed. */
export function nodeMetric(metric: unknown): NodeMetric | null {
  if (!isObject(metric)) return null;
  const plain = asNumeral(metric['value']);
  if (plain !== null) {
    const maximize = asBoolean(metric['maximize']);
    const name = asString(metric['name']);
    return {
      score: plain,
      gradable: true,
      name,
      is_lower_better: maximize === null ? null : !maximize,
      grader: `${GRADER}:${name ?? 'metric'}`,
      flags: [],
    };
  }
  const values = isObject(metric['value']) ? valuesOf(metric['value']['metric_names']) : [];
  const [only, ...others] = values;
  if (only === undefined) return null;
  if (others.length > 0) {
    return {
      score: null,
      gradable: values.some(({ value }) => value !== null),
      name: null,
      is_lower_better: null,
      grader: `${GRADER}:several`,
      flags: values.map(asFlag),
    };
  }
  return {
    score: only.value,
    gradable: only.value !== null,
    name: only.name,
    is_lower_better: only.is_lower_better,
    grader: `${GRADER}:${only.name}/${only.dataset}`,
    flags: [],
  };
}

function valuesOf(list: unknown): Value[] {
  return asArray(list).flatMap((entry) => {
    if (!isObject(entry)) return [];
    const name = asString(entry['metric_name']) ?? 'metric';
    const is_lower_better = asBoolean(entry['lower_is_better']);
    return asArray(entry['data']).flatMap((point) =>
      isObject(point)
        ? [
            {
              name,
              dataset: asString(point['dataset_name']) ?? 'default',
              is_lower_better,
              value: asNumeral(point['final_value']),
            },
          ]
        : [],
    );
  });
}

function asFlag({ name, dataset, is_lower_better, value }: Value): string {
  const direction = is_lower_better === null ? 'unknown' : is_lower_better ? 'lower' : 'higher';
  return `metric:${name}/${dataset}:${direction}=${value ?? 'null'}`;
}
