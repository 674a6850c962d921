/** What some core kinds do beyond the common rules when they are written, as Kubernetes' strategies for them. */
import type { FieldError } from '../kinds/field-error.ts'
import { forbidden, invalid } from '../kinds/field-error.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { WriteOptions } from './hub.ts'
import { isSameJson } from './json.ts'

export interface Strategy {
  /** The one form of an object that can be written in several; its fields belong to whoever wrote the object. */
  normalize?(object: KubernetesObject): KubernetesObject
  /** The object with what only the server sets; `old` is absent for a new one. */
  prepare?(
    object: KubernetesObject,
    old?: KubernetesObject,
    subresource?: WriteOptions['subresource'],
  ): KubernetesObject
  /** What may not change. */
  checkUpdate?(object: KubernetesObject, old: KubernetesObject): FieldError[]
}

export const namespaceFinalizer = 'kubernetes'
export const namespaceLabel = 'kubernetes.io/metadata.name'

const namespace: Strategy = {
  normalize: object => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, [namespaceLabel]: object.metadata.name },
    },
  }),
  prepare: (object, old, subresource) => {
    if (!old) return { ...object, spec: { finalizers: [namespaceFinalizer] }, status: { phase: 'Active' } }
    return subresource === 'finalize' ? object : { ...object, spec: old.spec }
  },
}

type Data = Readonly<Record<string, string>>

const secret: Strategy = {
  normalize: ({ stringData, ...object }) => {
    if (!stringData) return object
    const encoded = Object.entries(stringData as Data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    return { ...object, data: Object.fromEntries([...Object.entries((object.data ?? {}) as Data), ...encoded]) }
  },
  checkUpdate: (object, old) => [
    ...(object.type === old.type ? [] : [invalid('type', object.type ?? '', 'field is immutable')]),
    ...immutableData(object, old, ['data']),
  ],
}

const configMap: Strategy = {
  checkUpdate: (object, old) => immutableData(object, old, ['data', 'binaryData']),
}

const immutableData = (object: KubernetesObject, old: KubernetesObject, fields: readonly string[]): FieldError[] => {
  if (old.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', why)]),
    ...fields.filter(field => !isSameJson(object[field] ?? {}, old[field] ?? {})).map(field => forbidden(field, why)),
  ]
}

const strategies = new Map<string, Strategy>([
  ['/Namespace', namespace],
  ['/Secret', secret],
  ['/ConfigMap', configMap],
])

const ordinary: Strategy = {}

export const strategyOf = ({ group, kind }: { readonly group: string; readonly kind: string }): Strategy =>
  strategies.get(`${group}/${kind}`) ?? ordinary
