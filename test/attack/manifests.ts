import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'

/** An object of mallory's, and where it is created and found. */
export interface Manifest {
  readonly collection: string
  readonly path: string
  readonly object: KubernetesObject
}

const groups = {
  '': { version: 'v1', base: '/api/v1' },
  source: { version: 'source.toolkit.fluxcd.io/v1', base: '/apis/source.toolkit.fluxcd.io/v1' },
  kustomize: { version: 'kustomize.toolkit.fluxcd.io/v1', base: '/apis/kustomize.toolkit.fluxcd.io/v1' },
  helm: { version: 'helm.toolkit.fluxcd.io/v2', base: '/apis/helm.toolkit.fluxcd.io/v2' },
  notification: { version: 'notification.toolkit.fluxcd.io/v1', base: '/apis/notification.toolkit.fluxcd.io/v1' },
  alerts: { version: 'notification.toolkit.fluxcd.io/v1beta3', base: '/apis/notification.toolkit.fluxcd.io/v1beta3' },
  image: { version: 'image.toolkit.fluxcd.io/v1', base: '/apis/image.toolkit.fluxcd.io/v1' },
  extensions: {
    version: 'source.extensions.fluxcd.io/v1beta1',
    base: '/apis/source.extensions.fluxcd.io/v1beta1',
  },
  fleet: { version: 'fleet.keelson.dev/v1alpha1', base: '/apis/fleet.keelson.dev/v1alpha1' },
  operator: { version: 'fluxcd.controlplane.io/v1', base: '/apis/fluxcd.controlplane.io/v1' },
} as const

const groupOf: Readonly<Record<string, keyof typeof groups>> = {
  Secret: '',
  ConfigMap: '',
  ServiceAccount: '',
  GitRepository: 'source',
  OCIRepository: 'source',
  HelmRepository: 'source',
  HelmChart: 'source',
  Bucket: 'source',
  ExternalArtifact: 'source',
  ArtifactGenerator: 'extensions',
  Kustomization: 'kustomize',
  HelmRelease: 'helm',
  Receiver: 'notification',
  Alert: 'alerts',
  Provider: 'alerts',
  ResourceSet: 'operator',
  ResourceSetInputProvider: 'operator',
  ImageRepository: 'image',
  ImagePolicy: 'image',
  ImageUpdateAutomation: 'image',
  Cluster: 'fleet',
  Rollout: 'fleet',
}

const pluralOf = (kind: string): string =>
  kind.endsWith('y') ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`

/** An object of a kind in mallory's namespace, unless another one is given. */
export const manifest = (
  kind: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  { namespace = 'mallory', ...metadata }: Partial<KubernetesObject['metadata']> = {},
): Manifest => {
  const { version, base } = groups[groupOf[kind]!]
  const collection = `${base}/namespaces/${namespace}/${pluralOf(kind)}`
  const object = { apiVersion: version, kind, metadata: { name, namespace, ...metadata }, ...fields }
  return { collection, path: `${collection}/${name}`, object }
}

/** A valid spec of each kind that a tenant writes, and that reads nothing of others. */
export const plainSpecs = (url: string): Readonly<Record<string, object>> => ({
  GitRepository: { url, ref: { branch: 'main' }, interval: '1h' },
  OCIRepository: { url: 'oci://127.0.0.1:1/none', interval: '1h' },
  HelmRepository: { url: 'http://127.0.0.1:1/none', interval: '1h' },
  HelmChart: { chart: 'none', sourceRef: { kind: 'HelmRepository', name: 'none' }, interval: '1h' },
  Bucket: { endpoint: '127.0.0.1:1', bucketName: 'none', insecure: true, interval: '1h' },
  Kustomization: { sourceRef: { kind: 'GitRepository', name: 'none' }, path: './', prune: true, interval: '1h' },
  ResourceSet: { resources: [] },
  ImageRepository: { image: '127.0.0.1:1/none', interval: '1h' },
  ImageUpdateAutomation: {
    sourceRef: { kind: 'GitRepository', name: 'none' },
    git: { commit: { author: { email: 'a@example.com' } } },
    interval: '1h',
  },
  ImagePolicy: { imageRepositoryRef: { name: 'none' }, policy: { alphabetical: {} } },
})
