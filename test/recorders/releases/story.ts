/** How stories of HelmReleases are written: what is done in each step, and what is waited for; what comes of it is recorded. */
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Operation, Scenario, Step, Until } from '../../conformance/flux/scenario.ts'

export type Texts = Readonly<Record<string, string>>
export type Fields = Readonly<Record<string, unknown>>

/** A chart `app` of templates, with a ConfigMap `RELEASE-cm` that shows its greeting; undefined takes a file out. */
export const chart = (version: string, files: Readonly<Record<string, string | undefined>> = {}): Texts => {
  const all: Readonly<Record<string, string | undefined>> = {
    'Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\nappVersion: "2.3.4"\n`,
    'values.yaml': 'greeting: hello\n',
    'templates/cm.yaml': configMap('{{ .Release.Name }}-cm', { greeting: '{{ .Values.greeting }}' }),
    ...files,
  }
  return Object.fromEntries(Object.entries(all).filter((file): file is [string, string] => file[1] !== undefined))
}

export const configMap = (name: string, data: Fields = { a: 'b' }, annotations?: Texts): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(annotations && { annotations }) },
    data,
  })

/** What an API server refuses: data must be text. */
export const refused = configMap('bad', { x: [1] })

interface PodOptions {
  readonly annotations?: Texts
  /** `unready`: its pods never get ready, nor end; `failed`: they fail. */
  readonly hold?: 'unready' | 'failed'
  readonly spec?: Fields
}

const pod = ({ hold }: PodOptions, more: Fields = {}) => ({
  metadata: { labels: { app: 'web' }, ...(hold && { annotations: { 'testcluster/hold': hold } }) },
  spec: { ...more, containers: [{ name: 'c', image: 'nginx:1' }] },
})

export const deployment = (name: string, options: PodOptions = {}): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...(options.annotations && { annotations: options.annotations }) },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, ...options.spec, template: pod(options) },
  })

export const job = (name: string, options: PodOptions = {}): string =>
  JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...(options.annotations && { annotations: options.annotations }) },
    spec: { backoffLimit: 0, ...options.spec, template: pod(options, { restartPolicy: 'Never' }) },
  })

export const hook = (events: string, more: Texts = {}): Texts => ({
  'helm.sh/hook': events,
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`helm.sh/hook-${key}`, value])),
})

export const apply = (...objects: readonly KubernetesObject[]): Operation => ({ apply: { objects } })

export const repository = (name = 'repo'): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'HelmRepository',
  metadata: { name },
  spec: { interval: '10m', url: `\${HELM_URL}/${name}` },
})

export const chartFrom = (version = '1.0.0', more: Fields = {}) => ({
  spec: { chart: 'app', version, sourceRef: { kind: 'HelmRepository', name: 'repo' }, ...more },
})

export const release = (spec: Fields = {}, name = 'app', metadata: Fields = {}): KubernetesObject => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name, ...metadata },
  spec: { interval: '10m', ...('chartRef' in spec ? {} : { chart: chartFrom() }), ...spec },
})

export const step = (done: readonly Operation[], ...until: readonly Until[]): Step => ({
  do: done,
  until,
  expect: { objects: {} },
})

export const ready: Until = { ref: 'rel/app', ready: 'True' }
export const failed: Until = { ref: 'rel/app', ready: 'False' }
export const notInstalled: Until = { ref: 'rel/app', reason: 'InstallFailed' }
export const stalled: Until = { ref: 'rel/app', ready: 'False', stalled: true }

export const patch = (spec: Fields, ref = 'rel/app'): Operation => ({ patch: { ref, patch: { spec } } })

export const toVersion = (version: string, spec: Fields = {}): Operation =>
  patch({ chart: { spec: { version } }, ...spec })

type More = Partial<Omit<Scenario, 'id' | 'title' | 'checklist' | 'steps'>>

/** A story whose charts come from a Helm repository that is there before it begins. */
export const story = (
  id: string,
  title: string,
  checklist: readonly string[],
  charts: readonly Texts[],
  steps: readonly Step[],
  more: More = {},
): Scenario => ({
  ...{ id: `rel-${id}`, area: 'helmrelease', title, checklist, profile: 'default' },
  helm: { repo: { charts } },
  ...more,
  steps: [step([apply(repository())], { ref: 'hr/repo', ready: 'True' }), ...steps],
})
