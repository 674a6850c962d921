export interface ReleaseObjects {
  readonly count: number
  /** Of the Helm repository. */
  readonly url: string
  /** Each HelmRelease has a HelmChart of its own (`spec.chart`); else all refer to one. */
  readonly ownCharts: boolean
  /** The releases go to the cluster of the Secret `target`; else to where the objects are. */
  readonly remote: boolean
  readonly interval: string
  /** Looks for drift, and corrects it. */
  readonly driftDetection: boolean
}

/** One HelmRepository and the HelmReleases of its chart, in the namespace `bench`. */
export const releaseObjects = ({ count, url, ownCharts, remote, interval, driftDetection }: ReleaseObjects): string => {
  const repository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmRepository',
    metadata: { name: 'repo', namespace: 'bench' },
    spec: { interval: '10m', url },
  }
  const chart = { chart: 'app', version: '1.x', sourceRef: { kind: 'HelmRepository', name: 'repo' } }
  const shared = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: { name: 'app', namespace: 'bench' },
    spec: { interval: '10m', ...chart },
  }
  const releases = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: `app-${String(index).padStart(3, '0')}`, namespace: 'bench' },
    spec: {
      interval,
      timeout: '2m',
      ...(ownCharts ? { chart: { spec: chart } } : { chartRef: { kind: 'HelmChart', name: 'app' } }),
      ...(remote && { kubeConfig: { secretRef: { name: 'target' } } }),
      ...(driftDetection && { driftDetection: { mode: 'enabled' } }),
    },
  }))
  return [repository, ...(ownCharts ? [] : [shared]), ...releases].map(object => JSON.stringify(object)).join('\n---\n')
}
