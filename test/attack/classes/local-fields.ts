import { plainSpecs } from '../manifests.ts'
import type { AttackWorld } from '../world.ts'

/** A field that refers to an object of the own namespace, by name. */
export interface LocalField {
  readonly kind: string
  /** As in docs/references.md. */
  readonly field: string
  /** What of an object has the field, as its spec or as an annotation. */
  fill(name: string, world: AttackWorld): object
  readonly annotations?: (name: string) => Readonly<Record<string, string>>
  /** Names to try; others than usual where the field takes a namespace. */
  readonly names?: readonly string[]
}

const nowhere = 'http://127.0.0.1:1/none'
const source = (kind: string, more: (name: string) => object) => (name: string, world: AttackWorld) => ({
  ...plainSpecs(world.malloryRepo.url)[kind],
  ...more(name),
})
const secretRef = (field: string, kind: string): LocalField => ({
  kind,
  field: `spec.${field}`,
  fill: source(kind, name => ({ [field]: { name } })),
})
const bucketSts = (field: string): LocalField => ({
  kind: 'Bucket',
  field: `spec.sts.${field}`,
  fill: source('Bucket', name => ({ sts: { provider: 'ldap', endpoint: nowhere, [field]: { name } } })),
})
const kustomization = (field: string, more: (name: string) => object): LocalField => ({
  kind: 'Kustomization',
  field: `spec.${field}`,
  fill: name => ({
    sourceRef: { kind: 'GitRepository', name: 'for-local-references' },
    path: './',
    prune: true,
    interval: '1h',
    targetNamespace: 'mallory',
    ...more(name),
  }),
})
const generator = (name: string, more: object = {}) => ({
  sources: [{ alias: 'it', kind: 'GitRepository', name: name === 'kept' ? 'app' : name, ...more }],
  artifacts: [{ name: 'stolen', copy: [{ from: '@it/**', to: '@artifact/' }] }],
})
const provider = (
  field: string,
  type: string,
  more: object,
  fill = (name: string): unknown => ({ name }),
): LocalField => ({
  kind: 'ResourceSetInputProvider',
  field: `spec.${field}`,
  fill: name => ({ type, ...more, [field]: fill(name) }),
})
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'copy', namespace: 'mallory' } }

const copying = (annotation: string, kind: string): LocalField => ({
  kind: 'ResourceSet',
  field: `metadata.annotations[fluxcd.controlplane.io/${annotation}]`,
  names: ['kept'], // it may name any namespace: what holds is the account's rights
  fill: name => ({
    resources: [
      {
        ...configMap,
        kind,
        metadata: {
          ...configMap.metadata,
          annotations: {
            [`fluxcd.controlplane.io/${annotation}`]:
              annotation === 'checksumFrom' ? `${kind}/victim/${name}` : `victim/${name}`,
          },
        },
      },
    ],
  }),
})
export const localFields: readonly LocalField[] = [
  ...['secretRef', 'proxySecretRef'].map(field => secretRef(field, 'GitRepository')),
  {
    kind: 'GitRepository',
    field: 'spec.verify.secretRef',
    fill: source('GitRepository', name => ({ verify: { mode: 'HEAD', secretRef: { name } } })),
  },
  {
    kind: 'GitRepository',
    field: 'spec.include[]',
    fill: source('GitRepository', name => ({ include: [{ repository: { name: name === 'kept' ? 'app' : name } }] })),
  },
  ...['secretRef', 'certSecretRef', 'proxySecretRef'].map(field => secretRef(field, 'OCIRepository')),
  {
    kind: 'OCIRepository',
    field: 'spec.serviceAccountName',
    fill: source('OCIRepository', serviceAccountName => ({ serviceAccountName })),
  },
  ...['secretRef', 'certSecretRef', 'proxySecretRef'].map(field => secretRef(field, 'Bucket')),
  ...['secretRef', 'certSecretRef'].map(bucketSts),
  ...['secretRef', 'certSecretRef'].map(field => secretRef(field, 'HelmRepository')),
  {
    kind: 'HelmChart',
    field: 'spec.sourceRef',
    fill: source('HelmChart', name => ({ sourceRef: { kind: 'GitRepository', name: name === 'kept' ? 'app' : name } })),
  },
  kustomization('kubeConfig.secretRef', name => ({ kubeConfig: { secretRef: { name } } })),
  kustomization('kubeConfig.configMapRef', name => ({ kubeConfig: { configMapRef: { name } } })),
  kustomization('decryption.secretRef', name => ({ decryption: { provider: 'sops', secretRef: { name } } })),
  kustomization('postBuild.substituteFrom[]', name => ({ postBuild: { substituteFrom: [{ kind: 'Secret', name }] } })),
  kustomization('postBuild.substituteFrom[]', name => ({
    postBuild: { substituteFrom: [{ kind: 'ConfigMap', name }] },
  })),
  kustomization('sourceRef', name => ({ sourceRef: { kind: 'GitRepository', name: name === 'kept' ? 'app' : name } })),
  kustomization('sourceRef', name => ({
    sourceRef: { kind: 'GitRepository', name: name === 'kept' ? 'app' : name, namespace: 'victim' },
  })),
  { kind: 'ArtifactGenerator', field: 'spec.sources[]', fill: name => generator(name) },
  { kind: 'ArtifactGenerator', field: 'spec.sources[]', fill: name => generator(name, { namespace: 'victim' }) },
  ...[{}, { namespace: 'victim' }].map(more => ({
    kind: 'Rollout',
    field: 'spec.sources[]',
    fill: (name: string) => ({
      sources: [{ kind: 'GitRepository', name: name === 'kept' ? 'app' : name, ...more }],
      stages: [{ name: 'all' }],
    }),
  })),
  ...['secretRef', 'configMapRef'].map(field => ({
    kind: 'Cluster',
    field: `spec.kubeConfig.${field}`,
    fill: (name: string) => ({ kubeConfig: { [field]: { name } } }),
  })),
  {
    kind: 'ResourceSet',
    field: 'spec.inputsFrom[]',
    fill: name => ({ inputsFrom: [{ kind: 'ResourceSetInputProvider', name }], resources: [] }),
  },
  {
    kind: 'ResourceSet',
    field: 'metadata.annotations[resourceset.keelson.dev/kubeConfig]',
    fill: () => ({ resources: [] }),
    annotations: name => ({ 'resourceset.keelson.dev/kubeConfig': name }),
  },
  ...['Secret', 'ConfigMap'].flatMap(kind => ['copyFrom', 'checksumFrom'].map(annotation => copying(annotation, kind))),
  copying('convertKubeConfigFrom', 'ConfigMap'),
  provider('secretRef', 'GitHubBranch', { url: nowhere }),
  provider('certSecretRef', 'GitHubBranch', { url: nowhere }),
  provider('secretRef', 'ExternalService', { url: nowhere, insecure: true }),
  provider('serviceAccountName', 'OCIArtifactTag', { url: 'oci://127.0.0.1:1/none' }, name => name),
  ...['secretRef', 'certSecretRef', 'proxySecretRef'].map(field => secretRef(field, 'ImageRepository')),
  {
    kind: 'ImageRepository',
    field: 'spec.serviceAccountName',
    fill: source('ImageRepository', serviceAccountName => ({ serviceAccountName })),
  },
  {
    kind: 'ImageUpdateAutomation',
    field: 'spec.git.commit.signingKey.secretRef',
    fill: (name, world) => {
      const sourceRef = { kind: 'GitRepository', name: 'for-local-references' }
      const commit = { author: { email: 'mallory@example.com' }, signingKey: { secretRef: { name }, type: 'ssh' } }
      return { ...plainSpecs(world.malloryRepo.url).ImageUpdateAutomation, sourceRef, git: { commit } }
    },
  },
  {
    kind: 'Receiver',
    field: 'spec.secretRef',
    fill: name => ({ type: 'generic', secretRef: { name }, resources: [] }),
  },
]
