import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { sha256Hex } from '../foundations/rules/sha256.ts'
import type { RunnerKeySet } from './runner-keys.ts'

/** What runs a runner in its cluster. */
export interface RunnerInCluster extends RunnerKeySet {
  /** Address of the hub's API. */
  readonly hub: string
  /** PEM of the authority of the hub's certificate; that of the image's system if absent. */
  readonly certificateAuthority?: string | undefined
  /** The Cluster, as `NAMESPACE/NAME`. */
  readonly cluster: string
  readonly image: string
  /** Namespace of the runner. */
  readonly namespace: string
  /** Namespaces that it may administer; everything if undefined, as Flux's own controllers. */
  readonly into?: readonly string[] | undefined
  /** The hub may read what is on the cluster, for users whom the runner impersonates. Whom it may impersonate is only said beside `into`: otherwise it may do so with anyone. */
  readonly live?: { readonly users: readonly string[]; readonly groups: readonly string[] } | undefined
}

export const managedBy = { 'app.kubernetes.io/managed-by': 'keelson-join' } as const
/** Of all that runs a runner. */
export const runnerName = 'keelson-runner'
const name = runnerName
const labels = { 'app.kubernetes.io/name': name, ...managedBy }

/** In the order in which they can be applied. The token is that of the first start; without it, an upgrade. */
export const runnerManifests = (it: RunnerInCluster, joinToken?: string): readonly KubernetesObject[] => {
  const { namespace, certificateAuthority, decryptionKeys } = it
  const { files: trusted } = demandsOf(it)
  const inNamespace = (apiVersion: string, kind: string, content: object, called = name): KubernetesObject => ({
    ...{ apiVersion, kind, metadata: { name: called, namespace, labels } },
    ...content,
  })
  return [
    {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: namespace, labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    inNamespace('v1', 'ServiceAccount', {}),
    ...rightsOf(it),
    ...(certificateAuthority === undefined
      ? []
      : [inNamespace('v1', 'ConfigMap', { data: { 'ca.crt': certificateAuthority } })]),
    ...(joinToken === undefined ? [] : [inNamespace('v1', 'Secret', { stringData: { token: joinToken } }, tokenName)]),
    ...(trusted ? [inNamespace('v1', 'ConfigMap', { data: trusted }, trustedKeysName)] : []),
    ...(decryptionKeys ? [inNamespace('v1', 'Secret', { data: decryptionKeys }, decryptionKeysName)] : []),
    inNamespace('v1', 'PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    inNamespace('networking.k8s.io/v1', 'NetworkPolicy', { spec: outgoingOnly(it) }),
    inNamespace('apps/v1', 'Deployment', { spec: deploymentSpec(it) }),
  ]
}

const tokenName = `${name}-join`
const decryptionKeysName = `${name}-decryption-keys`
const trustedKeysName = `${name}-trusted-keys`

/** What the runner demands signatures with: the files of its public keys, and the arguments that name them. */
const demandsOf = ({ verifyKeys, planKeys, planSignatures }: RunnerKeySet) => {
  const named = (what: string, keys: readonly string[]) =>
    keys.map((key, at) => [`${what}-${at + 1}.pub`, key] as const)
  const [verifying, planning] = [named('verify', verifyKeys), named('plan', planKeys)]
  const files = [...verifying, ...planning]
  return {
    ...(files.length > 0 && { files: Object.fromEntries(files) }),
    args: [
      ...verifying.flatMap(([file]) => ['--verify-key', `/trusted/${file}`]),
      ...planning.flatMap(([file]) => ['--plan-key', `/trusted/${file}`]),
      ...(planning.length > 0 ? ['--plan-signatures', String(planSignatures)] : []),
    ],
  }
}

/** The options of a runner's Deployment with which it demands signatures, and which it would not have any more. */
export const missingDemands = (deployment: KubernetesObject | undefined, after: RunnerKeySet): readonly string[] => {
  const { template } = (deployment?.spec ?? {}) as Partial<ReturnType<typeof deploymentSpec>>
  const had = template?.spec.containers.flatMap(({ args = [] }) => args) ?? []
  return ['--verify-key', '--plan-key'].filter(
    option => had.includes(option) && !demandsOf(after).args.includes(option),
  )
}

/** Everything, or the namespaces; and in any case to know which cluster it is. */
const rightsOf = ({ namespace, into, live }: RunnerInCluster): readonly KubernetesObject[] => {
  const rbac = 'rbac.authorization.k8s.io'
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const bound = (to: string, at?: string): KubernetesObject => ({
    apiVersion: `${rbac}/v1`,
    kind: at === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, labels, ...(at !== undefined && { namespace: at }) },
    ...{ roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: to }, subjects },
  })
  if (into === undefined) return [bound('cluster-admin')]
  const rules = [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
    ...(['users', 'groups'] as const).flatMap(resource => {
      const names = live?.[resource] ?? []
      // Without names, it could impersonate the administrators of the cluster.
      return names.length === 0
        ? []
        : [{ apiGroups: [''], resources: [resource], verbs: ['impersonate'], resourceNames: names }]
    }),
  ]
  return [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules },
    bound(name),
    ...into.map(at => bound('admin', at)),
  ]
}

/** Nothing comes in. Out go names, the hub, and the API server, whose usual ports these are. */
const outgoingOnly = ({ hub }: RunnerInCluster) => {
  const ports = new Set([Number(new URL(hub).port) || 443, 443, 6443])
  return {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
    policyTypes: ['Ingress', 'Egress'],
    egress: [
      {
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
          ...[...ports].map(port => ({ port, protocol: 'TCP' })),
        ],
      },
    ],
  }
}

const deploymentSpec = (it: RunnerInCluster) => {
  const { hub, cluster, image, certificateAuthority, live } = it
  const { files: trusted, args: demands } = demandsOf(it)
  const authority = certificateAuthority === undefined ? [] : ['--certificate-authority', '/hub/ca.crt']
  return {
    replicas: 1,
    // Two can't have the volume; the second would wait for the lease anyway.
    strategy: { type: 'Recreate' },
    selector: { matchLabels: { 'app.kubernetes.io/name': name } },
    template: {
      metadata: {
        labels,
        // A runner reads them at its start.
        ...(trusted && { annotations: { 'checksum/trusted-keys': sha256Hex(JSON.stringify(trusted)) } }),
      },
      spec: {
        serviceAccountName: name,
        securityContext: {
          ...{ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            ...{ name: 'runner', image, command: ['keelson', 'runner'] },
            args: [
              ...['--hub', hub, '--cluster', cluster, '--data', '/data', '--decryption-keys', '/keys'],
              ...(live ? ['--live'] : []),
              ...[...authority, ...demands],
            ],
            env: [
              {
                name: 'KEELSON_JOIN_TOKEN',
                valueFrom: { secretKeyRef: { name: tokenName, key: 'token', optional: true } },
              },
            ],
            resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
            securityContext: {
              ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'tmp', mountPath: '/tmp' },
              { name: 'keys', mountPath: '/keys', readOnly: true },
              ...(trusted ? [{ name: 'trusted', mountPath: '/trusted', readOnly: true }] : []),
              ...(authority.length > 0 ? [{ name: 'hub', mountPath: '/hub', readOnly: true }] : []),
            ],
          },
        ],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: name } },
          { name: 'tmp', emptyDir: {} },
          // Without it the Pod does not start: nothing is applied that is not signed.
          ...(trusted ? [{ name: 'trusted', configMap: { name: trustedKeysName } }] : []),
          // A Secret of the cluster's administrators, who make it if there is anything to decrypt.
          { name: 'keys', secret: { secretName: decryptionKeysName, optional: true, defaultMode: 0o440 } },
          ...(authority.length > 0 ? [{ name: 'hub', configMap: { name } }] : []),
        ],
      },
    },
  }
}
