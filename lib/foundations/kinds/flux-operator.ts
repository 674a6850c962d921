/** Common to the kinds of flux-operator: they are controlled by annotations instead of spec fields. */
import { parseDuration } from './duration.ts'
import type { KubernetesObject } from './object.ts'
import { list, map, object, oneOf, optional, text } from './schema/schema.ts'

export const operatorGroup = 'fluxcd.controlplane.io'

/** The annotation `fluxcd.controlplane.io/<key>` of an object. */
export const operatorAnnotation = (object: KubernetesObject, key: string): string | undefined =>
  object.metadata.annotations?.[`${operatorGroup}/${key}`]

/** `fluxcd.controlplane.io/reconcile: disabled`. */
export const isReconcileDisabled = (object: KubernetesObject): boolean =>
  operatorAnnotation(object, 'reconcile')?.toLowerCase() === 'disabled'

/** All such annotations as sorted lines: a change requests a reconciliation. */
export const operatorAnnotationsOf = (object: KubernetesObject): readonly string[] =>
  Object.entries(object.metadata.annotations ?? {})
    .filter(([key]) => key.startsWith(`${operatorGroup}/`))
    .map(([key, value]) => `${key}=${value}`)
    .sort()

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

export const labelSelector = (description: string) =>
  object(description, selectorFields, { 'x-kubernetes-map-type': 'atomic' })

/** Optional fields of a reference to an input provider, which allow only that kind. */
export const providerReferenceKind = {
  apiVersion: optional(oneOf('API version of the provider.', [`${operatorGroup}/v1`])),
  kind: optional(oneOf('Kind of the provider.', ['ResourceSetInputProvider'])),
}
