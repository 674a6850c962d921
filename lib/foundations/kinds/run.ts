/** Run: what one pass over a unit did, and why. Read-only, from the hub's record. Keelson's own kind. */
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })

/** Why a pass was made. */
export const runCauses = [
  /** A person asked for it. */
  'Request',
  /** A person has overridden the windows that it waited for. */
  'Override',
  /** The unit itself was changed. */
  'Spec',
  /** Its source has another revision. */
  'Source',
  /** Something else that goes into what is applied has changed: a ConfigMap, a Secret. */
  'Config',
  /** An earlier pass had failed, or waited for a dependency. */
  'Retry',
  /** The cluster differed from what was applied. */
  'Drift',
  'Deletion',
  'Interval',
] as const

/** Progressing: applied, and not healthy yet. Waiting: held back by windows, or a suspended Cluster; nothing was done. */
export const runResults = ['Succeeded', 'Failed', 'Stalled', 'Progressing', 'Waiting', 'Deleted'] as const

const changedField = object('A field that the change has altered.', {
  path: text('Where it is, as `spec.containers[name=app].image`.'),
  before: optional(text('Its value before, absent where there was none; `***` where it may not be shown.')),
  after: optional(text('Its value after, absent where it was removed.')),
})

const change = object('What was done to one object.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
  action: oneOf('What was done.', ['created', 'configured', 'recreated', 'deleted']),
  origin: optional(text('File that the object came from.')),
  fields: optional(list('What changed in it.', changedField)),
  moreFields: optional(integer('How many more fields changed than are listed.')),
})

const schema = object('What one pass over a unit did, and why.', {
  unit: object('What was reconciled.', {
    apiVersion: text('API version of the unit.'),
    kind: text('Kind of the unit.'),
    name: text('Name of the unit.'),
    uid: optional(text('UID of the unit.')),
  }),
  cluster: optional(
    object('How the hub reaches the cluster that it was applied to; absent for the hub itself.', {
      kind: text('Secret or ConfigMap.'),
      namespace: text('Namespace of that.'),
      name: text('Name of that.'),
    }),
  ),
  cause: object('Why the pass was made.', {
    type: oneOf('What led to it.', runCauses),
    user: optional(text('Who asked for it, as far as the hub knows.')),
    requestedAt: optional(text('What the request says of its time.')),
  }),
  revision: optional(text('Revision that was applied, or attempted.')),
  previousRevision: optional(text('Revision that was applied before.')),
  phases: optional(
    list(
      'What the pass spent its time on, in order.',
      object('A part of the pass.', {
        name: text('Which part.'),
        durationMs: integer('How long it took, in milliseconds.', { format: 'int64' }),
      }),
    ),
  ),
  counts: object('How many objects were handled how.', {
    created: optional(integer('Objects that were new.')),
    configured: optional(integer('Objects that were changed.')),
    recreated: optional(integer('Objects that were deleted and created again.')),
    deleted: optional(integer('Objects that were deleted.')),
    unchanged: optional(integer('Objects that were as they should be.')),
    skipped: optional(integer('Objects that were left alone on purpose.')),
  }),
  changes: optional(list('What was done, in order.', change)),
  moreChanges: optional(integer('How many more objects were changed than are listed.')),
  errors: optional(
    list(
      'What was refused or failed.',
      object('A failure.', {
        object: optional(text('Which object, as Kind/namespace/name.')),
        file: optional(text('File at fault, with the line if it is known.')),
        field: optional(text('Field at fault.')),
        message: text('What is wrong.'),
      }),
    ),
  ),
  result: oneOf('How the pass ended.', runResults),
  reason: optional(text('Reason of the condition Ready.')),
  message: optional(text('Message of the condition Ready.')),
  startedAt: time('When the run began.'),
  finishedAt: optional(time('When it ended; absent while it is in progress.')),
  repeats: optional(integer('Further passes that failed in the same way and changed nothing.')),
  lastRepeatedAt: optional(time('When the last of those ended.')),
})

export type Run = KubernetesObject & TypeOf<typeof schema>
/** What is stored of a run. */
export type RunContent = Omit<TypeOf<typeof schema>, 'repeats' | 'lastRepeatedAt'>
export type RunChange = NonNullable<RunContent['changes']>[number]
export type RunCause = RunContent['cause']

/** `+1 ~2 -1`: objects created, changed and deleted. */
export const changesOf = ({ counts }: Run): string => {
  const { created = 0, configured = 0, recreated = 0, deleted = 0 } = counts
  const parts = [
    ...(created + recreated > 0 ? [`+${created + recreated}`] : []),
    ...(configured > 0 ? [`~${configured}`] : []),
    ...(deleted + recreated > 0 ? [`-${deleted + recreated}`] : []),
  ]
  return parts.join(' ')
}

/** `main@sha1:1a2b3c4d` for a revision with a digest. */
export const shortRevision = (revision: string | undefined): string =>
  (revision ?? '').replace(/((?:^|[@:])(?:sha\d+:)?[0-9a-f]{8})[0-9a-f]{24,}$/, '$1')

/** `Failed (x3)` for a failure that has recurred twice. */
export const resultOf = ({ result, repeats = 0 }: Run): string => (repeats > 0 ? `${result} (x${repeats + 1})` : result)

export const run: Kind<Run> = {
  group: fleetGroup,
  kind: 'Run',
  plural: 'runs',
  singular: 'run',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: false,
  readOnly: true,
  isUnwatched: true,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      selectable: ['.unit.kind', '.unit.name', '.cluster.name', '.cause.type', '.cause.user', '.result', '.revision'],
      columns: [
        { name: 'Age', type: 'date', jsonPath: '.startedAt' },
        { name: 'Unit', type: 'string', cell: ({ unit }) => `${unit.kind}/${unit.name}` },
        { name: 'Cause', type: 'string', jsonPath: '.cause.type' },
        { name: 'Revision', type: 'string', cell: ({ revision }) => shortRevision(revision) },
        { name: 'Changes', type: 'string', cell: changesOf },
        { name: 'Result', type: 'string', cell: resultOf },
        { name: 'By', type: 'string', jsonPath: '.cause.user', priority: 1 },
        { name: 'Cluster', type: 'string', jsonPath: '.cluster.name', priority: 1 },
        { name: 'Message', type: 'string', jsonPath: '.message', priority: 1 },
      ],
    },
  ],
}
