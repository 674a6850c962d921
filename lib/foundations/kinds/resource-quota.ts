/** ResourceQuota: the maximum number of objects in a namespace, by resource. */
import { compareText } from '../go/compare-text.ts'
import type { Kind } from './kind.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid } from './schema/field-error.ts'
import type { Schema, TypeOf } from './schema/schema.ts'
import { list, map, object, oneOf, optional, text } from './schema/schema.ts'

/** A number or text in requests; stored as text. */
const quantity: Schema<string> = { description: 'A quantity.', oneOf: [{ type: 'string' }, { type: 'number' }] }

const quantities = (description: string) => optional(map(description, quantity))

const scopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
] as const

const selectorTerm = object('A condition on the scope of an object.', {
  scopeName: oneOf('The scope.', scopes),
  operator: oneOf('How the values are compared.', ['DoesNotExist', 'Exists', 'In', 'NotIn']),
  values: optional(list('Values.', text('A value.'), { 'x-kubernetes-list-type': 'atomic' })),
})

const schema = object('Limits for the number of objects in a namespace.', {
  spec: optional(
    object('The bounds.', {
      hard: quantities('Limit for each resource: `count/<resource>.<group>`, or `count/<resource>` in the core group.'),
      scopes: optional(
        list('Scopes that an object must match. They only apply to Pods.', oneOf('A scope.', scopes), {
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
      scopeSelector: optional(
        object(
          'Scopes with values.',
          {
            matchExpressions: optional(
              list('Conditions that are ANDed.', selectorTerm, { 'x-kubernetes-list-type': 'atomic' }),
            ),
          },
          { 'x-kubernetes-map-type': 'atomic' },
        ),
      ),
    }),
  ),
  status: optional(
    object('Current usage.', {
      hard: quantities('The enforced limits.'),
      used: quantities('The current number of objects.'),
    }),
  ),
})

export type ResourceQuota = KubernetesObject & TypeOf<typeof schema>

const countPrefix = 'count/'
/** Resources of the core group that Kubernetes also counts by their plain names. */
const plainCounts: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'resourcequotas'])

/** Converts quotas to the form in which they are stored. */
export const completeQuota = (quota: ResourceQuota): ResourceQuota => {
  const { spec, status } = quota
  const asText = (given?: Readonly<Record<string, unknown>>) =>
    given && Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
  return {
    ...quota,
    ...(spec?.hard && { spec: { ...spec, hard: asText(spec.hard) } }),
    ...(status && {
      status: {
        ...status,
        ...(status.hard && { hard: asText(status.hard) }),
        ...(status.used && { used: asText(status.used) }),
      },
    }),
  }
}

/** The names in `spec.hard` that count objects of a resource. */
export const quotaKeysOf = ({ group, plural }: Pick<Kind, 'group' | 'plural'>): readonly string[] =>
  group
    ? [`${countPrefix}${plural}.${group}`]
    : [`${countPrefix}${plural}`, ...(plainCounts.has(plural) ? [plural] : [])]

const multiples: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 },
}

/** An integer in Kubernetes' quantity notation; undefined if it is not one. */
export const wholeQuantity = (written: string | number): number | undefined => {
  const [, digits, suffix = ''] = /^\+?(\d{1,15})([kMGT]|[KMGT]i)?$/.exec(String(written)) ?? []
  return digits === undefined ? undefined : Number(digits) * multiples[suffix]!
}

const isCount = (key: string): boolean => key.startsWith(countPrefix) || plainCounts.has(key)

const checkQuota = ({ spec }: ResourceQuota): FieldError[] =>
  Object.entries(spec?.hard ?? {})
    .filter(([key, value]) => isCount(key) && wholeQuantity(value) === undefined)
    .map(([key, value]) => invalid(`spec.hard[${key}]`, value, 'must be an integer'))

/** `used/hard` of each limit, as kubectl prints them; limits of containers are in a separate column. */
const uses =
  (areLimits: boolean) =>
  ({ status }: ResourceQuota): string =>
    Object.entries(status?.hard ?? {})
      .filter(([key]) => key.startsWith('limits.') === areLimits)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, hard]) => `${key}: ${status?.used?.[key] ?? 0}/${hard}`)
      .join(', ')

export const resourceQuota: Kind<ResourceQuota> = {
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  shortNames: ['quota'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  native: true,
  always: { spec: {}, status: {} },
  check: checkQuota,
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        { name: 'Request', type: 'string', cell: uses(false) },
        { name: 'Limit', type: 'string', cell: uses(true) },
        shownAge,
      ],
    },
  ],
}
