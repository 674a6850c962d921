import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { emitJson } from '../yaml/emit-json.ts'
import { goJson } from '../yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'

/** `sha256:<hex>` of the objects as applied: equal sets have equal digests, and the same ones as in flux-operator. */
export const digestOf = (objects: readonly KubernetesObject[]): string =>
  sha256Digest(objects.map(object => documentOf(goForm(object))).join(''))

/** The same for objects that were not converted to the form of Go's types. */
export const rawDigestOf = (objects: readonly KubernetesObject[]): string =>
  sha256Digest(objects.map(object => documentOf(object as unknown as JsonObject)).join(''))

/** The digest in the history for a set that could not be rendered (RS-132): of the spec, as Go serializes it. */
export const specDigestOf = (spec: ResourceSetSpec): string => {
  const fields = fieldOrder.filter(field => spec[field] !== undefined)
  const json = fields.map(field => `"${field}":${goJson(spec[field] as unknown as JsonValue)}`)
  return sha256Digest(`{${json.join(',')}}`)
}

/** Fields in the order of flux-operator's type. */
const fieldOrder = [
  ...(['commonMetadata', 'inputStrategy', 'inputs', 'inputsFrom', 'resources', 'resourcesTemplate'] as const),
  ...(['steps', 'dependsOn', 'serviceAccountName', 'wait'] as const),
]

const documentOf = (object: JsonObject): string => `${emitJson(object)}---\n`

/** Adds the empty fields that Go's types serialize. */
const goForm = ({ status, ...object }: KubernetesObject): JsonObject => {
  const json = object as unknown as JsonObject
  const whole = { ...json, metadata: { ...(json.metadata as JsonObject), creationTimestamp: null } }
  const form = Object.hasOwn(kindForms, object.kind) ? kindForms[object.kind] : undefined
  return form ? form(whole) : whole
}

type Form = (value: JsonObject) => JsonObject

/** Changes the object under a key; an absent one counts as empty. */
const at =
  (key: string, form: Form): Form =>
  value => ({ ...value, [key]: form(isObject(value[key]) ? value[key] : {}) })

const listAt =
  (key: string, form: Form): Form =>
  value =>
    Array.isArray(value[key])
      ? { ...value, [key]: value[key].map(item => (isObject(item) ? form(item) : item)) }
      : value

const withZeros =
  (zeros: JsonObject): Form =>
  value => ({ ...zeros, ...value })

const inOrder =
  (...forms: readonly Form[]): Form =>
  value =>
    forms.reduce((before, form) => form(before), value)

const container = withZeros({ name: '', resources: {} })
const podSpec = inOrder(listAt('containers', container), listAt('initContainers', container))
const podTemplate = inOrder(withZeros({ metadata: {} }), at('spec', podSpec))
const workload = (zeros: JsonObject) => at('spec', inOrder(withZeros(zeros), at('template', podTemplate)))
const job = at('template', podTemplate)

const kindForms: Readonly<Record<string, Form>> = {
  Namespace: withZeros({ spec: {} }),
  Pod: at('spec', podSpec),
  Deployment: workload({ selector: null, strategy: {} }),
  StatefulSet: workload({ selector: null, serviceName: '', updateStrategy: {} }),
  DaemonSet: workload({ selector: null, updateStrategy: {} }),
  ReplicaSet: workload({ selector: null }),
  Job: at('spec', job),
  CronJob: at(
    'spec',
    inOrder(withZeros({ schedule: '' }), at('jobTemplate', inOrder(withZeros({ metadata: {} }), at('spec', job)))),
  ),
  Service: at('spec', listAt('ports', withZeros({ targetPort: 0 }))),
}
