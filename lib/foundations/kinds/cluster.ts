/** Cluster: a cluster that the hub applies to, probed once for everything that is applied there. Keelson's own kind. */
import { kubeConfig } from './applier-fields.ts'
import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'
import { checkWindows, windows } from './window.ts'

const protectedKind = object('A kind.', {
  group: optional(text('Its API group; the core group when empty.')),
  kind: text('Its name, such as PersistentVolumeClaim.', { minLength: 1 }),
})

const limits = object('What the hub does on the cluster at a time, over all units.', {
  concurrentPasses: optional(
    integer('Units that are applied or deleted at a time; the others wait.', { minimum: 1, maximum: 100 }),
  ),
  concurrentRequests: optional(
    integer('Requests at a time, divided among passes: 20, with 4 passes, are 5 each.', { minimum: 1, maximum: 1000 }),
  ),
})

const access = 'How the cluster is reached, as in a Kustomization.'

const fields = {
  kubeConfig: optional({ ...kubeConfig, description: access }),
  clusterProfileRef: optional(
    localReference('ClusterProfile that says how the cluster is reached, in place of kubeConfig.'),
  ),
  interval: optional(duration('Time between two probes.', { default: '10m' })),
  timeout: optional(duration('Time that a probe may take.', { default: '10s' })),
  suspend: optional(flag('Stop probing, and leave everything alone that is applied there.')),
  protect: optional(
    list('Kinds whose objects are never deleted from the cluster, nor recreated.', protectedKind, { maxItems: 64 }),
  ),
  limits: optional(limits),
  windows: optional(windows('When changes to the cluster go on, and when they wait. Always when empty.')),
} as const

const spec = object('How the cluster is reached, and how often it is probed.', fields, {
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
  type: oneOf('Kind of the credential; of several, the one that expires first.', credentialTypes),
  validUntil: optional(
    text("When it expires, if it says so. Tokens of the hub's own identity renew themselves.", { format: 'date-time' }),
  ),
})

const status = object(
  'What the last probe found.',
  {
    ...reconciledStatus,
    kubeConfig: optional({ ...kubeConfig, description: 'What units name to reach the cluster of a ClusterProfile.' }),
    server: optional(text('Address of the API server.')),
    uid: optional(text('UID of the namespace kube-system, which identifies the cluster.')),
    kubernetesVersion: optional(text('Version of the API server, as it reports it.')),
    latency: optional(text('Time of one request; updated when it has doubled or halved.')),
    lastContactTime: optional(
      text('When the cluster last answered; while nothing changes, updated once an hour.', { format: 'date-time' }),
    ),
    credential: optional(credential),
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
