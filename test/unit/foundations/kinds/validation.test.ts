/** Objects right and wrong, with what a real kube-apiserver made of them (`test/recorders/validation.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { DecodeError, decode } from '../../../../lib/foundations/kinds/schema/decode.ts'
import type { FieldError } from '../../../../lib/foundations/kinds/schema/field-error.ts'
import { describeInvalid } from '../../../../lib/foundations/kinds/schema/field-error.ts'
import { strictDecodingError, unknownFieldWarnings } from '../../../../lib/foundations/kinds/schema/prune.ts'
import { validateChange, validateNew } from '../../../../lib/foundations/kinds/schema/validate.ts'
import { finalizerWarnings } from '../../../../lib/foundations/kinds/schema/validate-metadata.ts'
import { checkRules } from '../../../../lib/hub/store/validation-rules.ts'
import { cases, type ValidationCase, writtenObject } from './validation-cases.ts'

interface Answer {
  readonly code: number
  readonly object?: KubernetesObject
  readonly message?: string
  readonly causes?: readonly FieldError[]
  readonly warnings?: readonly string[]
}

const recorded: Readonly<Record<string, Answer>> = JSON.parse(
  readFileSync(new URL('validation.recorded.json', import.meta.url), 'utf8'),
)

/** What other rooms do: reading JSON text, and what writing a kind sets off. */
const elsewhere: Readonly<Record<string, string>> = {
  'Kustomization: doubled field, refused': 'fields given twice are found while JSON is read',
  'Kustomization: doubled field, warned': 'fields given twice are found while JSON is read',
  'Secret: plain text': 'stringData is folded into data by the hub',
  'Secret: plain text before data': 'stringData is folded into data by the hub',
  'Namespace: too long a name': 'the label with its name is given by the hub',
  'Namespace: with a namespace': 'a namespace in a cluster-scoped object is cleared by the hub',
}

/** Kubernetes lets an object of Flux's kinds pass without spec; ours must have one (see crds.test.ts). */
const intended = new Set(['GitRepository: spec null'])

for (const one of cases) {
  const why = elsewhere[one.title]
  if (why || intended.has(one.title)) continue
  test(`judges as a kube-apiserver does: ${one.title}`, () => {
    assert.deepEqual(judge(one), expected(recorded[one.title]!))
  })
}

test('requires a spec, unlike the CRDs of Flux', () => {
  const { code, message } = judge(cases.find(({ title }) => title === 'GitRepository: spec null')!)
  assert.equal(code, 422)
  assert.match(message!, /spec: Required value/)
})

const judge = (one: ValidationCase): Answer => {
  const kind = builtInKinds.find(known => known.kind === one.kind.split(' ')[1])!
  const served = { kind, version: kind.versions[0]! }
  const live = one.from ? (completed(writtenObject({ ...one, change: one.from })) as KubernetesObject) : undefined
  const written = completed(writtenObject(one, live))
  try {
    const { object, unknown } = decode(served, written)
    if (one.fieldValidation === 'Strict' && unknown.length > 0)
      throw new DecodeError(kind, served.version, strictDecodingError(unknown))
    const errors = live
      ? validateChange(served, object, live, one.subresource, checkRules)
      : validateNew(served, withoutStatus(object), checkRules)
    const warnings = one.fieldValidation === 'Ignore' ? [] : unknownFieldWarnings(unknown)
    if (!kind.native && errors.length === 0) warnings.push(...finalizerWarnings(object.metadata, live?.metadata))
    if (errors.length === 0) return { code: live ? 200 : 201, warnings, object: content(object) }
    return {
      code: 422,
      warnings,
      message: normalized(describeInvalid(kind, object.metadata.name, errors)),
      causes: sorted(errors),
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { code: 400, message: error.message, warnings: [] }
  }
}

/** With what the hub adds before it validates. */
const completed = (written: unknown): KubernetesObject => {
  const object = written as KubernetesObject
  const isNamespace = object.kind === 'Namespace'
  return {
    ...object,
    metadata: { ...(!isNamespace && { namespace: 'default' }), resourceVersion: '1', ...object.metadata },
  }
}

const withoutStatus = (object: KubernetesObject): KubernetesObject => {
  const { status, ...rest } = object
  return rest as KubernetesObject
}

const expected = ({ code, object, message, causes, warnings = [] }: Answer): Answer => {
  if (object) return { code, warnings, object: content(object) }
  return { code, warnings, message: normalized(message!), ...(causes && { causes: sorted(causes) }) }
}

/** Everything but what the hub sets: identity, generation, status. */
const content = ({ apiVersion, kind, metadata, status, ...rest }: KubernetesObject) => {
  if (kind === 'Namespace') return { metadata: { name: metadata.name } } as KubernetesObject
  return { metadata: { labels: metadata.labels, finalizers: metadata.finalizers }, ...rest } as KubernetesObject
}

/** Kubernetes walks maps in random order, and so are its errors. */
const sorted = (errors: readonly FieldError[]): FieldError[] =>
  errors
    .map(({ reason, message, field }) => ({ reason, message, field }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const normalized = (message: string): string => {
  const [, start, list] = /^(.*? is invalid: )\[(.*)\]$/s.exec(message) ?? []
  return start === undefined
    ? message
    : `${start}[${list!
        .split(/, (?=[a-z<][\w.[\]<>]*: [A-Z])/)
        .sort()
        .join(', ')}]`
}
