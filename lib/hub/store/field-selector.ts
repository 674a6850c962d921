import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { badRequest } from './api-errors.ts'

export interface FieldSelector {
  matches(object: KubernetesObject): boolean
  /** The value that a field must have, so that `metadata.name=x` does not read a whole collection. */
  required(field: string): string | undefined
}

/** The value of a field; of several, one must match. */
export type Field = (object: KubernetesObject) => unknown

const at =
  (...path: readonly string[]): Field =>
  object =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object)

const everyKind = new Map<string, Field>([
  ['metadata.name', at('metadata', 'name')],
  ['metadata.namespace', at('metadata', 'namespace')],
])

/** Fields that Kubernetes can select by, besides those of every kind. The key is `<group>/<kind>`. */
const byKind = new Map<string, ReadonlyMap<string, Field>>([
  ['/Namespace', new Map([['status.phase', at('status', 'phase')]])],
  ['/Secret', new Map([['type', at('type')]])],
  [
    '/Event',
    new Map<string, Field>([
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
        name => [`involvedObject.${name}`, at('involvedObject', name)] as const,
      ),
      ...['reason', 'reportingComponent', 'type'].map(name => [name, at(name)] as const),
      ['source', object => at('source', 'component')(object) ?? object.reportingComponent],
    ]),
  ],
])

/** Fields that a user-defined kind declares as selectable. */
const definedFields = ({ versions = [] }: Partial<Pick<Kind, 'versions'>>): ReadonlyMap<string, Field> | undefined => {
  const paths = versions.flatMap(({ selectable = [] }) => selectable).map(path => path.slice(1))
  return paths.length > 0 ? new Map(paths.map(path => [path, at(...path.split('.'))])) : undefined
}

interface Term {
  readonly field: string
  readonly negated: boolean
  readonly value: string
}

/**
 * `a=b`, `a==b` and `a!=b` joined by commas; `\` escapes `\`, `,` and `=` in values. `computed` are further fields. Fails with BadRequest.
 */
export const parseFieldSelector = (
  text: string,
  kind: Pick<Kind, 'group' | 'kind' | 'native'> & Partial<Pick<Kind, 'versions'>>,
  computed?: ReadonlyMap<string, Field>,
): FieldSelector => {
  const fields = byKind.get(`${kind.group}/${kind.kind}`) ?? definedFields(kind)
  const terms = splitTerms(text).map(parseTerm(text))
  const tests = terms.map(({ field, negated, value }) => {
    const read = everyKind.get(field) ?? fields?.get(field) ?? computed?.get(field)
    if (!read) throw badRequest(unsupported(field, kind, fields !== undefined))
    return (object: KubernetesObject) => [read(object)].flat().some(found => String(found ?? '') === value) !== negated
  })
  return {
    matches: object => tests.every(test => test(object)),
    required: field => terms.find(term => term.field === field && !term.negated)?.value,
  }
}

/** Kubernetes' own kinds without selectable fields have a different message. */
const unsupported = (field: string, { native }: Pick<Kind, 'native'>, hasFields: boolean): string =>
  native && !hasFields
    ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`

const splitTerms = (text: string): string[] => (text.match(/(?:\\.|[^\\,])+/gs) ?? []).filter(term => term !== '')

const parseTerm =
  (selector: string) =>
  (term: string): Term => {
    const parts = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
    if (!parts) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`)
    const [, field, operator, value] = parts
    return { field: field!, negated: operator === '!=', value: unescaped(value!) }
  }

const unescaped = (value: string): string => {
  if (/^(?:[^\\,=]|\\[\\,=])*$/s.test(value)) return value.replace(/\\(.)/gs, '$1')
  throw badRequest(`invalid field selector: the value "${value}" holds an unescaped ',' or '=', or a stray '\\'`)
}
