/** What objects refer to through their spec: the index behind "whom does a change of this source, Secret... concern". */
import { eventSourceRefs } from '../../foundations/kinds/alert.ts'
import { repositoriesOf } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { webhookPathRef } from '../../foundations/kinds/receiver.ts'

const source = 'source.toolkit.fluxcd.io'
const kustomize = 'kustomize.toolkit.fluxcd.io'
const helm = 'helm.toolkit.fluxcd.io'
const notification = 'notification.toolkit.fluxcd.io'
const operator = 'fluxcd.controlplane.io'

/** A reference as it stands in a spec; all of it comes from users, so any part may be missing. */
interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

/** Makes refs seen from one object: references without a namespace mean the object's own. */
interface Finder {
  secret(reference?: Reference): Found
  configMap(reference?: Reference): Found
  serviceAccount(name?: string): Found
  /** A reference that names its kind; its group is that of its apiVersion, else the one given. */
  object(reference: Reference, defaults: { readonly group: string; readonly kind?: string }): Found
  /** Objects of a kind that are chosen by label, in the same namespace. */
  any(group: string, kind: string): Found
}
type Found = readonly ObjectRef[]

// biome-ignore lint/suspicious/noExplicitAny: a spec of any kind, read with care for what is missing
type Spec = any
type References = (spec: Spec, find: Finder) => readonly Found[]

/** A Secret each in `secretRef`, `certSecretRef` and `proxySecretRef`, and the ServiceAccount of cloud credentials. */
const credentials: References = (spec, find) => [
  find.secret(spec.secretRef),
  find.secret(spec.certSecretRef),
  find.secret(spec.proxySecretRef),
  find.serviceAccount(spec.serviceAccountName),
]

const kustomization: References = (spec, find) => [
  find.object(spec.sourceRef ?? {}, { group: source }),
  find.secret(spec.kubeConfig?.secretRef),
  find.configMap(spec.kubeConfig?.configMapRef),
  find.secret(spec.decryption?.secretRef),
  find.serviceAccount(spec.serviceAccountName),
  ...each(spec.dependsOn, to => find.object(to, { group: kustomize, kind: 'Kustomization' })),
  ...each(spec.postBuild?.substituteFrom, from => find.object(from, { group: '' })),
]

const helmRelease: References = (spec, find) => [
  find.object(spec.chartRef ?? {}, { group: source }),
  find.secret(spec.kubeConfig?.secretRef),
  find.configMap(spec.kubeConfig?.configMapRef),
  find.serviceAccount(spec.serviceAccountName),
  ...each(spec.dependsOn, to => find.object(to, { group: helm, kind: 'HelmRelease' })),
  ...each(spec.valuesFrom, from => find.object(from, { group: '' })),
]

const gitRepository: References = (spec, find) => [
  ...credentials(spec, find),
  find.secret(spec.verify?.secretRef),
  ...each(spec.include, ({ repository }: Spec) =>
    find.object(repository ?? {}, { group: source, kind: 'GitRepository' }),
  ),
]

const signedSource: References = (spec, find) => [...credentials(spec, find), find.secret(spec.verify?.secretRef)]

const helmChart: References = (spec, find) => [
  find.object(spec.sourceRef ?? {}, { group: source }),
  find.secret(spec.verify?.secretRef),
]

const bucket: References = (spec, find) => [
  ...credentials(spec, find),
  find.secret(spec.sts?.secretRef),
  find.secret(spec.sts?.certSecretRef),
]

const receiver: References = (spec, find) => [
  find.secret(spec.secretRef),
  ...each(spec.resources, resource => find.object(resource, { group: groupOfFluxKind(resource.kind) })),
]

const alert: References = (spec, find) => [
  find.object(spec.providerRef ?? {}, { group: notification, kind: 'Provider' }),
  ...each(spec.eventSources, from => find.object(from, { group: groupOfFluxKind(from.kind) })),
]

const resourceSet: References = (spec, find) => [
  find.serviceAccount(spec.serviceAccountName),
  ...each(spec.inputsFrom, ({ selector }: Spec) => (selector ? find.any(operator, 'ResourceSetInputProvider') : [])),
  ...each(spec.inputsFrom, from => find.object(from, { group: operator, kind: 'ResourceSetInputProvider' })),
  ...each(spec.dependsOn, to => find.object(to, { group: '' })),
]

const inputProvider: References = (spec, find) => [
  ...credentials(spec, find),
  spec.type === 'Clusters' ? find.any('', 'Secret') : [],
  spec.type === 'ExternalArtifact' ? find.any(source, 'ExternalArtifact') : [],
]

const referencesOfKind = new Map<string, References>([
  [`${kustomize}/Kustomization`, kustomization],
  [`${helm}/HelmRelease`, helmRelease],
  [`${source}/GitRepository`, gitRepository],
  [`${source}/OCIRepository`, signedSource],
  [`${source}/HelmRepository`, credentials],
  [`${source}/HelmChart`, helmChart],
  [`${source}/Bucket`, bucket],
  [`${notification}/Receiver`, receiver],
  [`${notification}/Alert`, alert],
  [`${notification}/Provider`, credentials],
  [`${operator}/ResourceSet`, resourceSet],
  [`${operator}/ResourceSetInputProvider`, inputProvider],
])

/** What an object refers to that chooses objects of this one's kind in its namespace by label. */
export const selectionOf = ({ group, kind, namespace }: ObjectRef): ObjectRef => ({ group, kind, namespace, name: '*' })

/**
 * Every object that this one names in its spec, the repository that a source follows, the path that a Receiver listens at, the events that an Alert listens to, the
 * HelmChart that a HelmRelease has made and what a ResourceSet has taken data from, once each. Objects chosen by label or `*` are not among them, but see `selectionOf`.
 */
export const referencesOf = (object: KubernetesObject): readonly ObjectRef[] => {
  const find = referencesOfKind.get(`${groupOf(object.apiVersion)}/${object.kind}`)
  if (!find) return []
  const named = find(object.spec ?? {}, finderFor(object.metadata.namespace ?? '')).flat()
  return [
    ...named,
    ...repositoriesOf(object),
    ...webhookOf(object),
    ...eventSourceRefs(object),
    ...dataSourcesOf(object),
    ...madeChartOf(object),
  ]
}

const webhookOf = ({ kind, status }: KubernetesObject): readonly ObjectRef[] => {
  const { webhookPath } = (status ?? {}) as { readonly webhookPath?: string }
  return kind === 'Receiver' && webhookPath ? [webhookPathRef(webhookPath)] : []
}

/** The HelmChart that a HelmRelease has made. */
const madeChartOf = ({ kind, status }: KubernetesObject): readonly ObjectRef[] => {
  const { helmChart } = (status ?? {}) as { readonly helmChart?: string }
  if (kind !== 'HelmRelease' || !helmChart) return []
  const [namespace = '', name = ''] = helmChart.split('/')
  return [{ group: source, kind: 'HelmChart', namespace, name }]
}

const dataSourcesOf = ({ kind, status }: KubernetesObject): readonly ObjectRef[] => {
  const { dataSources } = (status ?? {}) as { readonly dataSources?: readonly string[] }
  if (kind !== 'ResourceSet' || !dataSources) return []
  return dataSources.map(source => {
    const [kind = '', namespace = '', name = ''] = source.split('/')
    return { group: '', kind, namespace, name }
  })
}

const finderFor = (ownNamespace: string): Finder => {
  const ref = (group: string, kind: string | undefined, name: string | undefined, namespace = ownNamespace): Found =>
    kind && name && name !== '*' ? [{ group, kind, namespace: namespace || ownNamespace, name }] : []
  return {
    secret: reference => ref('', 'Secret', reference?.name),
    configMap: reference => ref('', 'ConfigMap', reference?.name),
    serviceAccount: name => ref('', 'ServiceAccount', name),
    object: ({ apiVersion, kind, name, namespace }, defaults) =>
      ref(apiVersion ? groupOf(apiVersion) : defaults.group, kind ?? defaults.kind, name, namespace),
    any: (group, kind) => [selectionOf({ group, kind, namespace: ownNamespace, name: '*' })],
  }
}

const each = (list: readonly Spec[] | undefined, found: (item: Spec) => Found): readonly Found[] =>
  (list ?? []).map(found)

const groupOfFluxKind = (kind: string | undefined): string => {
  if (kind === 'Kustomization') return kustomize
  return kind === 'HelmRelease' ? helm : source
}
