/** Cluster: a cluster that the hub applies to, with one probe for all objects that use it. Keelson's own kind. */
import { kubeConfig } from './applier-fields.ts'
import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { pruneLimit } from './prune-limit.ts'
import { fleetGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, map, object, oneOf, optional, text } from './schema/schema.ts'
import { checkWindows, windows } from './window.ts'

const protectedKind = object('A kind of objects.', {
  group: optional(text('API group. Defaults to the core group.')),
  kind: text('Name of the kind, such as PersistentVolumeClaim.', { minLength: 1 }),
})

const limits = object('Limits of what the hub does on the cluster at a time, for all units together.', {
  concurrentPasses: optional(
    integer('Maximum number of units that are applied or deleted at a time. Others wait.', {
      minimum: 1,
      maximum: 100,
    }),
  ),
  concurrentRequests: optional(
    integer('Maximum number of requests at a time, divided among passes: 20 requests with 4 passes are 5 for each.', {
      minimum: 1,
      maximum: 1000,
    }),
  ),
  requestsPerSecond: optional(
    integer('Maximum number of requests per second, divided among passes like concurrentRequests.', {
      minimum: 1,
      maximum: 1000,
    }),
  ),
})

const runner = object('The runner that applies to the cluster, if the hub leaves it to one.', {
  offline: optional(
    duration(
      'Maximum time that the runner works without the hub: it restores what differs from the applied revisions. None by default.',
    ),
  ),
})

const access = 'Access to the cluster, as in a Kustomization.'

const fields = {
  kubeConfig: optional({ ...kubeConfig, description: access }),
  clusterProfileRef: optional(localReference('ClusterProfile with the access to the cluster, instead of kubeConfig.')),
  interval: optional(duration('Time between two probes.', { default: '10m' })),
  timeout: optional(duration('Timeout of a probe.', { default: '10s' })),
  serviceAccountName: optional(
    text('ServiceAccount of the namespace of a unit that units act as on the cluster, unless they name one.', {
      minLength: 1,
    }),
  ),
  suspend: optional(flag('Suspend probes, and all changes to the objects that are applied to the cluster.')),
  protect: optional(
    list('Kinds whose objects are never deleted from the cluster, nor recreated.', protectedKind, { maxItems: 64 }),
  ),
  confirmPrune: optional(
    list('Kinds whose objects are pruned only once that is approved.', protectedKind, { maxItems: 64 }),
  ),
  pruneLimit: optional(pruneLimit),
  limits: optional(limits),
  runner: optional(runner),
  windows: optional(windows('When changes to the cluster go on, and when they wait. Always when empty.')),
} as const

const spec = object('Access to the cluster, interval of probes, and limits.', fields, {
  'x-kubernetes-validations': [
    {
      message: 'exactly one of spec.kubeConfig or spec.clusterProfileRef must be specified',
      rule: 'has(self.kubeConfig) != has(self.clusterProfileRef)',
    },
  ],
})

/** The credential with which the hub authenticates to the cluster. */
const credentialTypes = ['ClientCertificate', 'Token', 'BasicAuth', 'HubIdentity', 'None'] as const

const credential = object('The credential of the hub at the cluster.', {
  type: oneOf('Type of the credential; if there are several, the one that expires first.', credentialTypes),
  validUntil: optional(
    text("Expiry, if known. Tokens of the hub's own identity are renewed automatically.", { format: 'date-time' }),
  ),
})

const breaker = object('The breaker of the cluster. Absent if it has always responded.', {
  state: oneOf('Open while the cluster does not respond: its units then fail without a request.', ['Open', 'Closed']),
  since: text('Time of the probe that opened or closed it.', { format: 'date-time' }),
  lastProbeTime: optional(text('Time of the last probe that failed, to five minutes.', { format: 'date-time' })),
})

const count = integer('Number of units.', { minimum: 0 })

const status = object(
  'Result of the last probe.',
  {
    ...reconciledStatus,
    kubeConfig: optional({ ...kubeConfig, description: 'What units name to reach the cluster of a ClusterProfile.' }),
    server: optional(text('Address of the API server.')),
    uid: optional(text('UID of the namespace kube-system, which identifies the cluster.')),
    kubernetesVersion: optional(text('Version reported by the API server.')),
    apiGroups: optional(list('API groups that it serves, besides the core group.', text('Name of a group.'))),
    latency: optional(text('Time of one request; updated when it is four times as long, or a quarter.')),
    lastContactTime: optional(
      text('Time of a response of the cluster. Updated every six hours while it responds.', {
        format: 'date-time',
      }),
    ),
    credential: optional(credential),
    breaker: optional(breaker),
    units: optional(
      map(
        'Units by state, and in total, as far as the reader may list them. Only when a single Cluster is read.',
        count,
      ),
    ),
  },
  initialStatus,
)

const schema = object('A cluster that the hub applies to.', { spec, status: optional(status) })

export type Cluster = KubernetesObject & TypeOf<typeof schema>
export type ClusterCredential = TypeOf<typeof credential>

/** The Secret or ConfigMap that the hub makes for a Cluster with a ClusterProfile. */
export const accessNameOf = (cluster: string): string => `${cluster}-access`

export const cluster: Kind<Cluster> = {
  group: fleetGroup,
  kind: 'Cluster',
  plural: 'clusters',
  singular: 'cluster',
  shortNames: [],
  categories: ['all', 'keelson'],
  namespaced: true,
  hasGeneration: true,
  check: ({ spec }) => checkWindows(spec.windows ?? [], 'spec.windows'),
  references: ({ spec }, find) => [
    find.secret(spec?.kubeConfig?.secretRef),
    find.configMap(spec?.kubeConfig?.configMapRef),
    // A new Secret behind a profile may be any.
    spec?.clusterProfileRef ? find.any('', 'Secret') : [],
  ],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      status: true,
      schema,
      columns: [
        ageColumn,
        ...readyColumns,
        { name: 'Version', type: 'string', jsonPath: '.status.kubernetesVersion' },
        { name: 'Server', type: 'string', jsonPath: '.status.server', priority: 1 },
        { name: 'Latency', type: 'string', jsonPath: '.status.latency', priority: 1 },
        { name: 'Credential', type: 'string', jsonPath: '.status.credential.type', priority: 1 },
        { name: 'Valid until', type: 'string', jsonPath: '.status.credential.validUntil', priority: 1 },
      ],
    },
  ],
}

/** What units name to reach the cluster; undefined until it is derived from a ClusterProfile. */
export const kubeConfigOf = ({ spec, status }: Cluster) => spec.kubeConfig ?? status?.kubeConfig

/** Milliseconds between two probes. */
export const intervalOf = ({ spec }: Cluster): number => durationMs(spec.interval ?? '10m')
/** Milliseconds that a probe may take. */
export const timeoutOf = ({ spec }: Cluster): number => durationMs(spec.timeout ?? '10s')
