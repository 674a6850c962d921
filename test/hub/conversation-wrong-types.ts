/** What says what an object is, and which, in another type than text: in every kind of request. */
import type { Exchange } from './exchange.ts'

const configMaps = '/api/v1/namespaces/side/configmaps'
const path = `${configMaps}/typed`

/** An object that can't be made a text must not harm who tries. */
const hostile = { toString: '', toJSON: '', valueOf: 1 }
const values: Readonly<Record<string, unknown>> = {
  'a list': [hostile],
  'an object': hostile,
  'a number': 5,
  null: null,
}

const whole = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typed' } }
const fields: Readonly<Record<string, (value: unknown) => unknown>> = {
  kind: value => ({ ...whole, kind: value }),
  apiVersion: value => ({ ...whole, apiVersion: value }),
  'metadata.namespace': value => ({ ...whole, metadata: { ...whole.metadata, namespace: value } }),
}
/** An object may be metadata. */
const others: typeof fields = {
  metadata: value => ({ ...whole, metadata: value }),
  'metadata.name': value => ({ ...whole, metadata: { name: value } }),
}

const replaced = Object.entries({ ...fields, ...others }).flatMap(([field, withValue]) =>
  Object.entries(values)
    .filter(([, value]) => field !== 'metadata' || value !== hostile)
    .map(([what, value]) => ({
      title: `wrong types: ${what} as ${field}`,
      method: 'PUT',
      path,
      body: withValue(value),
    })),
)

const applied = Object.entries({ kind: fields.kind!, apiVersion: fields.apiVersion! }).flatMap(([field, withValue]) =>
  Object.entries(values).map(([what, value]) => ({
    title: `wrong types: ${what} as ${field}, applied`,
    method: 'PATCH',
    path: `${path}?fieldManager=test`,
    body: withValue(value),
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })),
)

const deletions = {
  kind: { kind: [hostile] },
  dryRun: { dryRun: [hostile] },
  orphanDependents: { orphanDependents: 'yes' },
  propagationPolicy: { propagationPolicy: hostile },
  preconditions: { preconditions: [] },
}

const withNulls = {
  ...whole,
  metadata: { name: 'nulls', labels: { a: null }, annotations: { b: null, c: 'd' } },
  data: { key: null, text: 'x' },
}
const appliedNulls = {
  method: 'PATCH',
  path: `${configMaps}/nulls-applied?fieldManager=test`,
  body: { ...withNulls, metadata: { ...withNulls.metadata, name: 'nulls-applied' } },
  headers: { 'content-type': 'application/apply-patch+yaml' },
}

export const wrongTypeConversation: readonly Exchange[] = [
  { title: 'wrong types: an object', method: 'POST', path: `${configMaps}?fieldManager=test`, body: whole },
  ...replaced,
  ...applied,
  ...Object.entries(deletions).map(([field, body]) => ({
    title: `wrong types: ${field} of a deletion`,
    method: 'DELETE',
    path,
    body,
  })),
  { title: 'null in maps of texts', method: 'POST', path: `${configMaps}?fieldManager=test`, body: withNulls },
  { title: 'null in maps of texts, replaced', method: 'PUT', path: `${configMaps}/nulls`, body: withNulls },
  { title: 'null in maps of texts, applied', ...appliedNulls },
  { title: 'wrong types: a namespace without a name', method: 'POST', path: '/api/v1/namespaces', body: {} },
  {
    title: 'wrong types: kind of a review',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { kind: [hostile], spec: {} },
  },
]
