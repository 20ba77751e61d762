import { register } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

/** A metric with labels, as far as it takes to remove some of its series. */
interface LabelledMetric {
  get(): Promise<{
    readonly values: readonly { readonly labels: Partial<Record<string, string | number>> }[];
  }>;
  remove(labels: Partial<Record<string, string | number>>): void;
}

/**
 * Removes every series that carries these labels, whatever other labels it has, from all metrics.
 *
 * @param isBack whether the labels have come into use again meanwhile, so that the rest must stay
 */
export async function removeSeries(labels: Labels, isBack: () => boolean): Promise<void> {
  for (const metric of register.getMetricsAsArray() as unknown as LabelledMetric[]) {
    const { values } = await metric.get();
    if (isBack()) return;
    for (const series of values) {
      // These belong to the parts of a histogram or a summary, not to the series.
      const { le: _, quantile: __, ...own } = series.labels;
      if (Object.entries(labels).every(([name, value]) => own[name] === value)) metric.remove(own);
    }
  }
}
