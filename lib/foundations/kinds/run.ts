/** Run: what one pass over a unit did, and why. Read-only, from the hub's record. Keelson's own kind. */

import { envelope } from './envelope.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { recordKindFields } from './record-kind.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })

/** Why a pass was made. */
export const runCauses = [
  /** A user requested it. */
  'Request',
  /** A user has overridden the windows for which it waited. */
  'Override',
  /** The unit itself was changed. */
  'Spec',
  /** Its source has another revision. */
  'Source',
  /** A RolloutRun gave it another revision. */
  'Rollout',
  /** A user has undone it, or it went back by itself. */
  'Undo',
  /** Another input of the build has changed: a ConfigMap, a Secret. */
  'Config',
  /** A dependency that it waited for is ready. */
  'Dependency',
  /** An earlier pass had failed. */
  'Retry',
  /** The cluster differed from the applied state. */
  'Drift',
  'Deletion',
  'Interval',
] as const

/**
 * Progressing: applied, and not healthy yet. Waiting: held back by windows, or by a suspended Cluster; nothing was
 * applied. Drifted: the cluster differs from what was applied, which is only reported.
 */
export const runResults = ['Succeeded', 'Failed', 'Stalled', 'Progressing', 'Waiting', 'Drifted', 'Deleted'] as const

export const changedField = {
  path: text('Path of the field, such as `spec.containers[name=app].image`.'),
  before: optional(text('Old value. Absent if the field was added; `***` if the value is secret.')),
  after: optional(text('New value. Absent if the field was removed.')),
  manager: optional(text('Field manager of the old value. Absent if the unit had set it.')),
  changedAt: optional(time('Time of the last change by that manager.')),
} as const

const change = object('A change of one object.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
  action: oneOf('Change of the object.', ['created', 'configured', 'recreated', 'deleted', 'drifted']),
  origin: optional(text('File that the object came from.')),
  fields: optional(list('Changed fields.', object('A changed field.', changedField))),
  moreFields: optional(integer('Number of changed fields that are not listed.')),
})

const schema = object('The record of a pass over a unit: its cause and its changes.', {
  unit: object('The reconciled objects.', {
    apiVersion: text('API version of the unit.'),
    kind: text('Kind of the unit.'),
    name: text('Name of the unit.'),
    uid: optional(text('UID of the unit.')),
  }),
  cluster: optional(
    object('Access to the cluster that was applied to. Absent for the hub itself.', {
      kind: text('Secret or ConfigMap.'),
      namespace: text('Namespace of the object.'),
      name: text('Name of the object.'),
    }),
  ),
  cause: object('Cause of the pass.', {
    type: oneOf('Type of the cause.', runCauses),
    user: optional(text('Requester, as far as the hub knows.')),
    author: optional(text('Author of the new revision, as the OCI artifact says.')),
    requestedAt: optional(text("Value of the request's annotation.")),
    reason: optional(text('Reason that the user gave for an override.')),
  }),
  revision: optional(text('Applied or attempted revision.')),
  previousRevision: optional(text('Previously applied revision.')),
  artifact: optional(text("Digest of the source's artifact.")),
  manifests: optional(text('Digest of the manifests.')),
  plan: optional(
    object('Approved plan.', {
      name: text('Name of the Plan.'),
      digest: text('Digest of the change. Approvals name it.'),
      approvedBy: list('Users who have approved it.', text('Name of a user.')),
    }),
  ),
  phases: optional(
    list(
      'Phases of the pass, in order.',
      object('A part of the pass.', {
        name: text('Which part.'),
        durationMs: integer('Duration in milliseconds.', { format: 'int64' }),
      }),
    ),
  ),
  counts: object('Numbers of objects by change.', {
    created: optional(integer('Number of created objects.')),
    configured: optional(integer('Number of changed objects.')),
    recreated: optional(integer('Number of recreated objects.')),
    deleted: optional(integer('Number of deleted objects.')),
    unchanged: optional(integer('Number of objects without changes.')),
    skipped: optional(integer('Number of skipped objects.')),
    drifted: optional(integer('Number of objects that differ from what was applied.')),
  }),
  changes: optional(list('Changes, in order.', change)),
  moreChanges: optional(integer('Number of changed objects that are not listed.')),
  errors: optional(
    list(
      'Errors of the pass.',
      object('A failure.', {
        object: optional(text('Object, as Kind/namespace/name.')),
        file: optional(text('File that caused the error, with the line if known.')),
        field: optional(text('Field that caused the error.')),
        message: text('Description of the error.'),
      }),
    ),
  ),
  result: oneOf('Result of the pass.', runResults),
  reason: optional(text('Reason of the condition Ready.')),
  message: optional(text('Message of the condition Ready.')),
  startedAt: time('Start of the run.'),
  finishedAt: optional(time('End of the run. Absent while it is in progress.')),
  repeats: optional(integer('Further passes that failed in the same way and changed nothing.')),
  lastRepeatedAt: optional(time('End of the last of those.')),
  receipt: optional(envelope('Statement about the run, signed by the hub. Absent while the run is in progress.')),
})

export type Run = KubernetesObject & TypeOf<typeof schema>
export type RunReceipt = NonNullable<Run['receipt']>
/** What a run's receipt covers. */
export type RunContent = Omit<TypeOf<typeof schema>, 'repeats' | 'lastRepeatedAt' | 'receipt'>
/** The hub's signature of a run. The statement that it signs follows from the run. */
export interface RunSignature {
  readonly keyid: string
  /** ECDSA over SHA-256, in DER and base64. */
  readonly sig: string
  /** The Cluster whose runner has reported the run, as `NAMESPACE/NAME`. */
  readonly reportedBy?: string
}

/** The stored fields of a run. */
export interface StoredRun extends RunContent {
  readonly signed?: RunSignature
}
export type RunChange = NonNullable<RunContent['changes']>[number]
export type RunCause = RunContent['cause']

/** The names of those who caused a Run: the user, the sender on whose behalf a Receiver requested it, and the author with name and address. */
export const namesIn = ({ cause: { user = '', author = '' } }: Pick<Run, 'cause'>): readonly string[] => {
  const [, sender = ''] = /^Receiver \S+ for (.+)$/.exec(user) ?? []
  const [, address = ''] = /<(.*)>$/.exec(author) ?? []
  return [user, sender, author, nameIn(author), address].filter(text => text !== '')
}

/** `Mona` of `Mona <mona@example.com>`. */
const nameIn = (author: string): string => author.replace(/ *<.*>$/, '')

/** Who caused a Run, for a table: the user, or else the author of the new revision. */
export const causedBy = ({ cause: { user, author = '' } }: Pick<Run, 'cause'>): string => user ?? nameIn(author)

/** `Override by omar: the fix of the outage`. */
export const describeCause = ({ type, user, reason }: RunCause): string =>
  `${type}${user ? ` by ${user}` : ''}${reason ? `: ${reason}` : ''}`

/** `+1 ~2 -1 !1`: objects created, changed, deleted, and left alone although they differ. */
export const changesOf = ({ counts }: Run): string => {
  const { created = 0, configured = 0, recreated = 0, deleted = 0, drifted = 0 } = counts
  const parts = [
    ...(created + recreated > 0 ? [`+${created + recreated}`] : []),
    ...(configured > 0 ? [`~${configured}`] : []),
    ...(deleted + recreated > 0 ? [`-${deleted + recreated}`] : []),
    ...(drifted > 0 ? [`!${drifted}`] : []),
  ]
  return parts.join(' ')
}

/** `main@sha1:1a2b3c4d` for a revision with a digest. */
export const shortRevision = (revision: string | undefined): string =>
  (revision ?? '').replace(/((?:^|[@:])(?:sha\d+:)?[0-9a-f]{8})[0-9a-f]{24,}$/, '$1')

/** `Failed (x3)` for a failure that has recurred twice. */
export const resultOf = ({ result, repeats = 0 }: Run): string => (repeats > 0 ? `${result} (x${repeats + 1})` : result)

export const run: Kind<Run> = {
  ...recordKindFields,
  kind: 'Run',
  plural: 'runs',
  singular: 'run',
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
        { name: 'By', type: 'string', cell: causedBy, priority: 1 },
        { name: 'Cluster', type: 'string', jsonPath: '.cluster.name', priority: 1 },
        { name: 'Message', type: 'string', jsonPath: '.message', priority: 1 },
      ],
    },
  ],
}
