/** What the kinds of flux-operator refuse, in the words of its own definitions (recorded: rs-strategy-invalid, rsip-invalid). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import {
  resourceSet,
  intervalOf as setInterval,
  timeoutOf as setTimeout,
} from '../../../../lib/foundations/kinds/resource-set.ts'
import {
  intervalOf as providerInterval,
  timeoutOf as providerTimeout,
  resourceSetInputProvider,
} from '../../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { decode } from '../../../../lib/foundations/kinds/schema/decode.ts'
import { describeInvalid } from '../../../../lib/foundations/kinds/schema/field-error.ts'
import { validateNew } from '../../../../lib/foundations/kinds/schema/validate.ts'
import { tableOf } from '../../../../lib/foundations/kinds/table.ts'
import { checkRules } from '../../../../lib/hub/store/validation-rules.ts'

const refusal = (kind: Kind, spec: object | undefined, metadata: object = {}): string | undefined => {
  const served = { kind, version: kind.versions[0]! }
  const object = {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: kind.kind,
    metadata: { name: 'x', ...metadata },
    ...(spec && { spec }),
  }
  const errors = validateNew(
    served,
    decode(served, { ...object, metadata: { namespace: 'n', ...object.metadata } }).object,
    checkRules,
  )
  return errors.length === 0 ? undefined : describeInvalid(kind, 'x', errors).split(' is invalid: ')[1]
}
const refusedSet = (spec: object) => refusal(resourceSet as unknown as Kind, spec)
const refusedProvider = (spec: object) => refusal(resourceSetInputProvider as unknown as Kind, spec)

const resources = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { key: 'value' } }]
const unchecked =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

test('RS-001 a ResourceSet is namespaced, and has a spec', () => {
  assert.equal(resourceSet.namespaced, true)
  assert.match(refusal(resourceSet as unknown as Kind, undefined)!, /spec: Required value/)
  assert.match(
    refusal(resourceSet as unknown as Kind, { resources }, { name: 'Not_A_Name' })!,
    /metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
  )
})

test('RS-002 is listed with its age, readiness and message, and is called rset for short', () => {
  assert.deepEqual(resourceSet.shortNames, ['rset'])
  const { columnDefinitions } = tableOf(resourceSet.versions[0]! as never, [], { now: 0, includeObject: 'None' })
  assert.deepEqual(
    columnDefinitions!.map(({ name }) => name),
    ['Name', 'Age', 'Ready', 'Status'],
  )
})

test('RS-004 inputs hold values of any kind, and keep them', () => {
  const inputs = [{ text: 'a', number: 1.5, flag: true, list: [1, [2]], map: { a: { b: null } } }]
  const served = { kind: resourceSet as unknown as Kind, version: resourceSet.versions[0]! as never }
  const metadata = { name: 'x', namespace: 'n' }
  const written = {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata,
    spec: { inputs, resources },
  }
  assert.deepEqual((decode(served, written).object as KubernetesObject).spec, { inputs, resources })
})

test('RS-009 RS-010 a reference names one provider, or selects some', () => {
  const from = (...inputsFrom: object[]) => refusedSet({ inputsFrom, resources })
  assert.equal(from({ name: 'a' }, { selector: { matchLabels: { a: 'b' } } }), undefined)
  assert.equal(
    from({ apiVersion: 'fluxcd.controlplane.io/v1', kind: 'ResourceSetInputProvider', name: 'a' }),
    undefined,
  )
  assert.equal(
    from({ name: 'a', selector: { matchLabels: { a: 'b' } } }),
    'spec.inputsFrom[0]: Invalid value: cannot set both name and selector for input provider references',
  )
  assert.equal(
    from({}),
    'spec.inputsFrom[0]: Invalid value: at least one of name or selector must be set for input provider references',
  )
  assert.equal(
    from({ kind: 'ConfigMap', name: 'x' }),
    `[spec.inputsFrom[0].kind: Unsupported value: "ConfigMap": supported values: "ResourceSetInputProvider", ${unchecked}]`,
  )
})

test('RS-019 RS-029 a strategy is Flatten or Permute, and only the latter may include empty providers', () => {
  assert.equal(
    refusedSet({ inputStrategy: { name: 'Merge' }, resources }),
    `[spec.inputStrategy.name: Unsupported value: "Merge": supported values: "Flatten", "Permute", ${unchecked}]`,
  )
  assert.equal(
    refusedSet({ inputStrategy: { name: 'Flatten', includeEmptyProviders: true }, resources }),
    'spec.inputStrategy: Invalid value: includeEmptyProviders only applies when name is Permute',
  )
  assert.equal(refusedSet({ inputStrategy: { name: 'Permute', includeEmptyProviders: true }, resources }), undefined)
})

test('RS-051 RS-071 has resources, a template or one to twenty named steps', () => {
  const steps = (...names: string[]) => refusedSet({ steps: names.map(name => ({ name, resources })) })
  assert.equal(refusedSet({ resourcesTemplate: 'x' }), undefined)
  assert.equal(refusedSet({}), 'spec: Invalid value: at least one of steps, resources or resourcesTemplate must be set')
  assert.equal(
    refusedSet({ steps: [{ name: 'a', resources }], resources }),
    'spec: Invalid value: steps is mutually exclusive with resources and resourcesTemplate',
  )
  assert.equal(steps('a', 'b'), undefined)
  assert.equal(steps('a', 'a'), 'spec.steps: Invalid value: step names must be unique')
  assert.match(steps('A')!, /spec.steps\[0\].name: Invalid value: "A"/)
  assert.match(steps()!, /spec.steps: Invalid value: 0: spec.steps in body should have at least 1 items/)
  assert.match(
    steps(...Array.from({ length: 21 }, (_, i) => `s${i}`))!,
    /spec.steps: Too many: 21: must have at most 20/,
  )
})

test('RS-081 a dependency names apiVersion, kind and name', () => {
  assert.equal(refusedSet({ resources, dependsOn: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }] }), undefined)
  assert.match(refusedSet({ resources, dependsOn: [{ kind: 'ConfigMap' }] })!, /apiVersion: Required .*name: Required/)
})

test('RS-094 RS-095 RS-099 RS-150 intervals and timeouts are in annotations; what is no duration counts as absent', () => {
  const annotated = (every?: string, timeout?: string) =>
    ({
      metadata: {
        annotations: {
          ...(every && { 'fluxcd.controlplane.io/reconcileEvery': every }),
          ...(timeout && { 'fluxcd.controlplane.io/reconcileTimeout': timeout }),
        },
      },
    }) as never
  const minutes = (of: (object: never) => number, ...args: string[]) => of(annotated(...args)) / 60_000
  assert.deepEqual(
    [minutes(setInterval), minutes(setTimeout), minutes(providerInterval), minutes(providerTimeout)],
    [60, 5, 10, 2],
  )
  assert.deepEqual([minutes(setInterval, '30m', '90s'), minutes(setTimeout, '30m', '90s')], [30, 1.5])
  assert.deepEqual([minutes(setInterval, 'soon', 'never'), minutes(setTimeout, 'soon', 'never')], [60, 5])
})

test('RS-139 RS-140 a provider is of a known type, with the address that the type needs', () => {
  assert.match(refusedProvider({ type: 'Nope' })!, /spec.type: Unsupported value: "Nope": supported values: "Static", /)
  assert.equal(
    refusedProvider({ type: 'GitHubBranch' }),
    `[spec: Invalid value: spec.url must not be empty when spec.type is not 'Static' or 'ExternalArtifact', spec: Invalid value: "object": no such key: url evaluating rule: spec.url must start with 'http://' or 'https://' when spec.type is a Git provider]`,
  )
  assert.equal(
    refusedProvider({ type: 'Static', url: 'https://x' }),
    "spec: Invalid value: spec.url must be empty when spec.type is 'Static'",
  )
  assert.equal(
    refusedProvider({ type: 'OCIArtifactTag', url: 'https://x' }),
    "spec: Invalid value: spec.url must start with 'oci://' when spec.type is an OCI provider",
  )
  assert.equal(refusedProvider({ type: 'Clusters', selectors: [{ matchLabels: { env: 'prod' } }] }), undefined)
})

test('RS-141 an external service is called over TLS by default', () => {
  const service = (url: string, more: object = {}) => refusedProvider({ type: 'ExternalService', url, ...more })
  assert.equal(service('https://x'), undefined)
  assert.match(service('http://x')!, /must start with 'https:\/\/'/)
  assert.equal(service('http://x', { insecure: true }), undefined)
  assert.match(
    refusedProvider({ type: 'GitHubTag', url: 'https://x', insecure: true })!,
    /spec.insecure can only be set/,
  )
})

test('RS-148 credentials are only taken where they are used', () => {
  const secretRef = { name: 's' }
  assert.equal(refusedProvider({ type: 'GitHubTag', url: 'https://x', secretRef, certSecretRef: secretRef }), undefined)
  assert.match(refusedProvider({ type: 'Static', secretRef })!, /spec.secretRef is not supported/)
  assert.match(
    refusedProvider({ type: 'AzureDevOpsTag', url: 'https://x', certSecretRef: secretRef })!,
    /spec.certSecretRef is not supported/,
  )
  assert.match(
    refusedProvider({ type: 'GitHubTag', url: 'https://x', serviceAccountName: 'a' })!,
    /spec.serviceAccountName is not supported/,
  )
})
