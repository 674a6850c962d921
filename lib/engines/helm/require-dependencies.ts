import { HelmError } from './helm-error.ts'

interface Dependency {
  readonly name: string
}

/** Throws HelmError if a chart that Chart.yaml lists is missing from `charts/`. */
export const requireDependencies = (
  { dependencies = [] }: { readonly dependencies?: readonly Dependency[] },
  charts: readonly { readonly metadata: Dependency }[],
): void => {
  const present = new Set(charts.map(({ metadata }) => metadata.name))
  const missing = dependencies.filter(({ name }) => !present.has(name)).map(({ name }) => name)
  if (missing.length > 0)
    throw new HelmError(`found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`)
}
