/** Common to the kinds of flux-operator, which are controlled by annotations instead of spec fields. So are ArtifactGenerators. */
import { parseDuration } from './duration.ts'
import { groupOf, type KubernetesObject } from './object.ts'
import { sourceExtensionsGroup } from './references.ts'
import { list, map, object, oneOf, optional, text } from './schema/schema.ts'

export const operatorGroup = 'fluxcd.controlplane.io'
/** Where a hub shows its parts as an installation of Flux: the namespace of its FluxInstance and FluxReport, which are both called `flux`. */
export const installation = { namespace: 'flux-system', name: 'flux' } as const

/** The annotation `fluxcd.controlplane.io/<key>` of an object. */
export const operatorAnnotation = (object: KubernetesObject, key: string): string | undefined =>
  object.metadata.annotations?.[`${operatorGroup}/${key}`]

/** The groups whose objects are suspended by the annotation `<group>/reconcile: disabled`, and not by spec.suspend. */
const controlledByAnnotations: readonly string[] = [operatorGroup, sourceExtensionsGroup]

/** The annotation that suspends an object; undefined if `spec.suspend` does. */
export const reconcileAnnotationOf = ({ apiVersion }: Pick<KubernetesObject, 'apiVersion'>): string | undefined =>
  controlledByAnnotations.includes(groupOf(apiVersion)) ? `${groupOf(apiVersion)}/reconcile` : undefined

/** Whether that annotation suspends the object. */
export const isDisabled = (object: KubernetesObject): boolean =>
  object.metadata.annotations?.[reconcileAnnotationOf(object) ?? '']?.toLowerCase() === 'disabled'

/** `fluxcd.controlplane.io/reconcile: disabled`, on an object of any kind. */
export const isReconcileDisabled = (object: KubernetesObject): boolean =>
  operatorAnnotation(object, 'reconcile')?.toLowerCase() === 'disabled'

/** Milliseconds of a duration in an annotation; the default if absent or invalid (RS-099). */
export const operatorDuration = (object: KubernetesObject, key: string, otherwise: number): number => {
  const ms = parseDuration(operatorAnnotation(object, key) ?? '')
  return ms === undefined || ms <= 0 ? otherwise : ms
}

const requirement = object('A condition on one label.', {
  key: text('The label.'),
  operator: text('In, NotIn, Exists or DoesNotExist.'),
  values: optional(list('The values, for In and NotIn.', text('A value.'), { 'x-kubernetes-list-type': 'atomic' })),
})

/** Fields of metav1.LabelSelector, to spread into a schema. */
export const selectorFields = {
  matchLabels: optional(map('Labels that objects must have.', text('Value of the label.'))),
  matchExpressions: optional(list('Requirements that are ANDed.', requirement, { 'x-kubernetes-list-type': 'atomic' })),
}

/**
 * The schema of a Kubernetes LabelSelector: `matchLabels` and `matchExpressions`, owned as a whole by one field
 * manager.
 */
export const labelSelector = (description: string) =>
  object(description, selectorFields, { 'x-kubernetes-map-type': 'atomic' })

/** Optional fields of a reference to an input provider, which allow only that kind. */
export const providerReferenceKind = {
  apiVersion: optional(oneOf('API version of the provider.', [`${operatorGroup}/v1`])),
  kind: optional(oneOf('Kind of the provider.', ['ResourceSetInputProvider'])),
}
